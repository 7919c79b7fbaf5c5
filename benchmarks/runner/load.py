"""Turns a wish for load into a generator's command line, and its output into one form."""

import json
import re

from . import peers, processes

REQUEST = {1: "user:3f2a9c1e", 2: "device.unlock", 3: "portfolio/4711/unit/12/door/front", 4: "app"}


def request_file():
    """The request as gRPC frames it, for h2load."""
    message = b""
    for number, text in REQUEST.items():
        message += bytes([number << 3 | 2, len(text)]) + text.encode()
    path = peers.WORK / "request.bin"
    path.write_bytes(b"\0" + len(message).to_bytes(4, "big") + message)
    return str(path)


def command(generator, address, connections, in_flight, seconds, warmup, rate=0, slow_percent=0):
    if generator.form == "h2load":
        assert not rate and not slow_percent, "h2load makes closed loops only"
        return [generator.program, "-t", "1", "-D", f"{seconds * 1000:.0f}ms", "--warm-up-time",
                f"{warmup * 1000:.0f}ms", "-c", str(connections), "-m", str(in_flight),
                "-d", request_file(), "-H", "content-type: application/grpc",
                "-H", "te: trailers", f"http://{address}/benchmark.v1.Permissions/Check"]
    words = [generator.program, "--target", address, "--connections", str(connections),
             "--in-flight", str(in_flight), "--seconds", f"{seconds:g}", "--warmup", f"{warmup:g}"]
    if rate:
        words += ["--rate", f"{rate:.0f}"]
    if slow_percent:
        words += ["--slow-percent", f"{slow_percent:g}"]
    return words


def parse(generator, output):
    """The generator's figures under the names of README.md; percentiles only if it has them."""
    if generator.form == "h2load":
        rate = float(re.search(r"([\d.]+) req/s", output).group(1))
        found = re.search(r"(\d+) total.* (\d+) succeeded, (\d+) failed, (\d+) errored", output)
        total, succeeded, failed, errored = (int(number) for number in found.groups())
        return {"rate": rate, "calls": succeeded, "calls_total": total,
                "errors": failed + errored}
    return json.loads(output.strip().splitlines()[-1])


def measure(running, generator, seconds, warmup, **wish):
    """One run of load; adds who used how many cores, and the server's time per call."""
    words = command(generator, running.address, seconds=seconds, warmup=warmup, **wish)
    speed_before = processes.core_speed()
    output, cores = processes.measured_run(running.pid, words, warmup, seconds)
    result = parse(generator, output)
    result["generator"] = generator.name
    result["core_speed"] = (speed_before + processes.core_speed()) // 2
    result.update({name: round(share, 3) for name, share in cores.items()})
    per_call = cores["server_cores"] / result["rate"] * 1e6 if result["rate"] else None
    result["server_cpu_us_per_call"] = per_call and round(per_call, 2)
    if result["errors"]:
        print(f"  {generator.name}: {result['errors']} errors", flush=True)
    return result
