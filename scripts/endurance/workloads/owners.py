"""Two owners who leave at the same moment at two programs: one of them has to stay."""

import threading
import time

from ..people import Person

PAIRS = 2


class Owners:
    name = "owners"

    def prepare(self, stage):
        self.stage = stage
        self.pairs = []
        for number in range(PAIRS):
            people = [Person(stage.installation, f"owner-{number}-{which}") for which in "ab"]
            place = people[0].call("tenancy", "POST", "portfolios", {"name": f"Owners {number}"})["id"]
            self._grant(people[0], place, people[1], f"owners-{number}-begin")
            self.pairs.append((place, people))
        self.rounds = self.lost = 0

    def threads(self):
        for number in range(PAIRS):
            yield lambda number=number: self._run(number)

    def _grant(self, giver, place, taker, key):
        role = {"entityId": place, "role": "owner", "userId": taker.id}
        giver.call("tenancy", "POST", "roles:batch-grant", {"roles": [role], "idempotencyKey": key})

    def _run(self, number):
        place, people = self.pairs[number]
        rng, count = self.stage.random(f"owners {number}"), 0
        names = self.stage.installation.names("tenancy")
        while not self.stage.is_over():
            count += 1
            key, answers = f"owners-{number}-{count}", [None, None]

            def leave(which, program, random, key=key, answers=answers):
                answers[which] = self.stage.installation.call(
                    random, "tenancy", "POST", "roles/leave",
                    {"entityId": place, "role": "owner", "idempotencyKey": f"{key}-{which}"}, people[which].shows, program)

            threads = [threading.Thread(target=leave, args=(which, names[(which + count) % 2], self.stage.random(f"{key} {which}")))
                       for which in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if None in answers:
                self.stage.problems.add("no progress", f"{key}: owners could not leave")
                return
            gone = [which for which in range(2) if not answers[which].refusal]
            if len(gone) != 1:
                self.stage.problems.add("not one of two owners has left", f"{key}: {answers}")
                return
            if answers[1 - gone[0]].refusal.reason != "LAST_OWNER":
                self.stage.problems.add("an owner was refused for another reason", f"{key}: {answers}")
                return
            self.rounds += 1
            self._grant(people[1 - gone[0]], place, people[gone[0]], f"{key}-back")
            time.sleep(rng.uniform(0, 0.3))

    def judge(self):
        for place, people in self.pairs:
            for program in self.stage.installation.names("tenancy"):
                allowed = [one for one in people if one.call(
                    "tenancy", "POST", "permissions/check", {"action": "portfolio.delete", "entityId": place}, program)["allowed"]]
                if not allowed:
                    self.stage.problems.add("the last owner is gone", f"{place} at {program}")
        return f"{self.rounds} times two owners left at once"
