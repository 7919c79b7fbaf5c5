"""Points that are redeemed at both programs: never more than there are, and none twice."""

import threading
import time

from ..people import Person

APPS = 3
EARNED_MINUTES, EARNED_MINUTES_MAX, PER_MINUTE, PART = 100, 1400, 1000, 500


class Points:
    name = "points"

    def prepare(self, stage):
        self.stage = stage
        # Where a fault of servers may last for a minute, points last for the run, to see when they are written again.
        self.minutes = EARNED_MINUTES
        if stage.postgres.FAULTS_ARE_LONG:
            self.minutes = min(EARNED_MINUTES_MAX, max(EARNED_MINUTES, 2 * stage.seconds))
        self.parent = Person(stage.installation, "points-parent")
        self.child = Person(stage.installation, "points-child")
        self.parent.call("auth", "PUT", "users/me/pin", {"pin": "739146"})
        family = self._entity("family", "")
        self.holder = self._entity("child", family)
        self.parent.call("tenancy", "POST", "roles:batch-grant", {"roles": [
            {"entityId": self.holder, "role": "child", "userId": self.child.id}], "idempotencyKey": "points-role"})
        self.apps = [f"app-{number}" for number in range(APPS)]
        for app in self.apps:
            proof = self.parent.call("auth", "POST", "auth/step-up/pin", {"pin": "739146", "purpose": "points.set_rules"})
            answer = stage.installation.call(
                stage.random(app), "entitlement", "PUT", f"points/{self.holder}/rules",
                {"rule": {"app": app, "pointsPerMinute": PER_MINUTE, "pointsPerRewardMinute": 100}},
                proof["token"]["token"])
            assert not answer.refusal, answer
            self.parent.call("entitlement", "POST", f"points/{self.holder}/earn",
                             {"app": app, "minutes": self.minutes, "idempotencyKey": f"earn-{app}"})
        self.spent = {app: 0 for app in self.apps}
        self.refused, self._lock = 0, threading.Lock()

    def _entity(self, kind, parent):
        return self.parent.call("tenancy", "POST", "entities", {
            "entity": {"type": kind, "parentId": parent, "name": kind}, "idempotencyKey": f"points-{kind}"})["id"]

    def threads(self):
        for number in range(3):
            yield lambda number=number: self._run(number)

    def _run(self, number):
        rng, count = self.stage.random(f"points {number}"), 0
        while not self.stage.is_over():
            count += 1
            app = rng.choice(self.apps)
            body = {"parts": [{"app": app, "points": str(PART)}], "reward": "time", "idempotencyKey": f"redeem-{number}-{count}"}
            begun = self.spent[app]
            answer = self.stage.installation.call(
                rng, "entitlement", "POST", f"points/{self.holder}/redeem", body, self.child.shows)
            if answer.refusal and answer.refusal.reason == "INSUFFICIENT_POINTS":
                self.refused += 1
                # Others may have a redemption on its way, whose answer is not there yet.
                if begun + 4 * PART <= self.minutes * PER_MINUTE - PART:
                    self.stage.problems.add("points were missing that must have been there", f"{app}: {begun} spent, {answer}")
            elif answer.refusal:
                self.stage.problems.add("a redemption was refused", f"{answer}")
            else:
                with self._lock:
                    self.spent[app] += PART
            time.sleep(rng.uniform(0, 0.2))

    def judge(self):
        for program in self.stage.installation.names("entitlement"):
            balances = {row["app"]: int(row["points"]) for row in self.parent.call(
                "entitlement", "GET", f"points/{self.holder}", None, program)["balances"]}
            for app in self.apps:
                left = self.minutes * PER_MINUTE - self.spent[app]
                if balances[app] != left or left < 0:
                    self.stage.problems.add("points are not what was acknowledged", (
                        f"{app} at {program}: {balances[app]}, and {left} are left of what was redeemed"))
        numbers, token = [], ""
        while True:
            page = self.parent.call("entitlement", "GET", f"points/{self.holder}/history?limit=1000&pageToken={token}")
            numbers += [int(entry["number"]) for entry in page["entries"]]
            token = page["pagination"]["nextPageToken"]
            if not token:
                break
        if sorted(numbers) != list(range(1, len(numbers) + 1)):
            self.stage.problems.add("the history of points has gaps or doubles", f"{len(numbers)} entries")
        return f"{sum(self.spent.values()) // PART} redemptions, {self.refused} refused for want of points"
