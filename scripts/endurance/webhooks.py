"""Makes many events while receivers fail and services are killed, and checks what arrived, in which order, and how often."""

import argparse
import collections
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback

from .calls import Installation, Refused
from .deeds import Family, Notes, Tenant
from .history import Problems
from .programs import SERVICES, Fleet, nice, programs_argument
from .receivers import VERIFIERS, ReceiverProcess

TENANTS, FAMILIES = 3, 1
RECEIVERS_PORT = 20_600
# Types of AuthService belong to no tenant.
OF_NO_TENANT = ("user.", "session.", "credential.", "account.")
# Longer than the second pause of the schedule, more or less a tenth.
SILENCE_MAX = 360


class Run:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.problems, self.notes = Problems(), Notes()
        self.random = random.Random(f"webhooks {arguments.seed}")
        # Their budget of log bounds what one user may change in an hour.
        common = {"events": True, "log_budget_mib": 1_048_576}
        self.fleet = Fleet(arguments.programs, folder, 1, lambda one: {"database": str(folder / f"{one.service}.db")}, {
            "auth": common, "entitlement": common,
            "tenancy": common | {"webhooks": {"allowed_networks": ["127.0.0.0/8"], "per_second": 10000}}})
        self.receivers = ReceiverProcess(arguments.seed, RECEIVERS_PORT, str(folder / "received.jsonl"))
        self.fleet.start()
        self.installation = Installation(self.fleet.ports)
        # By path: the root of what it hears of, the identifier, who made it.
        self.webhooks, self.sources = {}, []
        self.kills, self.memory, self.awayness = collections.Counter(), collections.Counter(), 0
        self._over = threading.Event()

    def prepare(self):
        for number in range(TENANTS):
            self._add(Tenant, number)
        for number in range(FAMILIES):
            self._add(Family, number)
        operator = self.sources[0].members[0]
        self.fleet.grant_super_admin(operator.id)
        operator.renew()
        self._subscribe("/all", "sys_root", operator)
        for number, source in enumerate(self.sources):
            self._subscribe(f"/tenant-{number}", source.root, source.owner)

    def _add(self, kind, number):
        holder = []
        source = kind(self.installation, number, self.notes.of(lambda: holder[0].root))
        holder.append(source)
        self.sources.append(source)

    def _subscribe(self, path, root, maker):
        made = maker.call("tenancy", "POST", f"entities/{root}/webhooks",
                          {"url": f"http://127.0.0.1:{RECEIVERS_PORT}{path}", "types": []})
        self.receivers.tell(path=path, secret=made["secret"])
        answer = maker.call("tenancy", "POST", f"webhooks/{made['webhook']['id']}/ping", {})
        assert answer["isAnswered"], answer
        self.webhooks[path] = root, made["webhook"]["id"], maker

    # What goes on at once.

    def _do(self, source, number):
        rng = random.Random(f"{self.arguments.seed} {number}")
        while self.notes.count < self.arguments.events and not self._over.is_set():
            source.step(rng)

    def _kill(self):
        while not self._over.wait(self.arguments.kill_every):
            one = self.fleet.all[sum(self.kills.values()) % len(self.fleet.all)]
            one.kill()
            time.sleep(self.random.uniform(0, 1))
            one.start()
            one.wait()
            self.kills[one.service] += 1

    def _go_away(self):
        """A receiver that fails for a moment counts as down, and is tried again after five seconds."""
        while not self._over.wait(self.random.uniform(20, 40)):
            self.receivers.tell(path=self.random.choice(list(self.webhooks)), away=3)
            self.awayness += 1

    def _measure(self):
        while not self._over.wait(1):
            for one in self.fleet.all:
                self.memory[one.service] = max(self.memory[one.service], one.memory())

    def _guarded(self, body):
        def run():
            try:
                body()
            except Exception:
                self.problems.add("a client came to an end", traceback.format_exc(limit=-4))
        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def go(self):
        started = time.monotonic()
        working = [self._guarded(lambda source=source, number=number: self._do(source, number))
                   for number, source in enumerate(self.sources)]
        faults = [self._guarded(body) for body in (self._kill, self._go_away, self._measure)]
        last = 0
        while any(thread.is_alive() for thread in working):
            time.sleep(1)
            if self.notes.count - last >= self.arguments.events // 5:
                last = self.notes.count
                print(f"webhooks: {last} events after {time.monotonic() - started:.0f} s", flush=True)
        self.made_seconds = time.monotonic() - started
        self._until_delivered()
        self._over.set()
        for thread in faults:
            thread.join()
        self._until_delivered()
        self.seconds = time.monotonic() - started

    def _waiting(self):
        waiting = {}
        for path, (_, webhook, maker) in self.webhooks.items():
            found = maker.call("tenancy", "GET", f"webhooks/{webhook}")
            waiting[path] = int(found.get("waitingCount", 0)), found["state"]
        return waiting

    def _until_delivered(self):
        """Until nothing waits, as long as something still arrives."""
        last, since, told = None, time.monotonic(), time.monotonic()
        while True:
            waiting = self._waiting()
            if not any(count for count, _ in waiting.values()):
                # What services have told nobody yet is asked for twice a second.
                time.sleep(3)
                if not any(count for count, _ in self._waiting().values()):
                    return
            if waiting != last:
                last, since = waiting, time.monotonic()
            if time.monotonic() - told > 30:
                told = time.monotonic()
                print(f"webhooks: waiting: {sum(count for count, _ in waiting.values())}", flush=True)
            if time.monotonic() - since > SILENCE_MAX:
                self.problems.add("events wait, and nothing arrives", f"{waiting}")
                return
            time.sleep(2)

    # What has to hold.

    def judge(self):
        lines = self.receivers.lines()
        self._judge_requests(lines)
        received = self._judge_events(lines)
        self._judge_order(lines)
        self._judge_replay(received)
        for service, size in self.memory.items():
            if size > self.arguments.memory_max:
                self.problems.add("more memory than allowed", f"{service}: {size} MiB, of {self.arguments.memory_max}")
        hows = collections.Counter(line["how"] for line in lines if "event" in line)
        taken = sum(len(ids) for ids in received.values())
        count = self.notes.count
        yield (f"{count} events of acknowledged calls in {self.made_seconds:.0f} s ({count / self.made_seconds:.0f} a "
               f"second), all delivered after {self.seconds:.0f} s")
        yield (f"{taken} deliveries to {len(self.webhooks)} webhooks ({taken / self.seconds:.0f} a second), "
               f"{len(lines)} requests, {hows['200'] - taken} more that were taken twice")
        yield f"signatures verified by {len(VERIFIERS)} implementations"
        yield "answers: " + ", ".join(f"{count} × {how}" for how, count in hows.most_common())
        yield (f"kills: {', '.join(f'{count} {service}' for service, count in sorted(self.kills.items())) or 'none'}; "
               f"receivers away {self.awayness} times")
        yield "memory at most: " + ", ".join(f"{service} {size} MiB" for service, size in sorted(self.memory.items()))

    def _judge_requests(self, lines):
        digests = {}
        for line in lines:
            if not line["signed"]:
                self.problems.add("a request that is not signed, or not to a receiver", f"{line}")
                continue
            if line["type"] != "application/cloudevents+json; charset=utf-8" or not line.get("same", True):
                self.problems.add("a request of another form", f"{line}")
            if digests.setdefault((line["path"], line["id"]), line["digest"]) != line["digest"]:
                self.problems.add("an event with two contents", f"{line}")

    def _judge_events(self, lines):
        """What each webhook has taken: identifiers of events with their lines."""
        taken = {path: {} for path in self.webhooks}
        for line in lines:
            if line["how"] in ("200", "taken, no answer") and "event" in line:
                taken[line["path"]].setdefault(line["id"], line)
        for path, (root, _, _) in self.webhooks.items():
            found = collections.Counter((line["request"], line["event"]) for line in taken[path].values())
            lost, doubled = 0, 0
            for request, (of_root, kind, count) in self.notes.by_request.items():
                is_for_it = path == "/all" or of_root == root and not kind.startswith(OF_NO_TENANT)
                there = found[request, f"gatehouse.{kind}"]
                if there < count * is_for_it:
                    lost += count - there
                    self.problems.add("events were lost", f"{path}: {count} {kind} of {request}, {there} arrived")
                elif there > count * is_for_it:
                    doubled += there - count
                    self.problems.add("more events than calls", f"{path}: {count} {kind} of {request}, {there} arrived")
            for line in taken[path].values():
                if line["event"] == "gatehouse.webhook.resync":
                    self.problems.add("events were said to be lost", f"{line}")
        return taken

    def _judge_order(self, lines):
        """Of an object of a service, nothing arrives before all that was before it was taken."""
        lanes = collections.defaultdict(list)
        for line in lines:
            if "event" in line and not line["replay"]:
                lanes[line["path"], line["source"], line["subject"]].append(line)
        for lane, requests in lanes.items():
            newest, untaken = 0, None
            for line in requests:
                if line["sequence"] < newest:
                    self.problems.add("an event after a later one", f"{lane}: {line['sequence']} after {newest}: {line}")
                if untaken and line["sequence"] > untaken:
                    self.problems.add("an event before an earlier one was taken", f"{lane}: {line}, before {untaken}")
                newest = max(newest, line["sequence"])
                untaken = None if line["how"] == "200" else line["sequence"]

    def _judge_replay(self, taken):
        """All of a tenant's events are sent again, with the same identifiers."""
        path = min(taken, key=lambda one: len(taken[one]))
        _, webhook, maker = self.webhooks[path]
        body = {"since": "2020-01-01T00:00:00Z"}
        count = maker.call("tenancy", "POST", f"webhooks/{webhook}/replay", body | {"isDryRun": True})["count"]
        if count != len(taken[path]):
            self.problems.add("a replay counts other events", f"{path}: {count} of {len(taken[path])}")
        before = len(self.receivers.lines())
        maker.call("tenancy", "POST", f"webhooks/{webhook}/replay", body)
        self._until_delivered()
        again = [line for line in self.receivers.lines()[before:] if line["replay"] and line["path"] == path]
        if {line["id"] for line in again} != set(taken[path]):
            self.problems.add("a replay was of other events", f"{path}: {len(again)} of {len(taken[path])}")
        self._judge_requests(again)
        print(f"webhooks: {count} events of {path} were sent again", flush=True)

    def close(self):
        self.fleet.close()
        self.receivers.close()


def main():
    parser = argparse.ArgumentParser(prog="long-tests/webhooks", description=__doc__)
    programs_argument(parser)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill-every", type=float, default=15)
    parser.add_argument("--memory-max", type=int, default=512)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    nice()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="webhooks.", dir="/tmp"))
    run, is_kept = None, True
    try:
        run = Run(arguments, folder)
        run.prepare()
        print(f"webhooks: {arguments.events} events, seed {arguments.seed}", flush=True)
        run.go()
        for line in list(run.judge()):
            print(f"webhooks: {line}", flush=True)
        if not run.problems:
            is_kept = arguments.keep
            print("webhooks: each event arrived, in its order")
            return 0
        for line in run.problems.lines():
            print(f"webhooks: WRONG: {line}", flush=True)
        return 1
    finally:
        if run:
            run.close()
        if is_kept:
            print(f"webhooks: stores, logs and what was received are in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
