"""A number that several clients raise by one, each if it is still what they have read."""

import time

from ..calls import Unknown
from ..people import Person

COUNTERS, WRITERS = 2, 2


class Counters:
    name = "counters"

    def prepare(self, stage):
        self.stage = stage
        self.owner = Person(stage.installation, "counters-owner")
        portfolio = self.owner.call("tenancy", "POST", "portfolios", {"name": "Counters"})["id"]
        house = self.owner.call("tenancy", "POST", f"portfolios/{portfolio}/properties", {"name": "Counters"})["id"]
        self.units = [self.owner.call("tenancy", "POST", f"properties/{house}/units", {"name": "0"})["id"]
                      for _ in range(COUNTERS)]
        # Of each: the values that were acknowledged, with the token of their revision.
        self.raised = [{} for _ in range(COUNTERS)]
        self.refused = 0

    def threads(self):
        for number in range(COUNTERS):
            for writer in range(WRITERS):
                yield lambda number=number, writer=writer: self._run(number, writer)

    def _run(self, number, writer):
        rng, count = self.stage.random(f"counters {number} {writer}"), 0
        unit, raised = self.units[number], self.raised[number]
        names = self.stage.installation.names("tenancy")
        while not self.stage.is_over():
            count += 1
            known = max(raised, default=0)
            start = time.monotonic()
            try:
                answer = self.stage.installation.once("tenancy", rng.choice(names), "GET", f"units/{unit}", None,
                                                      self.owner.token)
            except Unknown:
                time.sleep(0.05)
                continue
            if answer.refusal:
                self.stage.problems.add("a unit was refused", f"{answer}")
                return
            value = int(answer.data["name"])
            # Reads of units ask the store, which has what was acknowledged.
            if value < known and not self._may_be_relieved(answer, start):
                self.stage.problems.add("a read without what was acknowledged before", (
                    f"counter {number} at {answer.program}, {start:.3f}: {value}, although {known} was acknowledged"))
            answer = self.stage.installation.call(
                rng, "tenancy", "PATCH", f"units/{unit}",
                {"name": str(value + 1), "expectedRevision": answer.data["revision"],
                 "idempotencyKey": f"counters-{number}-{writer}-{count}"}, self.owner.shows)
            if answer.refusal and answer.refusal.reason == "REVISION_MISMATCH":
                self.refused += 1
            elif answer.refusal:
                self.stage.problems.add("a change of a unit was refused", f"{answer}")
            elif value + 1 in raised:
                self.stage.problems.add("an update was lost", f"counter {number}: two clients raised it to {value + 1}: {answer}")
            else:
                raised[value + 1] = answer
            time.sleep(rng.uniform(0, 0.1))

    def _may_be_relieved(self, answer, start):
        """Whether the program may have read from a server that another one has taken over from."""
        return (self.stage.postgres.MAY_BE_RELIEVED
                and self.stage.faults.touched(answer.program, start, answer.end))

    def judge(self):
        for number, unit in enumerate(self.units):
            for program in self.stage.installation.names("tenancy"):
                value = int(self.owner.call("tenancy", "GET", f"units/{unit}", None, program)["name"])
                if value != len(self.raised[number]) or value != max(self.raised[number], default=0):
                    self.stage.problems.add("a counter is not the sum of what was acknowledged", (
                        f"counter {number} at {program}: {value}, acknowledged {len(self.raised[number])}"))
        return f"{sum(map(len, self.raised))} raised numbers, {self.refused} that others had raised first"
