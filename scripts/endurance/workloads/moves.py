"""Devices that are moved between houses of two trees, while those who manage the houses ask what they may."""

import threading
import time

from ..calls import Unknown
from ..history import Read, Register
from ..people import Person

DEVICES = 2
ACTION = "device.view"


class Moves:
    name = "moves"

    def prepare(self, stage):
        self.stage = stage
        self.owner = Person(stage.installation, "moves-owner")
        # Two of one tree, and one of another.
        trees = [self._make("portfolios", f"tree-{number}") for number in range(2)]
        self.houses = [self._make(f"portfolios/{tree}/properties", f"house-{number}")
                       for number, tree in enumerate((trees[0], trees[0], trees[1]))]
        self.managers = {house: Person(stage.installation, f"moves-manager-{number}")
                         for number, house in enumerate(self.houses)}
        self.owner.call("tenancy", "POST", "roles:batch-grant", {"idempotencyKey": "moves-roles", "roles": [
            {"entityId": house, "role": "property_manager", "userId": manager.id}
            for house, manager in self.managers.items()]})
        first = self.houses[0]
        self.devices = [self._make("devices", f"device-{number}", {"type": "lock", "propertyId": first})
                        for number in range(DEVICES)]
        self.wanted = self._make("devices", "device-wanted", {"type": "lock", "propertyId": first})
        # Of each device: where it is, and of each house whether its manager may see it.
        self.places = [Register(f"place of device {number}", first) for number in range(DEVICES)]
        self.rights = [{house: Register(f"right of manager {at} to device {number}", house == first)
                        for at, house in enumerate(self.houses)} for number in range(DEVICES)]
        self.wanted_at, self.races, self.repeated, self.reads = first, 0, 0, 0

    def _make(self, path, name, body=None):
        return self.owner.call(
            "tenancy", "POST", path, {"name": name, "idempotencyKey": f"moves-{name}", **(body or {})})["id"]

    def threads(self):
        for number in range(DEVICES):
            yield lambda number=number: self._move(number)
            yield lambda number=number: self._read(number)
        yield self._race

    def _ask(self, requests):
        """The answers to moves that are asked for at once; each is a device, a program or None, and what is asked."""
        answers = [None] * len(requests)

        def ask(number, device, program, body):
            answers[number] = self.stage.installation.call(
                self.stage.random(f"{body['idempotencyKey']} {program}"), "tenancy", "POST", f"entities/{device}/move",
                body, self.owner.shows, program)

        threads = [threading.Thread(target=ask, args=(number, *request)) for number, request in enumerate(requests)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def _move(self, number):
        rng, count, last = self.stage.random(f"moves {number}"), 0, None
        device, place = self.devices[number], self.houses[0]
        registers = [self.places[number], *self.rights[number].values()]
        names = self.stage.installation.names("tenancy")
        while not self.stage.is_over():
            count += 1
            place = rng.choice([house for house in self.houses if house != place])
            body = {"parentId": place, "idempotencyKey": f"moves-{number}-{count}"}
            writes = [register.begin(value) for register, value in
                      zip(registers, (place, *(house == place for house in self.houses)))]
            start = time.monotonic()
            for write in writes:
                write.start = start
            # The same request at both, or at one of them.
            answers = self._ask([(device, name, body) for name in rng.choice((names, [rng.choice(names)]))])
            if None in answers or any(answer.refusal for answer in answers):
                self.stage.problems.add("a move was refused", f"{body}: {answers}")
                return
            revisions = {answer.data["revision"] for answer in answers}
            if len(revisions) != 1 or any(answer.data["parentId"] != place for answer in answers):
                self.stage.problems.add("a move was done twice, or to another place", f"{body}: {answers}")
            first = min(answers, key=lambda answer: answer.end)
            for write in writes:
                write.program, write.token, write.end = first.program, first.data["revision"], first.end
            if last and rng.random() < 0.3:
                self._repeat(device, *last)
            last = body, first
            time.sleep(rng.uniform(0, 0.3))

    def _repeat(self, device, body, before):
        """A move that was done, and that another one has followed, is asked for again: it stays undone."""
        again, = self._ask([(device, None, body)])
        self.repeated += 1
        if not again or again.refusal or again.data["revision"] != before.data["revision"]:
            self.stage.problems.add("a move that was asked for again was done again", f"{body}: {before}, then {again}")

    def _race(self):
        """Two moves of a device from the same revision to two houses at two programs: one is done."""
        rng, count, revision = self.stage.random("moves race"), 0, ""
        names = self.stage.installation.names("tenancy")
        while not self.stage.is_over():
            count += 1
            houses = [house for house in self.houses if house != self.wanted_at]
            if not revision:
                houses = houses[:1]
            requests = [(self.wanted, name, {"parentId": house, "expectedRevision": revision,
                                             "idempotencyKey": f"moves-race-{count}-{house}"})
                        for house, name in zip(houses, rng.sample(names, 2))]
            answers = self._ask(requests)
            done = [answer for answer in answers if answer and not answer.refusal]
            if len(done) != 1:
                self.stage.problems.add("not one of two moves from a revision was done", f"{requests}: {answers}")
                return
            if any(answer.refusal and answer.refusal.reason != "REVISION_MISMATCH" for answer in answers):
                self.stage.problems.add("a move was refused for another reason", f"{requests}: {answers}")
            self.wanted_at, revision = done[0].data["parentId"], done[0].data["revision"]
            self.races += len(houses) > 1
            time.sleep(rng.uniform(0, 0.3))

    def _read(self, number):
        rng, last = self.stage.random(f"moves reader {number}"), {}
        names = self.stage.installation.names("tenancy")
        while not self.stage.is_over():
            house = rng.choice((None, *self.houses))
            register = self.rights[number][house] if house else self.places[number]
            after = token = None
            if rng.random() < 0.6:
                after = register.newest_acknowledged()
                token = after and after.token
                if house in last and rng.random() < 0.5:
                    after, token = last[house]
            found = (self._check(number, house, rng.choice(names), token) if house
                     else self._look(number, rng.choice(names), token))
            if found:
                value, answer = found
                read = Read(value, answer.start, answer.end, answer.program, after)
                register.add(read)
                last[house] = read, answer.data["revision"]
                self.reads += 1
            time.sleep(rng.uniform(0, 0.05))

    def _once(self, program, method, path, body, person):
        try:
            answer = self.stage.installation.once("tenancy", program, method, path, body, person.token)
        except Unknown:
            return None
        if answer.refusal:
            self.stage.problems.add("a question about a device was refused", f"{path} {body}: {answer}")
            return None
        return answer

    def _check(self, number, house, program, token):
        """Whether the manager of a house may see a device, with the answer."""
        body = {"action": ACTION, "entityId": self.devices[number], **({"atLeastRevision": token} if token else {})}
        answer = self._once(program, "POST", "permissions/check", body, self.managers[house])
        return answer and (answer.data["allowed"], answer)

    def _look(self, number, program, token):
        """The house whose manager may see a device, with the answer: of all houses one has it, at each moment."""
        path = f"permissions/subjects?entityId={self.devices[number]}&action={ACTION}&atLeastRevision={token or ''}"
        answer = self._once(program, "GET", path, None, self.owner)
        if answer is None or answer.data["nextPageToken"]:
            return None
        people = {subject["userId"] for subject in answer.data["subjects"]}
        houses = [house for house, manager in self.managers.items() if manager.id in people]
        if len(houses) != 1 or self.owner.id not in people:
            self.stage.problems.add("a device is not in one place", f"device {number}: {houses}, {answer}")
            return None
        return houses[0], answer

    def judge(self):
        oldest = 0.0
        for register in (*self.places, *(one for rights in self.rights for one in rights.values())):
            oldest = max(oldest, register.judge(self.stage.faults, self.stage.problems))
        expected = {device: register.writes[-1].value if register.writes else register.initial
                    for device, register in zip(self.devices, self.places)} | {self.wanted: self.wanted_at}
        for program in self.stage.installation.names("tenancy"):
            listed = {house: {one["id"] for one in self.owner.call(
                "tenancy", "GET", f"devices?propertyId={house}", None, program)["devices"]} for house in self.houses}
            for device, place in expected.items():
                found = [house for house in self.houses if device in listed[house]]
                if found != [place]:
                    self.stage.problems.add("a device is elsewhere than it was moved last", (
                        f"{device} at {program}: {found}, expected {place}"))
        return (f"{sum(len(register.writes) for register in self.places)} moves, {self.repeated} asked for again later, "
                f"{self.races} times two from one revision, {self.reads} looks, the oldest answer {oldest:.2f} s old")
