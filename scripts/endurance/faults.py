"""Faults of programs, of the ways to their store and of servers, by a seed, with the times at which they reigned."""

import functools
import random
import subprocess
import threading
import time

# A drain takes 30 s at most (`drain_timeout`), and the store is closed after it.
DRAIN_MAX = 45
# After the end of a fault, until a program has connected again and heard of all commits.
GRACE = 3
# After the last fault, until all programs are ready.
READY_MAX = 60
# A program that was stopped inside of a transaction holds its locks for five seconds.
EXPANSION_MAX = 60
# How long a fault waits for the end of one of servers.
SERVER_MAX = 10
# A table of each service that the workloads write all the time.
WRITTEN = {"auth": "session", "tenancy": "entity", "entitlement": "points_entry"}


class Faults:
    """Injects faults until it is ended; `touched` tells whether a program was out of order during a time."""

    def __init__(self, fleet, postgres, relay, seed, report, kinds=None):
        self.fleet, self.postgres, self.relay, self.report = fleet, postgres, relay, report
        self.random = random.Random(f"faults {seed}")
        self.counts = {}
        self.restarts = 0
        # Faults of servers, as `Switch`.
        self.switches = []
        # How often the store of a service was expanded.
        self.expansions = {}
        servers = [(weight, kind, functools.partial(self._fail, kind)) for kind, weight in postgres.FAULTS.items()]
        others = [
            (4, "kill", self._kill), (3, "update", self._update), (4, "stop", self._stop), (3, "cut", self._cut),
            (3, "half-open", self._half_open), (3, "lost answers", self._lose_answers),
            (4, "lost commit", self._lose_commit), (4, "terminate", self._terminate),
            *([] if postgres.FAULTS_ARE_LONG else servers),
            (4, "clock", self._clock), (2, "migration", self._migrate)]
        # Each as program, start, end; the end is absent while it lasts.
        self._spans = []
        self._busy = {one.name: threading.Lock() for one in fleet.all}
        self._server = threading.Lock()
        self._ended = threading.Event()
        chosen = [[row for row in rows if not kinds or row[1] in kinds]
                  for rows in (others, others, *([servers] if postgres.FAULTS_ARE_LONG else []))]
        self._threads = [threading.Thread(target=self._run, args=(random.Random(f"{seed} {number}"), rows), daemon=True)
                         for number, rows in enumerate(chosen) if rows]

    def start(self):
        for thread in self._threads:
            thread.start()

    def end(self):
        """Ends with everything in order again."""
        self._ended.set()
        for thread in self._threads:
            thread.join()
        for one in self.fleet.all:
            self.relay.change(one.name, "pass")
        deadline = time.monotonic() + READY_MAX
        for one in self.fleet.all:
            try:
                self.restarts += one.wait(max(1, deadline - time.monotonic()))
            except TimeoutError as error:
                # A supervisor would start it again, so the end can be judged.
                self.report("a program is not ready after the last fault", f"{error}")
                one.kill()
                one.start()
                one.wait()

    def touched(self, program, since, until):
        """Whether a fault of a program, or of the server, reigned at any time between two instants."""
        return any(name in (program, "*") and start <= until and (end is None or end + GRACE >= since)
                   for name, start, end in list(self._spans))

    def _run(self, rng, kinds):
        while not self._ended.wait(rng.uniform(0.3, 2.5)):
            kind = rng.choices(kinds, [weight for weight, _, _ in kinds])[0]
            try:
                is_done = kind[2](rng) is not False
            except Exception as error:
                self.report("a fault failed", f"{kind[1]}: {error!r}")
                return
            self.counts[kind[1]] = self.counts.get(kind[1], 0) + is_done

    def _program(self, rng):
        """A program without another fault; None if all have one."""
        for one in rng.sample(self.fleet.all, len(self.fleet.all)):
            if self._busy[one.name].acquire(blocking=False):
                return one
        return None

    def _reign(self, name, body, begin):
        """Notes that a fault reigns from before `begin` until after `body`."""
        span = [name, time.monotonic(), None]
        self._spans.append(span)
        try:
            begin()
            body()
        finally:
            span[2] = time.monotonic()

    def _on_program(self, rng, begin, body):
        one = self._program(rng)
        if one is None:
            return
        try:
            self._reign(one.name, lambda: body(one), lambda: begin(one))
        finally:
            self._busy[one.name].release()

    def _kill(self, rng):
        def again(one):
            time.sleep(rng.uniform(0, 1.5))
            one.start()
            self.restarts += one.wait()
        self._on_program(rng, lambda one: one.kill(), again)

    def _update(self, rng):
        def end(one):
            if code := one.end(DRAIN_MAX):
                self.report("a program that was to end did not end well", f"{one.name}: exit code {code}; see {one.log}")

        def again(one):
            one.start()
            self.restarts += one.wait()
        self._on_program(rng, end, again)

    def _stop(self, rng):
        def again(one):
            time.sleep(rng.uniform(2, 12))
            one.go_on()
            self.restarts += one.wait()
        self._on_program(rng, lambda one: one.stop(), again)

    def _way(self, rng, mode, seconds):
        def again(one):
            time.sleep(seconds)
            self.relay.change(one.name, "pass")
            self.restarts += one.wait()
        self._on_program(rng, lambda one: self.relay.change(one.name, mode), again)

    def _cut(self, rng):
        self._way(rng, "cut", rng.uniform(0, 4))

    def _half_open(self, rng):
        self._way(rng, rng.choice(("deaf", "silent")), rng.uniform(0.2, 8))

    def _lose_answers(self, rng):
        # Long enough for a commit or two, whose answers are lost with the connection.
        self._way(rng, "mute", rng.uniform(0.01, 0.3))

    def _lose_commit(self, rng):
        self._way(rng, rng.choice(("lose a commit", "lose its answer")), rng.uniform(0.5, 2))

    def _terminate(self, rng):
        return self._at_server(lambda: self.postgres.end_connections(rng.choice((1, 3))))

    def _at_server(self, begin):
        """While no other fault of servers reigns: whether it was; those of Patroni are too long to be waited for."""
        if not self._server.acquire(timeout=SERVER_MAX):
            return False
        try:
            self._reign("*", lambda: None, begin)
            return True
        finally:
            self._server.release()

    def _clock(self, rng):
        one = rng.choice(self.fleet.all)
        # Nothing is to be noticed of it, so it is no time during which a program may be behind.
        self.fleet.clocks.set(one.name, rng.uniform(-1, 1) * self.fleet.clocks.error_max)

    def _migrate(self, rng):
        """Does what an expanding step of the next version does; from then on all programs are older than the store."""
        service = rng.choice(sorted(WRITTEN))
        # Writes wait for it, and reads of the table: a program hears of others late.
        return self._at_server(lambda: self._expand(service))

    def _expand(self, service):
        number = self.expansions.get(service, 0) + 1
        deadline = time.monotonic() + EXPANSION_MAX
        while True:
            try:
                self.postgres.expand(service, WRITTEN[service], f"expansion_{number}")
                break
            except subprocess.CalledProcessError:
                # It did not get the turn or the table in time, as a program that would be started again.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.3)
        self.expansions[service] = number

    def _fail(self, kind, rng):
        """Programs find the servers again by themselves."""
        def again():
            for one in self.fleet.all:
                if self._busy[one.name].acquire(blocking=False):
                    try:
                        self.restarts += one.wait()
                    finally:
                        self._busy[one.name].release()
        with self._server:
            self._reign("*", again, lambda: self.switches.append(self.postgres.fail(kind, rng)))
