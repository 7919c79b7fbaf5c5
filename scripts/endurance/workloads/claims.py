"""Devices with a code that two people claim at once: one of them gets each."""

import threading
import time

from ..people import Person

DEVICES = 60


class Claims:
    name = "claims"

    def prepare(self, stage):
        self.stage = stage
        self.operator = Person(stage.installation, "claims-operator")
        stage.fleet.grant_super_admin(self.operator.id)
        self.operator.renew()
        self.devices = []
        for number in range(DEVICES):
            made = self.operator.call("tenancy", "POST", "devices:provision", {"name": f"Lock {number}", "type": "lock"})
            self.devices.append((made["device"]["id"], made["claimCode"]))
        self.people = [Person(stage.installation, f"claims-{number}") for number in range(8)]
        self.houses = {}
        for person in self.people:
            place = person.call("tenancy", "POST", "portfolios", {"name": "Claims"})["id"]
            self.houses[person] = person.call(
                "tenancy", "POST", f"portfolios/{place}/properties", {"name": "Claims"})["id"]
        self.claimed = {}

    def threads(self):
        yield self._run

    def _run(self):
        rng = self.stage.random("claims")
        names = self.stage.installation.names("tenancy")
        for device, code in self.devices:
            if self.stage.is_over():
                return
            pair, answers = rng.sample(self.people, 2), {}

            def claim(person, program, device=device, code=code, answers=answers):
                answers[person] = self.stage.installation.call(
                    self.stage.random(f"{device} {program}"), "tenancy", "POST", "devices:claim",
                    {"code": code, "propertyId": self.houses[person], "idempotencyKey": f"claim-{device}"},
                    person.shows, program)

            threads = [threading.Thread(target=claim, args=row) for row in zip(pair, rng.sample(names, 2))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            won = [person for person in answers if not answers[person].refusal]
            # Who came second may be one of those who have tried too often.
            if len(won) > 1:
                self.stage.problems.add("a device was claimed twice", f"{device}: {answers}")
            elif not won:
                self.stage.problems.add("a device was claimed by neither", f"{device}: {answers}")
            else:
                self.claimed[device] = won[0]
            time.sleep(rng.uniform(0.2, 2))

    def judge(self):
        for number, (device, person) in enumerate(self.claimed.items()):
            names = self.stage.installation.names("tenancy")
            found = person.call("tenancy", "GET", f"devices/{device}", None, names[number % len(names)])
            if found["propertyId"] != self.houses[person]:
                self.stage.problems.add("a device is elsewhere than acknowledged", f"{device}: {found}")
        return f"{len(self.claimed)} devices claimed by two people at once"
