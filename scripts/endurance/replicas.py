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

from .app_store import AppStore
from .calls import Installation
from .clocks import Clocks
from .faults import Faults
from .history import Problems
from .patroni import Patroni
from .postgres import Postgres
from .programs import SERVICES, Fleet, nice, programs_argument
from .relay import Relay
from .switches import judge_switches
from .workloads.claims import Claims
from .workloads.counters import Counters
from .workloads.imports import Imports
from .workloads.moves import Moves
from .workloads.owners import Owners
from .workloads.places import Places
from .workloads.points import Points
from .workloads.purchases import Purchases
from .workloads.roles import Roles
from .workloads.sessions import Sessions

WORKLOADS = (Roles, Owners, Counters, Places, Moves, Claims, Points, Purchases, Sessions, Imports)
KINDS = ("kill", "update", "stop", "cut", "half-open", "lost answers", "lost commit", "terminate", "clock", "migration")
# Of the first port of a run: the servers, the ways to them (as many again after the second), the programs and, with
# Patroni, what manages the servers.
SERVERS, WAYS, PROGRAMS, MANAGERS = (0, 20), 1, 500, 40
FIRST_PORT, FIRST_PORT_OF_PATRONI = 20_500, 22_500


class Stage:
    """What the workloads share."""

    def __init__(self, arguments, folder):
        self.seed, self.seconds, self.folder = arguments.seed, arguments.seconds, folder
        self.problems = Problems()
        self._over = threading.Event()
        self.first_port = FIRST_PORT_OF_PATRONI if arguments.patroni else FIRST_PORT
        clocks = Clocks(folder, arguments.clocks) if "clock" in (arguments.fault or KINDS) else None
        self.postgres = self._servers(arguments, folder / "postgresql")
        self.ports = self.postgres.ports
        self.ways, self.relay, self.fleet = {}, None, None
        try:
            self.app_store = AppStore(folder / "app-store")
            self.fleet = Fleet(arguments.programs, folder, 2, self._store, {"entitlement": self.app_store.settings},
                               first_port=self.first_port + PROGRAMS, clocks=clocks)
            self.relay = Relay(self.ways)
            self.postgres.watch(self.relay.server)
            self.fleet.start()
        except BaseException:
            self.close()
            raise
        self.installation = Installation(self.fleet.ports)
        self.faults = Faults(self.fleet, self.postgres, self.relay, self.seed,
                             self.problems.add, arguments.fault)

    def _servers(self, arguments, folder):
        ports = tuple(self.first_port + one for one in SERVERS)
        if arguments.patroni:
            return Patroni(folder, ports, SERVICES, self.first_port + MANAGERS, not arguments.asynchronous,
                           arguments.failsafe)
        has_standby = not arguments.fault or {"promote", "old primary"} & set(arguments.fault)
        return Postgres(folder, ports if has_standby else ports[:1], SERVICES)

    def _store(self, program):
        # A way to each server is as far from it as that of the other server.
        offset = WAYS + len(self.ways)
        self.ways[program.name] = {port + offset: port for port in self.ports}
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
        # It says to the relay which servers are there.
        self.postgres.close()
        if self.relay:
            self.relay.close()


def guarded(stage, name, body):
    """A thread whose end by an error is a problem. It ends with the run, also when that is ended from outside."""
    def run():
        try:
            body()
        except Exception:
            stage.problems.add(f"{name} came to an end", traceback.format_exc(limit=-4))
    return threading.Thread(target=run, daemon=True)


def judged(stage, workload):
    """The line of a workload; one that cannot be judged is a problem."""
    try:
        return f"{workload.name}: {workload.judge()}"
    except Exception:
        stage.problems.add(f"{workload.name} cannot be judged", traceback.format_exc(limit=-4))
        return f"{workload.name}: not judged"


def judge_times(stage):
    """How many changes were looked at: the times of commits do not go back, whatever the clocks of programs say."""
    count = 0
    for service in SERVICES:
        seen, back = stage.postgres.query(
            "SELECT count(*), count(*) FILTER (WHERE recorded_at < before) FROM (SELECT recorded_at, lag(recorded_at)"
            f" OVER (ORDER BY revision) AS before FROM {service}.change_log) AS change").split("|")
        count += int(seen)
        if int(back):
            stage.problems.add("changes that are older than those before them", f"{back} of {seen} of {service}")
    return count


def judge_versions(stage, before):
    """How often each store was expanded: its version has risen by as much, and older programs may still work on it."""
    expansions = stage.faults.expansions
    for service in SERVICES:
        tables, oldest = before[service]
        expected = (tables + expansions.get(service, 0), oldest)
        if (found := stage.postgres.versions(service)) != expected:
            stage.problems.add("a store has another version than its migrations gave it", (
                f"{service}: {found}, expected {expected}"))
    return ", ".join(f"{service} {expansions[service]} times" for service in SERVICES if service in expansions)


def run(stage, arguments, workloads):
    """The lines of the report."""
    for workload in workloads:
        workload.prepare(stage)
    print(f"replicas: {len(workloads)} workloads for {arguments.seconds} s, seed {stage.seed}", flush=True)
    before = {service: stage.postgres.versions(service) for service in SERVICES}
    threads = [guarded(stage, workload.name, body) for workload in workloads for body in workload.threads()]
    for thread in threads:
        thread.start()
    if arguments.fault != ["none"]:
        stage.faults.start()
    time.sleep(arguments.seconds)
    over = time.monotonic()
    stage.end()
    if arguments.fault != ["none"]:
        stage.faults.end()
    for thread in threads:
        thread.join()
    lines = [judged(stage, workload) for workload in workloads]
    lines.append(f"times: {judge_times(stage)} changes looked at")
    if expanded := judge_versions(stage, before):
        lines.append(f"versions: stores were expanded beside their programs: {expanded}")
    for text in stage.installation.surprises:
        stage.problems.add("an answer INTERNAL", text)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(stage.faults.counts.items()))
    lines.append(f"faults: {counts or 'none'}; {stage.faults.restarts} programs ended by themselves and were started again")
    lines += judge_switches(stage, over)
    answered = stage.installation.counts
    lines.append(f"calls: {answered['answered']} with an answer that decides, {answered['undecided']} without")
    return lines


def main():
    parser = argparse.ArgumentParser(prog="long-tests/replicas", description=__doc__)
    programs_argument(parser)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=[one.name for one in WORKLOADS])
    parser.add_argument("--fault", action="append")
    parser.add_argument("--patroni", action="store_true")
    parser.add_argument("--failsafe", action="store_true")
    parser.add_argument("--asynchronous", action="store_true")
    parser.add_argument("--clocks", type=float, default=20)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    known = [*KINDS, *(Patroni if arguments.patroni else Postgres).FAULTS, "none"]
    if unknown := set(arguments.fault or ()) - set(known):
        parser.error(f"no fault of this run: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
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
