"""Writes RESULTS.md from results.json."""

import os

from . import floors, http_report, services_report
from .tables import table, thousands

# Cores' worth of other people's work, and loss of speed of the core itself, above which a run is
# not to be trusted.
DISTURBANCE_MAX = 0.1
SLOWDOWN_MAX = 0.1

SHAPES = ("1x1", "8x16", "64x8")
OPEN_LOOPS = ("common", "common_slow", "open", "open_slow")


def primary(server):
    """The runs of the first generator, by shape; the others are cross-checks."""
    first = server["closed"][0]["generator"]
    return {run["shape"]: run for run in server["closed"] if run["generator"] == first}


def environment(document):
    machine, settings = document["machine"], document["settings"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    lines = [
        f"Measured {document['date']} at commit {machine['commit']}, on {machine['processor']} "
        f"({machine['cores']} cores), {machine['system']}, Linux {machine['kernel']}.",
        f"{versions}.",
        "",
        f"Server pinned to core 0, load to core 1, over loopback TCP. Each run: "
        f"{settings['seconds']:g} s after {settings['warmup']:g} s of warm-up, a fresh server; "
        f"{settings['rounds']} alternating rounds, of which the median is shown.",
        "",
    ]
    runs = [run for server in document["servers"].values()
            for run in server["closed"] + [server[kind] for kind in OPEN_LOOPS if kind in server]]
    disturbances = sorted(run["other_cores"] + run["stolen_cores"] for run in runs)
    speeds = sorted(run["core_speed"] for run in runs)
    middle, worst = disturbances[len(runs) // 2], disturbances[-1]
    slowest, median = (1 - speed / speeds[-1] for speed in (speeds[0], speeds[len(runs) // 2]))
    lines += [f"Other work took {middle:.2f} of the machine's {machine['cores']} cores in the median "
              f"run and {worst:.2f} in the worst of those shown. A fixed loop on the server's core was "
              f"{median * 100:.0f} % slower in the median run and {slowest * 100:.0f} % in the slowest "
              "than in the fastest.", ""]
    if worst > DISTURBANCE_MAX or slowest > SLOWDOWN_MAX:
        lines += ["**The machine was not idle, or shares its processor**: read the figures as rough, "
                  "and compare the rounds below.", ""]
    return lines


def throughput(servers):
    rows = []
    for server in servers:
        runs = primary(server)
        main = runs["8x16"]
        rows.append([
            server["title"], main["generator"], thousands(runs["1x1"]["rate"]),
            thousands(main["rate"]), thousands(runs["64x8"]["rate"]),
            f"{main['server_cpu_us_per_call']:.1f}",
            " / ".join(floors.percent(runs[shape].get("floor_share")) for shape in SHAPES),
            cores(main),
        ])
    return ["## Calls per second, closed loop", "",
            "Connections × calls in flight on each. Where no shape is named, columns are of 8×16. When the server's "
            "core is not full, its load was the limit and the time per call is the figure to compare. The floors "
            "only frame what they read and answer with fixed bytes; a row reaches the share of its floor that the "
            "floor's processor time per call is of its own, as the median of rounds next to one another.",
            ""] + table(
        ["Server", "Load by", "1×1", "8×16", "64×8", "Server CPU µs per call",
         "Of the floor: 1×1 / 8×16 / 64×8", "Core used: server / load"], rows)


def latency_rows(servers, kinds):
    return [
        [server["title"], server[kind]["generator"], thousands(server[kind]["rate_wanted"]), slow]
        + [thousands(server[kind][f"{key}_us"]) for key in ("p50", "p99", "p999", "max")]
        + [server[kind]["errors"]]
        for kind, slow in kinds for server in servers if kind in server
    ]


def latency(servers):
    header = ["Server", "Load by", "Calls per second", "Slow calls", "p50", "p99", "p99.9", "max",
              "Errors"]
    return ["## Latency of normal calls, open loop (µs)", "",
            "Calls are sent at fixed times, and latency counts from the intended one. Slow calls take "
            "10 ms and are not in the percentiles. First the same rate for every server:", ""
            ] + table(header, latency_rows(servers, (("common", "none"), ("common_slow", "1 %")))) + [
            "Then half the rate that each server reached at 8×16 with the same generator:", ""
            ] + table(header, latency_rows(servers, (("open", "none"), ("open_slow", "1 %"))))


def resources(servers):
    rows = []
    for server in servers:
        idle, traced = server["idle"], server["system_calls"]
        rows.append([
            server["title"],
            f"{traced['per_call']:.2f}" if traced and traced["per_call"] is not None else "–",
            f"{server['allocations']['per_call']:.2f}" if server.get("allocations") else "–",
            f"{idle['before_bytes'] / 1e6:.1f}" if idle else "–",
            f"{idle['bytes_per_connection'] / 1e3:.1f}" if idle else "–",
        ])
    return ["## Resources of the server", "",
            "System calls: traced at 8×16, which slows the server. Memory: resident, of a server "
            "with few connections, and its growth per connection with 1,000 that made one call and "
            "rest. Allocations: calls of malloc(3) and its kin, of servers that use it.", ""] + table(
        ["Server", "System calls per call", "Allocations per call", "Resident MB",
         "kB per idle connection"], rows)


def overload(servers):
    rows = []
    for server in servers:
        found = server.get("overload")
        for step in found["steps"] if found else ():
            rows.append([server["title"], f"{step['factor']:g} ×", thousands(step["offered"]),
                         thousands(step["good"]),
                         ", ".join(f"{share * 100:.0f} %" for share in step.get(
                             "shares_of_peak", [step["share_of_peak"]])),
                         thousands(step["errors"]), thousands(step["p50_us"]),
                         thousands(step["p99_us"]), cores(step)])
    if not rows:
        return []
    return ["## Overload", "",
            "Calls that take 20 µs of processor time each, offered at a multiple of the rate that a "
            "closed loop of 8×16 reached just before. Good calls are the ones answered with success, "
            "and the peak is the mean of such loops before and after; the figures are of the round in "
            "the middle, the shares of the peak of every round.", ""
            ] + table(["Server", "Load", "Offered per second", "Good per second", "Of peak",
                       "Refused", "p50 µs", "p99 µs", "Core used: server / load"], rows)


def cores(run):
    if "server_cores" not in run:
        return "–"
    return f"{run['server_cores'] * 100:.0f} % / {run['load_cores'] * 100:.0f} %"


def cross_checks(servers):
    rows = []
    for server in servers:
        first = server["closed"][0]["generator"]
        for run in server["closed"]:
            if run["shape"] == "8x16":
                rows.append([
                    server["title"], run["generator"] + (" (used above)" if run["generator"] == first else ""),
                    thousands(run["rate"]), ", ".join(thousands(rate) for rate in run["rates"]),
                    cores(run), run["errors"]])
    return ["## Cross-check: other generators and every round, 8×16", ""] + table(
        ["Server", "Load by", "Median", "Rounds", "Core used: server / load", "Errors"], rows)


def commands(document):
    settings = document["settings"]
    lines = ["## Commands", "", "```",
             "scripts/setup --benchmarks",
             f"benchmarks/run --seconds {settings['seconds']:g} --warmup {settings['warmup']:g} "
             f"--rounds {settings['rounds']}", "```", "",
             "Servers, each under `taskset -c 0` (those in Go with `GOMAXPROCS=1`):", "", "```"]
    for server in document["servers"].values():
        program, *rest = server["command"]
        lines.append(" ".join(["…/" + os.path.basename(program), *rest]))
    return lines + ["```", ""]


def render(document):
    lines = ["# Results", "",
             "Written by `benchmarks/run`; the raw figures are in `results.json`. What is measured "
             "and why: `README.md`.", ""]
    servers = list(document.get("servers", {}).values())
    if servers:
        lines += environment(document) + throughput(servers) + latency(servers)
        lines += resources(servers) + overload(servers) + cross_checks(servers) + commands(document)
    if document.get("http"):
        lines += http_report.render(document["http"])
    if document.get("services"):
        lines += services_report.render(document["services"])
    return "\n".join(lines).rstrip() + "\n"
