"""Counts instructions per call with callgrind, a figure that holds still on a shared machine.

A server runs under `valgrind --tool=callgrind`, one caller sends it calls one after another, and the
instructions between two dumps are divided by the calls between them. Every run makes the same calls in
the same order: what a write costs depends on how many there were before it. Of several windows the least
counts: what a server does besides (timers, checkpoints of a store) only adds.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import changing_fields, hashing, http_wire, load as message, peers, processes, services, suite

# What is committed, and what a run is compared with.
RECORD = peers.BENCHMARKS / "instructions.json"
# Growth that the gate lets pass, in percent.
GROWTH_MAX = 3.0
WINDOWS = 3
# A window that takes longer than this is stuck, whatever else the machine does.
SECONDS_MAX = 300
# valgrind sometimes crashes as it writes a dump of a process that waits; so often a part is measured at most.
ATTEMPTS_MAX = 3
# A process that crashes has ended after so many seconds.
CRASH_SECONDS_MAX = 10
VALGRIND = ("valgrind", "--tool=callgrind", "--quiet")
# What a run must not differ in from the next one: Swift's hash tables draw their seed at the start.
ENVIRONMENT = {"SWIFT_DETERMINISTIC_HASHING": "1"}
PROGRAMS = ("benchmark-server", *services.PROGRAMS)
# Cheap hashes: a sign-in is measured without its Argon2id.
CHEAP_HASHES = {"auth": {"password_hash": {"memory_kib": 8, "passes": 1},
                         **services.MANY_SIGN_INS["auth"]}}


class ServerEnded(RuntimeError):
    """The counted process ended by itself while it was measured."""


class CountedServer:
    """A process under callgrind and where it dumps."""

    def __init__(self, process, prefix):
        self.process, self.prefix = process, prefix
        self.dump_count = 0

    def dump(self):
        """Instructions since the last dump."""
        self.dump_count += 1
        subprocess.run(["callgrind_control", "--dump", str(self.process.pid)], check=True,
                       capture_output=True, timeout=60)
        path = Path(f"{self.prefix}.{self.dump_count}")
        for _ in range(600):
            self.require_running()
            if path.exists() and (found := re.search(r"^totals: (\d+)", path.read_text(), re.M)):
                return int(found.group(1))
            time.sleep(0.1)
        raise RuntimeError(f"callgrind wrote no {path.name}")

    def per_call(self, calls, count):
        """Instructions per call; `calls` sends as many calls as it is told."""
        try:
            return self.least_per_call(calls, count)
        except (RuntimeError, subprocess.SubprocessError) as error:
            try:
                status = self.process.wait(CRASH_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                raise error from None
            raise ServerEnded(f"the counted server ended with status {status}: {error}") from error

    def require_running(self):
        if self.process.poll() is not None:
            raise RuntimeError("it is gone")

    def least_per_call(self, calls, count):
        calls(count)
        self.dump()
        figures = []
        for _ in range(WINDOWS):
            self.require_running()
            calls(count)
            figures.append(self.dump() / count)
        return round(min(figures))


def load(target, service, method, request, *metadata):
    """A function that sends so many calls, one at a time."""
    words = [services.program("rpcload"), "--target", target, "--service", service,
             "--method", method, *request, "--warmup", "0", "--json", "--quiet",
             "--connections", "1", "--in-flight", "1"]
    for entry in metadata:
        words += ["--metadata", entry]

    def calls(count):
        done = subprocess.run([*words, "--seconds", str(SECONDS_MAX), "--calls", str(count)],
                              capture_output=True, text=True, timeout=SECONDS_MAX + 60)
        if not done.stdout.strip():
            raise RuntimeError(f"rpcload: {done.stderr.strip()}")
        found = json.loads(done.stdout.splitlines()[-1])
        if found["errors"] or found["calls_total"] != count:
            raise RuntimeError(f"{service}/{method}: {done.stdout.strip()}")

    return calls


def counted(program, folder):
    """The command of a program under callgrind, and the prefix of what callgrind writes.

    Without its debugging information, whose newer forms valgrind cannot read.
    """
    path, prefix = os.path.join(folder, f"{Path(program).name}.stripped"), os.path.join(folder, "callgrind")
    subprocess.run(["strip", "--strip-debug", "-o", path, program], check=True, timeout=60)
    return [*VALGRIND, f"--callgrind-out-file={prefix}", path], prefix


def http(path, body, *words, server=None):
    """The same check by HTTP, over one connection of h2load."""
    if not shutil.which("h2load"):
        sys.exit("benchmarks/run: needs h2load (scripts/setup --benchmarks)")
    words = (*words, "-c", "1")
    return library(*(() if server else ("--fast-path",)), server=server,
                   calls=lambda address: lambda count: http_wire.calls(
                       count, f"http://{address}{path}", body(), words))


def http_with_changes(calls):
    """The same check by HTTP, from a client that sends other fields with each call."""
    return library("--fast-path", calls=lambda address: functools.partial(calls, address))


def library(*arguments, server=None, calls=None):
    """An empty-handed permission check of benchmark-server, the library's own part of a call; or of a floor."""
    with tempfile.TemporaryDirectory(dir=peers.WORK) as folder:
        program = server.command[0] if server else services.program("benchmark-server")
        command, prefix = counted(program, folder)
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        processes._running.add(process)
        try:
            address = processes.first_line(process, 60).split()[1]
            sent = calls(address) if calls else load(
                f"tcp://{address}", "benchmark.v1.Permissions", "Check",
                ("--template", '1: "user" 2: "device.unlock" 3: "dev_1" 4: "unt_1"'))
            return CountedServer(process, prefix).per_call(sent, 5000)
        finally:
            processes.end(process)


class CountedSuite(suite.Suite):
    """The three services, one of them under callgrind."""

    def __init__(self, folder, counted, **options):
        super().__init__(services.BUILT, folder, loops=1, **options)
        self.counted = counted

    def command(self, name):
        if name != self.counted:
            return super().command(name)
        command, self.prefix = counted(services.program(f"{name}-service"), self.folder)
        return command

    def per_call(self, calls, count):
        return CountedServer(self.running[self.counted], self.prefix).per_call(calls, count)


def check(folder):
    with CountedSuite(folder, "tenancy") as running:
        credential, message = services.question(running)
        return running.per_call(load(running.targets["tenancy"], "tenancy.v1.Permissions", "Check",
                                     ("--template", message), credential), 5000)


def durable_write(folder):
    with CountedSuite(folder, "tenancy") as running:
        credential, _ = services.question(running)
        return running.per_call(load(running.targets["tenancy"], "tenancy.v1.Portfolios", "Create",
                                     ("--template", '1: "Load"'), credential), 200)


def sign_in(folder):
    with CountedSuite(folder, "auth", settings=CHEAP_HASHES) as running:
        running.client("signup", "load@example.com", "Load")
        request = f'1: "load@example.com" 2: "{hashing.PASSWORD}"'
        return running.per_call(load(running.targets["auth"], "auth.v1.Authentication", "SignIn",
                                     ("--template", request)), 100)


PATH = "/v1/check"
JSON_TYPE = ("-H", "content-type: application/json")

PARTS = {
    "empty_call_in_a_task": lambda _: library(),
    "empty_call_on_the_fast_path": lambda _: library("--fast-path"),
    # Four in flight: callgrind slows a handler down so far that few of those that come alone are answered at once.
    "empty_call_by_grpc": lambda _: http(http_wire.METHOD, message.request_file, *http_wire.GRPC, "-m", "4"),
    "empty_call_by_grpc_web": lambda _: http(
        http_wire.METHOD, message.request_file, "-H", "content-type: application/grpc-web+proto", "--h1", "-m", "1"),
    "empty_call_by_rest": lambda _: http(PATH, http_wire.question_file, *JSON_TYPE, "--h1", "-m", "1"),
    "empty_call_by_rest_over_http2": lambda _: http(PATH, http_wire.question_file, *JSON_TYPE, "-m", "4"),
    "empty_call_by_connect_with_json": lambda _: http(
        http_wire.METHOD, http_wire.question_file, *JSON_TYPE, "-H", "connect-protocol-version: 1", "--h1", "-m", "1"),
    # Clients that send another trace with each call.
    "empty_call_by_grpc_with_traces": lambda _: http_with_changes(changing_fields.grpc),
    "empty_call_by_rest_with_traces": lambda _: http_with_changes(changing_fields.rest),
    # The least that these calls take, of servers in C with fixed answers.
    "floor_by_frames": lambda _: library(server=peers.FRAMES_FLOOR),
    "floor_by_grpc": lambda _: http(http_wire.METHOD, message.request_file, *http_wire.GRPC, "-m", "4",
                                    server=peers.HTTP2_FLOOR),
    "floor_by_rest": lambda _: http(PATH, http_wire.question_file, *JSON_TYPE, "--h1", "-m", "1",
                                    server=peers.HTTP1_FLOOR),
    "floor_by_rest_over_http2": lambda _: http(PATH, http_wire.question_file, *JSON_TYPE, "-m", "4",
                                               server=peers.HTTP2_FLOOR),
    "check": check,
    "durable_write": durable_write,
    "sign_in_without_its_hash": sign_in,
}


def compare(found, record):
    """Prints each figure beside the recorded one; returns what has grown too far, in words."""
    problems = []
    print(f"{'instructions per call':32} {'recorded':>10} {'now':>10} {'change':>8}")
    for name in PARTS:
        if name not in found:
            continue
        count, before = found[name], record.get(name)
        if before is None:
            print(f"{name:32} {'':>10} {count:>10}")
            continue
        growth = (count / before - 1) * 100
        print(f"{name:32} {before:>10} {count:>10} {growth:>+7.1f}%")
        if growth > GROWTH_MAX:
            problems.append(f"{name} takes {count} instructions per call, {growth:.1f} % more than the "
                            f"{before} recorded; at most {GROWTH_MAX:g} % is let pass")
    return problems


def measured(name):
    """The count of a part; one whose server crashes is measured again, which is said."""
    for attempt in range(1, ATTEMPTS_MAX + 1):
        try:
            with tempfile.TemporaryDirectory(dir=peers.WORK) as folder:
                return PARTS[name](folder)
        except ServerEnded as error:
            if attempt == ATTEMPTS_MAX:
                raise
            print(f"benchmarks/run: {name} is measured again: {error}", file=sys.stderr)


def measure(options):
    """Measures the wanted parts; writes the record, or with --check compares with it."""
    for tool in ("valgrind", "callgrind_control"):
        if not shutil.which(tool):
            sys.exit(f"benchmarks/run: needs {tool} (scripts/setup --instructions)")
    wanted = options.parts.split(",") if options.parts else list(PARTS)
    for name in wanted:
        if name not in PARTS:
            sys.exit(f"benchmarks/run: no part {name}; there are: {', '.join(PARTS)}")
    if not options.skip_build:
        services.build(with_benchmark=False)
        peers.build_floors()
    os.environ.update(ENVIRONMENT)
    # One after another: while callgrind dumps one process, connections of another under valgrind lose bytes, those of
    # the floors in C too.
    found = {name: measured(name) for name in wanted}
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    problems = compare(found, record)
    if not options.check:
        RECORD.write_text(json.dumps({**record, **found}, indent=1) + "\n")
        return 0
    for problem in problems:
        print(f"benchmarks/run: {problem}", file=sys.stderr)
    if problems:
        print("benchmarks/run: make it cheaper, or record the new count with benchmarks/run instructions "
              "and say in the commit what it buys", file=sys.stderr)
    return 1 if problems else 0
