"""Counts instructions per call with callgrind, a figure that holds still on a shared machine.

A server runs under `valgrind --tool=callgrind`, one caller sends it calls one after another, and the
instructions between two dumps are divided by the calls between them. Of several windows the least
counts: what a server does besides (timers, checkpoints of a store) only adds.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import hashing, peers, processes, services, suite

# What is committed, and what a run is compared with.
RECORD = peers.BENCHMARKS / "instructions.json"
# Growth that the gate lets pass, in percent.
GROWTH_MAX = 3.0
WARM_UP_SECONDS, SECONDS, WINDOWS = 2, 2, 3
VALGRIND = ("valgrind", "--tool=callgrind", "--quiet")
# Cheap hashes: a sign-in is measured without its Argon2id.
CHEAP_HASHES = {"auth": {"password_hash": {"memory_kib": 8, "passes": 1},
                         **services.MANY_SIGN_INS["auth"]}}


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
            if path.exists() and (found := re.search(r"^totals: (\d+)", path.read_text(), re.M)):
                return int(found.group(1))
            time.sleep(0.1)
        raise RuntimeError(f"callgrind wrote no {path.name}")

    def per_call(self, calls):
        """Instructions per call; `calls` sends them and returns how many there were."""
        calls(WARM_UP_SECONDS)
        self.dump()
        figures = []
        for _ in range(WINDOWS):
            count = calls(SECONDS)
            figures.append(self.dump() / count)
        return round(min(figures))


def load(target, service, method, request, *metadata):
    """A function that sends calls, one at a time, for some seconds."""
    words = [services.program("rpcload"), "--target", target, "--service", service,
             "--method", method, *request, "--warmup", "0", "--json", "--quiet",
             "--connections", "1", "--in-flight", "1"]
    for entry in metadata:
        words += ["--metadata", entry]

    def calls(seconds):
        done = subprocess.run([*words, "--seconds", str(seconds)], capture_output=True, text=True,
                              timeout=120)
        if not done.stdout.strip():
            raise RuntimeError(f"rpcload: {done.stderr.strip()}")
        found = json.loads(done.stdout.splitlines()[-1])
        if found["errors"] or not found["calls_total"]:
            raise RuntimeError(f"{service}/{method}: {done.stdout.strip()}")
        return found["calls_total"]

    return calls


def counted(name, folder):
    """The command of a program under callgrind, and the prefix of what callgrind writes.

    Without its debugging information, whose newer forms valgrind cannot read.
    """
    path, prefix = os.path.join(folder, f"{name}.stripped"), os.path.join(folder, "callgrind")
    subprocess.run(["strip", "--strip-debug", "-o", path, services.program(name)], check=True,
                   timeout=60)
    return [*VALGRIND, f"--callgrind-out-file={prefix}", path], prefix


def library(*arguments):
    """An empty-handed permission check of benchmark-server: the library's own part of a call."""
    with tempfile.TemporaryDirectory(dir=peers.WORK) as folder:
        command, prefix = counted("benchmark-server", folder)
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        processes._running.add(process)
        try:
            address = processes.first_line(process, 60).split()[1]
            calls = load(f"tcp://{address}", "benchmark.v1.Permissions", "Check",
                         ("--template", '1: "user" 2: "device.unlock" 3: "dev_1" 4: "unt_1"'))
            return CountedServer(process, prefix).per_call(calls)
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
        command, self.prefix = counted(f"{name}-service", self.folder)
        return command

    def per_call(self, calls):
        return CountedServer(self.running[self.counted], self.prefix).per_call(calls)


def check(folder):
    with CountedSuite(folder, "tenancy") as running:
        credential, message = services.question(running)
        return running.per_call(load(running.targets["tenancy"], "tenancy.v1.Permissions", "Check",
                                   ("--template", message), credential))


def durable_write(folder):
    with CountedSuite(folder, "tenancy") as running:
        credential, _ = services.question(running)
        return running.per_call(load(running.targets["tenancy"], "tenancy.v1.Portfolios", "Create",
                                   ("--template", '1: "Load"'), credential))


def sign_in(folder):
    with CountedSuite(folder, "auth", settings=CHEAP_HASHES) as running:
        running.client("signup", "load@example.com", "Load")
        request = f'1: "load@example.com" 2: "{hashing.PASSWORD}"'
        return running.per_call(load(running.targets["auth"], "auth.v1.Authentication", "SignIn",
                                   ("--template", request)))


PARTS = {
    "empty_call_in_a_task": lambda _: library(),
    "empty_call_on_the_fast_path": lambda _: library("--fast-path"),
    "check": check,
    "durable_write": durable_write,
    "sign_in_without_its_hash": sign_in,
}


def compare(found, record):
    """Prints each figure beside the recorded one; whether none has grown too far."""
    is_fine = True
    print(f"{'instructions per call':32} {'recorded':>10} {'now':>10} {'change':>8}")
    for name, count in found.items():
        before = record.get(name)
        if before is None:
            print(f"{name:32} {'':>10} {count:>10}")
            continue
        growth = (count / before - 1) * 100
        is_fine = is_fine and growth <= GROWTH_MAX
        mark = "" if growth <= GROWTH_MAX else f"  more than {GROWTH_MAX:g} % above the record"
        print(f"{name:32} {before:>10} {count:>10} {growth:>+7.1f}%{mark}")
    return is_fine


def measure(options):
    """Measures the wanted parts; writes the record, or with --check compares with it."""
    if not options.skip_build:
        services.build(extra=("benchmark-server",))
    for tool in ("valgrind", "callgrind_control"):
        if not shutil.which(tool):
            sys.exit(f"benchmarks/run: needs {tool} (scripts/setup --benchmarks)")
    wanted = options.parts.split(",") if options.parts else list(PARTS)
    for name in wanted:
        if name not in PARTS:
            sys.exit(f"benchmarks/run: no part {name}; there are: {', '.join(PARTS)}")
    found = {}
    for name in wanted:
        with tempfile.TemporaryDirectory(dir=peers.WORK) as folder:
            found[name] = PARTS[name](folder)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    is_fine = compare(found, record)
    if options.check:
        return 0 if is_fine else 1
    RECORD.write_text(json.dumps({**record, **found}, indent=1) + "\n")
    return 0
