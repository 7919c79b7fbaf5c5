"""The section of HTTP in RESULTS.md."""

import statistics

from . import floors
from .http_wire import median_ratio
from .tables import table, thousands, verdict

# Multiples of the processor time of others, and bytes per idle connection.
GRPC_TIMES, REST_TIMES, IDLE_BYTES = 4, 5, 16 << 10


def median(rounds, figure):
    return statistics.median(figure(run) for run in rounds)


def total(run):
    return sum(run["cpu_us"])


def grpc_rows(found):
    rows = []
    own = found["rpckit-grpc"]
    for name, server in found.items():
        rounds, idle = server["rounds"], server["idle"]
        rows.append([
            server["title"], thousands(median(rounds, lambda run: run["rate"])),
            f"{median(rounds, total):.1f}", ", ".join(f"{total(run):.1f}" for run in rounds),
            "–" if name.startswith("rpckit") else f"{median_ratio(rounds, own['rounds']):.1f}",
            floors.percent(server.get("floor_share")),
            thousands(idle["bytes_per_connection"]) if idle else "–",
        ])
    return rows


def rest_rows(found):
    rows = []
    titles = {"own": "RPCKit", "envoy": "Envoy before RPCKit", "floor": "Floor"}
    for shape, own in found["own"].items():
        for name, title in titles.items():
            runs = found.get(name, {}).get(shape)
            if not runs:
                continue
            rows.append([
                f"{title}, {shape}", thousands(median(runs, lambda run: run["rate"])), f"{median(runs, total):.1f}",
                ", ".join(" + ".join(f"{part:.1f}" for part in run["cpu_us"]) for run in runs),
                "–" if name == "own" else f"{median_ratio(runs, own):.1f}",
                floors.percent(found.get("floor_shares", {}).get(name, {}).get(shape)),
            ])
    return rows


def target_rows(document):
    servers = document["grpc"]
    own = servers["rpckit-grpc"]
    rows = []
    for name in ("grpc-go", "grpc-cpp"):
        if name in servers:
            times = median_ratio(servers[name]["rounds"], own["rounds"])
            rows.append([f"gRPC, 8×16: processor time per call of {servers[name]['title']}, in multiples of ours",
                         f"{times:.1f}", GRPC_TIMES, verdict(times, GRPC_TIMES)])
    if own["idle"]:
        count = own["idle"]["bytes_per_connection"]
        rows.append(["bytes per idle connection of HTTP/2", thousands(count), thousands(IDLE_BYTES),
                     verdict(count, IDLE_BYTES, True)])
    for shape, runs in document.get("rest", {}).get("own", {}).items():
        times = median_ratio(document["rest"]["envoy"][shape], runs)
        rows.append([f"REST, {shape}: processor time per call of Envoy before the same server, in multiples of ours",
                     f"{times:.1f}", REST_TIMES, verdict(times, REST_TIMES)])
    return rows


def render(document):
    machine = document["machine"]
    lines = ["# HTTP", "",
             f"Measured {document['date']} at commit {machine['commit']}, on {machine['processor']} "
             f"({machine['cores']} cores). Server on core 0, h2load on core 1; {document['calls']:,} calls after a "
             f"warm-up, a fresh server each, {document['rounds']} alternating rounds, of which the median is shown. "
             "Processor time is that of everything on the server's side, user and system: on a shared machine it says "
             "more than the rate does. A server reaches the share of the floor that the floor's time is of its own.",
             ""]
    lines += table(["What", "Measured", "Target", "Reached"], target_rows(document))
    lines += ["## gRPC, 8×16, and idle connections", "",
              "The same small message as above. Memory: growth of the resident memory with 1,000 connections that "
              "made one call and rest for eight seconds. The floor is libnghttp2's session with fixed answers.", ""]
    lines += table(["Server", "Calls per second", "CPU µs per call", "Every round", "In multiples of ours",
                    "Of the floor", "Bytes per idle connection"], grpc_rows(document["grpc"]))
    if "rest" in document:
        lines += ["## REST", "",
                  "The same question and answer as JSON, by `POST /v1/check`; Envoy's grpc_json_transcoder with one "
                  "worker before the same server, which it calls by gRPC, both on the server's core. Envoy's rounds "
                  "are its own time and that of the server behind it. The floors read the same requests and answer "
                  "with fixed bytes.", ""]
        lines += table(["Server", "Calls per second", "CPU µs per call", "Every round", "In multiples of ours",
                        "Of the floor"], rest_rows(document["rest"]))
    return lines + ["## Commands of HTTP", "", "```", "scripts/setup --benchmarks", "scripts/setup --gateways",
                    f"benchmarks/run http --rounds {document['rounds']}", "```", ""]
