"""Rolls two programs of each service on PostgreSQL one after the other, over a store that is expanded, under a load.

Clients stand for a gateway: they hand a call to a program that says it is ready, and to the other one if that gives no
answer; what changes something goes with an idempotency key. A call fails if no program has answered it in time.
"""

import argparse
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.request

from .calls import Installation, Refused, Unknown, send
from .faults import WRITTEN
from .people import Person
from .postgres import Postgres
from .programs import SERVICES, Fleet, nice, programs_argument

PORTS = (20_500,)
# What a client waits for an answer, attempts at both programs together.
SECONDS_MAX = 5
THREADS = 16
# What gateways ask for, and how often.
LOOK_SECONDS = 0.1


class Balance:
    """Which programs of a service are ready."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.ready = {one.name: True for one in fleet.all}
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._look, args=(one,), daemon=True) for one in fleet.all]
        for thread in self._threads:
            thread.start()

    def programs(self, service, turn):
        """Those to try, in order: first what is ready, then the rest."""
        programs = self.fleet.by_service[service]
        programs = programs[turn % len(programs):] + programs[:turn % len(programs)]
        return sorted(programs, key=lambda one: not self.ready[one.name])

    def end(self):
        self._over.set()

    def _look(self, one):
        while not self._over.wait(LOOK_SECONDS):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{one.admin}/readyz", timeout=1) as answer:
                    self.ready[one.name] = answer.status == 200
            except OSError:
                self.ready[one.name] = False


class Load:
    """Calls at fixed times, whatever the services do."""

    def __init__(self, balance, rate, deeds):
        self.balance, self.rate, self.deeds = balance, rate, deeds
        self.durations, self.repeated, self.failed, self.late = [], 0, [], 0
        self._over, self._lock = threading.Event(), threading.Lock()
        self._begin = time.monotonic()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(THREADS)]
        for thread in self._threads:
            thread.start()

    def end(self):
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number):
        turn = number
        while not self._over.is_set():
            due = self._begin + turn / self.rate
            now = time.monotonic()
            if now < due:
                time.sleep(due - now)
            elif now > due + 1:
                self.late += 1
            self._call(turn, due)
            turn += THREADS

    def _call(self, turn, due):
        service, method, path, body, token = self.deeds[turn % len(self.deeds)](turn)
        attempts, error = 0, None
        while time.monotonic() < due + SECONDS_MAX:
            for one in self.balance.programs(service, turn):
                attempts += 1
                try:
                    send(one.port, method, path, body, token, seconds=2)
                    return self._note(due, attempts, None)
                except Refused as refused:
                    return self._note(due, attempts, f"{method} {path} at {one.name}: {refused}")
                except Unknown as unknown:
                    error = f"{method} {path} at {one.name}: {unknown}"
            time.sleep(0.02)
        return self._note(due, attempts, error)

    def _note(self, due, attempts, error):
        with self._lock:
            self.durations.append(time.monotonic() - due)
            self.repeated += attempts > 1
            if error:
                self.failed.append(error)


def deeds(installation):
    """Ten kinds of calls, by the number of a call: nine read, one changes something."""
    owner = Person(installation, "owner")
    portfolio = owner.call("tenancy", "POST", "portfolios", {"name": "Rolled"})["id"]
    house = owner.call("tenancy", "POST", f"portfolios/{portfolio}/properties", {"name": "Rolled"})["id"]
    units = [owner.call("tenancy", "POST", f"properties/{house}/units", {"name": f"{number}"})["id"]
             for number in range(50)]
    owner.renew()
    token = owner.token

    def unit(turn):
        return units[turn // 10 % len(units)]

    def check(turn):
        return ("tenancy", "POST", "permissions/check", {"action": "unit.update", "entityId": unit(turn)}, token)

    return [
        lambda turn: ("tenancy", "PATCH", f"units/{unit(turn)}",
                      {"name": f"{turn}", "idempotencyKey": f"rolled-{turn}"}, token),
        lambda turn: ("tenancy", "GET", f"units/{unit(turn)}", None, token),
        lambda turn: ("tenancy", "GET", "portfolios", None, token),
        lambda turn: ("auth", "GET", "users/me", None, token),
        lambda turn: ("auth", "GET", "users/me/sessions", None, token),
        lambda turn: ("entitlement", "GET", "entitlements", None, token),
        check, check, check, check,
    ]


def run(fleet, postgres, arguments):
    """The lines of the report, and whether all is as it should be."""
    made = deeds(Installation(fleet.ports))
    balance = Balance(fleet)
    load = Load(balance, arguments.rate, made)
    began = time.monotonic()
    time.sleep(arguments.seconds)
    silence = []
    for turn in range(arguments.rounds):
        for service in SERVICES:
            postgres.expand(service, WRITTEN[service], f"rolled_{turn}")
            for one in fleet.by_service[service]:
                start = time.monotonic()
                if code := one.end(60):
                    load.failed.append(f"{one.name} ended with {code}")
                one.start()
                one.wait()
                silence.append(time.monotonic() - start)
                time.sleep(arguments.seconds)
    load.end()
    balance.end()
    durations = sorted(load.durations)
    percent = lambda share: 1000 * durations[min(len(durations) - 1, int(len(durations) * share))]
    versions = {service: postgres.versions(service) for service in SERVICES}
    lines = [
        f"{len(silence)} programs were ended and started again on stores that had been expanded, each away for "
        f"{max(silence):.1f} s at most",
        f"{len(durations)} calls in {time.monotonic() - began:.0f} s ({arguments.rate} a second were due), p50 "
        f"{percent(0.5):.1f} ms, p99 {percent(0.99):.1f} ms, longest {1000 * durations[-1]:.0f} ms",
        f"{load.repeated} went to a second program or a second time, {len(load.failed)} failed",
        f"versions of tables and of the oldest programs that may use them: {versions}",
    ]
    if load.late:
        lines.append(f"{load.late} calls began more than a second late: the machine has no room for this rate")
    lines += [f"FAILED: {text}" for text in load.failed[:10]]
    return lines, not load.failed


def main():
    parser = argparse.ArgumentParser(prog="long-tests/roll-out", description=__doc__)
    programs_argument(parser)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--rate", type=int, default=500)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    nice()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="roll-out.", dir="/tmp"))
    # The server is another user's.
    folder.chmod(0o711)
    postgres = Postgres(folder / "postgresql", PORTS, SERVICES)
    fleet, is_kept = None, True
    try:
        fleet = Fleet(arguments.programs, folder, 2,
                      lambda one: {"store": postgres.address(one.service, PORTS)})
        fleet.start()
        lines, is_right = run(fleet, postgres, arguments)
        for line in lines:
            print(f"roll-out: {line}", flush=True)
        is_kept = not is_right
        return 0 if is_right else 1
    finally:
        if fleet:
            fleet.close()
        postgres.close()
        if is_kept:
            print(f"roll-out: settings and logs are in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
