"""Builds, measures, and writes results.json and RESULTS.md."""

import argparse
import json
import os
import shutil
import sys
import time

from . import floors, http_wire, instructions, machine, measurements, peers, processes, report, services


def arguments():
    parser = argparse.ArgumentParser(prog="benchmarks/run", description=__doc__)
    parser.add_argument("section", nargs="?", choices=("all", "rpc", "http", "services", "instructions"), default="all",
                        help="what to measure; the figures of the other section stay (default all); "
                             "instructions counts them with callgrind, into instructions.json")
    parser.add_argument("--seconds", type=float, default=5,
                        help="length of one run (default 5; of the services' 2)")
    parser.add_argument("--warmup", type=float, default=1, help="before each run (default 1)")
    parser.add_argument("--rounds", type=int, default=3, help="the median counts (default 3)")
    parser.add_argument("--servers", default="", help="comma-separated; empty means all")
    parser.add_argument("--parts", default="",
                        help="of the services: comma-separated; empty means all, the figures of the "
                             "others stay")
    parser.add_argument("--entities", type=int, default=1_000_000,
                        help="devices, and associations, of the engine, the large store and the parts sizes_file "
                             "and sizes_server (default 1000000)")
    parser.add_argument("--windows", type=int, default=15,
                        help="fours of windows that show what sign-ins do to checks (default 15)")
    parser.add_argument("--only-postgresql", action="store_true",
                        help="of the services: PostgreSQL in the parts points and documents, and nothing else; takes "
                             "the programs in the folder BUILT_PROGRAMS, whatever they were built for, or those built "
                             "for release")
    parser.add_argument("--skip-build", action="store_true", help="measure what is already built")
    parser.add_argument("--output", default=str(peers.BENCHMARKS),
                        help="folder of results.json and RESULTS.md (default benchmarks/)")
    parser.add_argument("--check", action="store_true",
                        help="instructions: only compare with instructions.json; exit code 1 when a "
                             "figure has grown by more than 3 %%")
    parser.add_argument("--render", action="store_true",
                        help="only write RESULTS.md again, from results.json")
    return parser.parse_args()


def wanted_servers(names):
    known = {server.name: server for server in peers.SERVERS}
    wanted = names.split(",") if names else list(known)
    for name in wanted:
        if name not in known:
            sys.exit(f"benchmarks/run: no server named {name}; there are: {', '.join(known)}")
    return [known[name] for name in wanted]


def built_servers(wanted):
    servers = []
    for server in wanted:
        name = server.name
        if not peers.is_there(server.command[0]):
            print(f"{name} is skipped: {os.path.relpath(server.command[0])} was not built")
        elif not measurements.available(server.closed) or not measurements.available(server.opened):
            print(f"{name} is skipped: none of its load generators was built")
        else:
            servers.append(server)
    return servers


def measure(servers, options):
    results = {server.name: {"title": server.title, "command": [os.path.basename(server.command[0]), *server.command[1:]]}
               for server in servers}
    for server in servers:
        measurements.verify(server)
    print("closed loops", flush=True)
    closed = measurements.closed_loops(servers, options.seconds, options.warmup, options.rounds)
    floors.add_shares(servers, closed)
    for server in servers:
        found = results[server.name]
        found["closed"] = closed[server.name]
        rate = measurements.own_rate(server, found["closed"]) / 2
        print(f"{server.name}: open loops, idle connections, system calls", flush=True)
        for kind, offered, slow_percent in (
            ("open", rate, 0), ("open_slow", rate, 1),
            ("common", measurements.COMMON_RATE, 0), ("common_slow", measurements.COMMON_RATE, 1),
        ):
            if slow_percent and server.is_floor:
                continue
            found[kind] = measurements.open_loop(
                server, offered, slow_percent, options.seconds, options.warmup, options.rounds)
        found["idle"] = measurements.idle_connections(server)
        found["system_calls"] = measurements.system_calls(server)
        found["allocations"] = measurements.allocations(server)
        found["overload"] = measurements.overload(
            server, options.seconds, options.warmup, options.rounds)
    return results


def measure_rpc(options):
    wanted = wanted_servers(options.servers)
    if not options.skip_build:
        peers.build()
    servers = built_servers(wanted)
    if not servers:
        sys.exit("benchmarks/run: nothing to measure (scripts/setup --benchmarks)")
    description = machine.describe()
    began = time.monotonic()
    results = measure(servers, options)
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": description,
        "settings": {"seconds": options.seconds, "warmup": options.warmup,
                     "rounds": options.rounds, "took_seconds": round(time.monotonic() - began)},
        "servers": results,
    }


def main():
    options = arguments()
    output = os.path.abspath(options.output)
    path = os.path.join(output, "results.json")
    if not options.render:
        # Instructions are counted, not timed.
        needs_cores = options.section != "instructions"
        if needs_cores and (len(os.sched_getaffinity(0)) < 2 or not shutil.which("taskset")):
            sys.exit("benchmarks/run: needs two cores and taskset: the server and its load must "
                     "not share one")
        processes.prepare()
        peers.WORK.mkdir(exist_ok=True)
        if options.section == "instructions":
            try:
                return instructions.measure(options)
            finally:
                processes.end_all()
        document = {}
        if os.path.exists(path):
            with open(path) as file:
                document = json.load(file)
        try:
            if options.section in ("all", "rpc"):
                document = {**document, **measure_rpc(options)}
            if options.section in ("all", "http"):
                http_wire.measure(options, document)
            if options.section in ("all", "services"):
                services.measure(options, document)
        finally:
            processes.end_all()
            os.makedirs(output, exist_ok=True)
            with open(path, "w") as file:
                json.dump(document, file, indent=1)
                file.write("\n")
    with open(path) as file:
        document = json.load(file)
    with open(os.path.join(output, "RESULTS.md"), "w") as file:
        file.write(report.render(document))
    print(f"wrote {os.path.relpath(output)}/results.json and RESULTS.md")
    return 0
