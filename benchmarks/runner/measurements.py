"""What is measured of one server."""

import signal
import subprocess
import time

from . import load, peers, processes

# (connections, calls in flight on each)
CLOSED = ((1, 1), (8, 16), (64, 8))
MAIN = (8, 16)
# Offered to every server alike, so that latencies can be compared: well within the slowest.
COMMON_RATE = 10_000
IDLE_CONNECTIONS = 1000
# Multiples of a server's capacity that it is offered.
OVERLOAD = (0.8, 2, 5)
TRACE_SECONDS = 2


def shape(pair):
    return {"connections": pair[0], "in_flight": pair[1]}


def label(pair):
    return f"{pair[0]}x{pair[1]}"


def median(results):
    """The round in the middle by rate, whole, so that its figures belong together; rates and processor times of all."""
    ordered = sorted(results, key=lambda result: result["rate"])
    chosen = dict(ordered[len(ordered) // 2])
    chosen["rates"] = [round(result["rate"]) for result in results]
    chosen["cpus_us"] = [result["server_cpu_us_per_call"] for result in results]
    return chosen


def verify(server):
    """A server that answers wrongly is not measured: the generator checks every answer."""
    with processes.RunningServer(server) as running:
        result = load.measure(running, available(server.opened)[0], seconds=2, warmup=0.5,
                              connections=2, in_flight=2)
        if result["errors"] or not result["calls"]:
            raise RuntimeError(f"{server.name} answers wrongly: {result}")


def available(generators):
    return [generator for generator in generators if peers.is_there(generator.program)]


def closed_loops(servers, seconds, warmup, rounds):
    """Alternating rounds, so that a busy minute of the machine touches every server."""
    found = {server.name: {} for server in servers}
    for number in range(rounds):
        for server in servers:
            first, *others = available(server.closed)
            plan = [(pair, first) for pair in CLOSED] + [(MAIN, other) for other in others]
            for pair, generator in plan:
                print(f"  round {number + 1}: {server.name}, {label(pair)}, {generator.name}",
                      flush=True)
                with processes.RunningServer(server) as running:
                    result = load.measure(running, generator, seconds, warmup, **shape(pair))
                found[server.name].setdefault((pair, generator.name), []).append(result)
    return {
        name: [{"shape": label(pair), **median(results)} for (pair, _), results in runs.items()]
        for name, runs in found.items()
    }


def own_rate(server, closed):
    """The server's rate with the generator of the open loop: the rate it can be offered half of."""
    generator = available(server.opened)[0].name
    return next(result["rate"] for result in closed
                if result["generator"] == generator and result["shape"] == label(MAIN))


def open_loop(server, rate, slow_percent, seconds, warmup, rounds):
    generator = available(server.opened)[0]
    results = []
    for number in range(rounds):
        print(f"  round {number + 1}: {server.name}, {rate:.0f}/s, {slow_percent:g} % slow, "
              f"{generator.name}", flush=True)
        with processes.RunningServer(server) as running:
            # Slow calls occupy 10 ms each: the generator needs room for them beside the others.
            results.append(load.measure(running, generator, seconds, warmup, connections=8,
                                        in_flight=64, rate=rate, slow_percent=slow_percent))
    results.sort(key=lambda result: result["p99_us"])
    chosen = dict(results[len(results) // 2])
    chosen["p99s_us"] = [round(result["p99_us"]) for result in results]
    return chosen


def idle_connections(server, rest_seconds=2):
    """Resident memory per connection that made one call and then rests for so long."""
    if not server.holder or not available((server.holder,)):
        return None
    with processes.RunningServer(server) as running:
        load.measure(running, server.holder, seconds=0.5, warmup=0.1, connections=4, in_flight=4)
        time.sleep(0.5)
        before = running.resident_bytes()
        words = [server.holder.program, "--target", running.address, "--connections",
                 str(IDLE_CONNECTIONS), "--hold", str(rest_seconds + 3)]
        holder = processes.start(words, processes.LOAD_CORE, stdout=subprocess.PIPE)
        try:
            if processes.first_line(holder, 30) != "holding":
                raise RuntimeError("the holder does not hold")
            time.sleep(rest_seconds)
            after = running.resident_bytes()
        finally:
            processes.end(holder)
    return {"connections": IDLE_CONNECTIONS, "before_bytes": before, "after_bytes": after,
            "bytes_per_connection": round((after - before) / IDLE_CONNECTIONS)}


def system_calls(server):
    """System calls per call at 8x16. Tracing slows the server down, so this is a run of its own."""
    generator = available(server.closed)[0]
    with processes.RunningServer(server) as running:
        words = load.command(generator, running.address, seconds=TRACE_SECONDS, warmup=0,
                             **shape(MAIN))
        log = peers.WORK / f"strace-{server.name}.txt"
        count, output = processes.system_calls(running.pid, words, TRACE_SECONDS, log)
    calls = load.parse(generator, output)["calls_total"]
    return {"generator": generator.name, "system_calls": count, "calls": calls,
            "per_call": round(count / calls, 3) if calls else None}


def allocations(server):
    """Heap allocations per call at 8x16, of a server that uses malloc; between two readings."""
    if not server.uses_malloc or not peers.is_there(str(peers.COUNTER)):
        return None
    log = peers.WORK / f"allocations-{server.name}.txt"
    generator = available(server.closed)[0]
    with open(log, "w") as file, processes.RunningServer(
            server, environment={"LD_PRELOAD": str(peers.COUNTER)}, stderr=file) as running:
        counts = []
        calls = 0
        # The first run warms up; its calls lie before the first reading.
        for seconds in (1, 3):
            words = load.command(generator, running.address, seconds=seconds, warmup=0,
                                 **shape(MAIN))
            output = subprocess.run(["taskset", "-c", str(processes.LOAD_CORE), *words],
                                    capture_output=True, text=True, timeout=60).stdout
            calls = load.parse(generator, output)["calls_total"]
            running.process.send_signal(signal.SIGUSR1)
            time.sleep(0.2)
            counts.append(int(log.read_text().split()[-1]))
    return {"generator": generator.name, "per_call": round((counts[1] - counts[0]) / calls, 2)}


def overload(server, seconds, warmup, rounds):
    """Successful calls per second below capacity, and at two and five times what the server can do.

    Each call takes processor time in its handler, so that capacity is the handler's and the load
    generator can pass it. The capacity is measured before and after every step, because the speed of a
    shared core changes from minute to minute: a step is compared with the mean of the two, and of the
    rounds the step in the middle counts.
    """
    if not server.work_arguments:
        return None
    generator = available(server.opened)[0]

    def run(**how):
        with processes.RunningServer(server, server.work_arguments) as running:
            return load.measure(running, generator, seconds, warmup, connections=8, **how)

    steps = {factor: [] for factor in OVERLOAD}
    peaks = [run(in_flight=16)["rate"]]
    for number in range(rounds):
        for factor in OVERLOAD:
            print(f"  round {number + 1}: overload, {server.name}, {factor:g} times capacity",
                  flush=True)
            offered = peaks[-1] * factor
            result = run(in_flight=4096, rate=offered)
            peaks.append(run(in_flight=16)["rate"])
            good = result["calls"] / result["seconds"]
            steps[factor].append(
                {"factor": factor, "offered": round(offered), "good": round(good),
                 "share_of_peak": round(good / ((peaks[-2] + peaks[-1]) / 2), 3),
                 "errors": result["errors"],
                 "p50_us": result["p50_us"], "p99_us": result["p99_us"],
                 "server_cores": result["server_cores"], "load_cores": result["load_cores"]})
    chosen = []
    for factor in OVERLOAD:
        ordered = sorted(steps[factor], key=lambda step: step["share_of_peak"])
        chosen.append({**ordered[len(ordered) // 2],
                       "shares_of_peak": [step["share_of_peak"] for step in steps[factor]]})
    return {"generator": generator.name, "arguments": list(server.work_arguments),
            "peaks": [round(peak) for peak in peaks],
            "steps": chosen}
