"""Units that are made twice with one key, and in places that are being deleted."""

import threading
import time

from ..people import Person


class Places:
    name = "places"

    def prepare(self, stage):
        self.stage = stage
        self.owner = Person(stage.installation, "places-owner")
        self.portfolio = self.owner.call("tenancy", "POST", "portfolios", {"name": "Places"})["id"]
        self.house = self._house("that stays", "places-stays")
        self.made, self.deleted, self.orphans = {}, 0, []

    def threads(self):
        yield self._make
        yield self._delete

    def _house(self, name, key):
        return self.owner.call("tenancy", "POST", f"portfolios/{self.portfolio}/properties",
                               {"name": name, "idempotencyKey": key})["id"]

    def _unit(self, house, name, program, answers):
        answers.append(self.stage.installation.call(
            self.stage.random(f"{name} {program}"), "tenancy", "POST", f"properties/{house}/units",
            {"name": name, "idempotencyKey": f"key of {name}"}, self.owner.shows, program))

    def _make(self):
        """The same request at both programs at once: one unit."""
        rng, count = self.stage.random("places"), 0
        while not self.stage.is_over():
            count += 1
            name, answers = f"unit {count}", []
            threads = [threading.Thread(target=self._unit, args=(self.house, name, program, answers))
                       for program in self.stage.installation.names("tenancy")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if any(answer.refusal for answer in answers) or not answers:
                self.stage.problems.add("a unit was not made", f"{name}: {answers}")
                continue
            ids = {answer.data["id"] for answer in answers}
            if len(ids) != 1:
                self.stage.problems.add("a request was carried out twice", f"{name}: {answers}")
            self.made[name] = ids.pop()
            time.sleep(rng.uniform(0, 0.2))

    def _delete(self):
        """A place that is deleted while units are made in it: none of them stays."""
        rng, count = self.stage.random("places deleted"), 0
        names = self.stage.installation.names("tenancy")
        while not self.stage.is_over():
            count += 1
            house = self._house(f"that goes {count}", f"places-goes-{count}")
            answers, is_over = [], threading.Event()

            def fill(program, house=house, count=count, answers=answers, is_over=is_over):
                number = 0
                while not is_over.is_set():
                    number += 1
                    self._unit(house, f"{count} {program} {number}", program, answers)

            threads = [threading.Thread(target=fill, args=(program,)) for program in names]
            for thread in threads:
                thread.start()
            time.sleep(rng.uniform(0, 0.5))
            deletion = self.stage.installation.call(
                rng, "tenancy", "DELETE", f"properties/{house}?cascade=true&idempotencyKey=places-delete-{count}", None,
                self.owner.shows)
            time.sleep(0.1)
            is_over.set()
            for thread in threads:
                thread.join()
            if deletion.refusal:
                self.stage.problems.add("a place was not deleted", f"{house}: {deletion}")
                continue
            self.deleted += 1
            for answer in answers:
                if answer.refusal:
                    continue
                self.orphans.append(answer.data["id"])
                if answer.start > deletion.end:
                    self.stage.problems.add("a unit was made in a place that was gone", f"{house}, {deletion}: {answer}")

    def judge(self):
        listed, token = [], ""
        while True:
            page = self.owner.call("tenancy", "GET", f"properties/{self.house}/units?limit=1000&pageToken={token}")
            listed += [(unit["name"], unit["id"]) for unit in page["units"]]
            token = page["pagination"]["nextPageToken"]
            if not token:
                break
        if sorted(listed) != sorted(self.made.items()):
            odd = set(listed) ^ set(self.made.items())
            self.stage.problems.add("units are not those that were acknowledged", (
                f"{len(listed)} listed, {len(self.made)} acknowledged, {sorted(odd)[:5]}"))
        names = self.stage.installation.names("tenancy")
        for number, unit in enumerate(self.orphans):
            program = names[number % len(names)]
            answer = self.stage.installation.call(self.stage.random(unit), "tenancy", "GET", f"units/{unit}", None,
                                                  self.owner.shows, program)
            if not answer.refusal or answer.refusal.status != 404:
                self.stage.problems.add("a unit outlived its place", f"{unit}: {answer}")
        return (f"{len(self.made)} units made by two requests with one key, {self.deleted} places deleted while "
                f"{len(self.orphans)} units were made in them")
