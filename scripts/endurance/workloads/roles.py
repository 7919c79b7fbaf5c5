"""Roles that are granted and revoked, while others ask with and without a revision whether they count."""

import time

from ..calls import Unknown
from ..history import Read, Register
from ..people import Person

COUNT = 4


class Roles:
    name = "roles"

    def prepare(self, stage):
        self.stage = stage
        self.owner = Person(stage.installation, "roles-owner")
        self.members = [Person(stage.installation, f"roles-member-{number}") for number in range(COUNT)]
        self.places = [self.owner.call("tenancy", "POST", "portfolios", {"name": f"Roles {number}"})["id"]
                       for number in range(COUNT)]
        self.registers = [Register(f"role of member {number}", False) for number in range(COUNT)]
        self.reads = 0

    def threads(self):
        yield lambda: self._write(range(0, COUNT, 2))
        yield lambda: self._write(range(1, COUNT, 2))
        for number in range(3):
            yield lambda number=number: self._read(number)

    def _write(self, numbers):
        rng, count = self.stage.random(f"roles {numbers}"), 0
        while not self.stage.is_over():
            for number in numbers:
                count += 1
                place, member, register = self.places[number], self.members[number].id, self.registers[number]
                wanted = not (register.writes[-1].value if register.writes else False)
                key = f"roles-{number}-{count}"
                role = {"entityId": place, "role": "portfolio_admin", "userId": member}
                path, body = ("roles:batch-grant", {"roles": [role]}) if wanted else ("roles/revoke", role)
                write = register.begin(wanted)
                write.start = time.monotonic()
                answer = self.stage.installation.call(
                    rng, "tenancy", "POST", path, body | {"idempotencyKey": key}, self.owner.shows)
                if answer.refusal:
                    self.stage.problems.add("a change of a role was refused", f"{path} {key}: {answer}")
                    continue
                if not wanted and answer.data["removed"] != 1:
                    self.stage.problems.add("an acknowledged role was not there", f"{key}: {answer}")
                write.program, write.token, write.end = answer.program, answer.data["revision"], answer.end
                # Somewhere else, before that has asked for what is new.
                for program in self.stage.installation.names("tenancy"):
                    if program != answer.program:
                        self._check(number, program, write, write.token)
            time.sleep(rng.uniform(0, 0.2))

    def _read(self, number):
        rng, last = self.stage.random(f"roles reader {number}"), {}
        while not self.stage.is_over():
            which = rng.randrange(COUNT)
            after = token = None
            if rng.random() < 0.6:
                after = self.registers[which].newest_acknowledged()
                token = after and after.token
                if which in last and rng.random() < 0.5:
                    after, token = last[which]
            found = self._check(which, rng.choice(self.stage.installation.names("tenancy")), after, token)
            if found:
                last[which] = found
            time.sleep(rng.uniform(0, 0.05))

    def _check(self, which, program, after, token):
        """Asks one program once; the read with the token of its answer."""
        body = {"action": "portfolio.view", "entityId": self.places[which]}
        if token:
            body["atLeastRevision"] = token
        try:
            answer = self.stage.installation.once(
                "tenancy", program, "POST", "permissions/check", body, self.members[which].token)
        except Unknown:
            return None
        if answer.refusal:
            self.stage.problems.add("a check was refused", f"{body}: {answer}")
            return None
        read = Read(answer.data["allowed"], answer.start, answer.end, program, after)
        self.registers[which].add(read)
        self.reads += 1
        return read, answer.data["revision"]

    def judge(self):
        oldest = 0.0
        for register in self.registers:
            oldest = max(oldest, register.judge(self.stage.faults, self.stage.problems))
        for number, register in enumerate(self.registers):
            expected = register.writes[-1].value if register.writes else False
            body = {"action": "portfolio.view", "entityId": self.places[number]}
            for program in self.stage.installation.names("tenancy"):
                found = self.members[number].call("tenancy", "POST", "permissions/check", body, program)["allowed"]
                if found != expected:
                    self.stage.problems.add("a program has another role than was acknowledged last", (
                        f"{register.name} at {program}: {found}"))
        writes = sum(len(one.writes) for one in self.registers)
        return f"{writes} grants and revocations, {self.reads} checks, the oldest answer {oldest:.2f} s old"
