"""Checks a history of calls at two programs of each service on one store, while programs, ways and the server fail."""

import argparse
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback

from .calls import Installation
from .faults import Faults
from .history import Problems
from .postgres import Postgres
from .programs import SERVICES, Fleet, nice, programs_argument
from .relay import Relay
from .workloads.claims import Claims
from .workloads.counters import Counters
from .workloads.owners import Owners
from .workloads.places import Places
from .workloads.points import Points
from .workloads.roles import Roles
from .workloads.sessions import Sessions

WORKLOADS = (Roles, Owners, Counters, Places, Claims, Points, Sessions)
KINDS = ("kill", "stop", "cut", "half-open", "lost answers", "lost commit", "terminate", "crash")
SERVER_PORT, FIRST_WAY = 20_500, 20_501


class Stage:
    """What the workloads share."""

    def __init__(self, arguments, folder):
        self.seed, self.folder = arguments.seed, folder
        self.problems = Problems()
        self._over = threading.Event()
        self.postgres = Postgres(folder / "postgresql", SERVER_PORT, SERVICES)
        self.ways, self.relay, self.fleet = {}, None, None
        try:
            self.fleet = Fleet(arguments.programs, folder, 2, self._store)
            self.relay = Relay(SERVER_PORT, self.ways)
            self.fleet.start()
        except BaseException:
            self.close()
            raise
        self.installation = Installation(self.fleet.ports)
        self.faults = Faults(self.fleet, self.postgres, self.relay, self.seed,
                             self.problems.add, arguments.fault)

    def _store(self, program):
        self.ways[program.name] = FIRST_WAY + len(self.ways)
        return {"store": self.postgres.address(program.service, self.ways[program.name])}

    def random(self, name):
        return random.Random(f"{self.seed} {name}")

    def is_over(self):
        return self._over.is_set()

    def end(self):
        self._over.set()

    def close(self):
        if self.fleet:
            self.fleet.close()
        if self.relay:
            self.relay.close()
        self.postgres.close()


def guarded(stage, name, body):
    """A thread whose end by an error is a problem."""
    def run():
        try:
            body()
        except Exception:
            stage.problems.add(f"{name} came to an end", traceback.format_exc(limit=-4))
    return threading.Thread(target=run)


def run(stage, arguments, workloads):
    """The lines of the report."""
    for workload in workloads:
        workload.prepare(stage)
    print(f"replicas: {len(workloads)} workloads for {arguments.seconds} s, seed {stage.seed}", flush=True)
    threads = [guarded(stage, workload.name, body) for workload in workloads for body in workload.threads()]
    for thread in threads:
        thread.start()
    if arguments.fault != ["none"]:
        stage.faults.start()
    time.sleep(arguments.seconds)
    stage.end()
    if arguments.fault != ["none"]:
        stage.faults.end()
    for thread in threads:
        thread.join()
    lines = [f"{workload.name}: {workload.judge()}" for workload in workloads]
    for text in stage.installation.surprises:
        stage.problems.add("an answer INTERNAL", text)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(stage.faults.counts.items()))
    lines.append(f"faults: {counts or 'none'}; {stage.faults.restarts} programs ended by themselves and were started again")
    answered = stage.installation.counts
    lines.append(f"calls: {answered['answered']} with an answer that decides, {answered['undecided']} without")
    return lines


def main():
    parser = argparse.ArgumentParser(prog="long-tests/replicas", description=__doc__)
    programs_argument(parser)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=[one.name for one in WORKLOADS])
    parser.add_argument("--fault", action="append", choices=[*KINDS, "none"])
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    nice()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="replicas.", dir="/tmp"))
    # The server is another user's.
    folder.chmod(0o711)
    stage, is_kept = None, True
    try:
        stage = Stage(arguments, folder)
        workloads = [one() for one in WORKLOADS if not arguments.only or one.name in arguments.only]
        for line in run(stage, arguments, workloads):
            print(f"replicas: {line}", flush=True)
        if not stage.problems:
            is_kept = arguments.keep
            print("replicas: the history is as one program could have written it")
            return 0
        for line in stage.problems.lines():
            print(f"replicas: WRONG: {line}", flush=True)
        return 1
    finally:
        if stage:
            stage.close()
        if is_kept:
            print(f"replicas: settings and logs are in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
