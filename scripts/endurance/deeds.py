"""Calls that make events of all three services, with what each of them has to make."""

import threading

from .people import PASSWORD, Person

UNITS, BATCH = 100, 25


class Tenant:
    """A portfolio or a family with its own people, and what they do by turns."""

    def __init__(self, installation, number, note):
        self.installation, self.number, self.note = installation, number, note
        self.owner = Person(installation, f"tenant-{number}")
        self.members = [Person(installation, f"tenant-{number}-{one}") for one in range(4)]
        self.root = self.owner.call("tenancy", "POST", "portfolios", {"name": f"Tenant {number}"})["id"]
        self.house = self.owner.call("tenancy", "POST", f"portfolios/{self.root}/properties", {"name": "House"})["id"]
        self.units = self._create(UNITS)
        self.count = 0
        # Who has a role in which unit.
        self.holders = {}

    def _create(self, count, request=None):
        made = []
        while len(made) < count:
            body = {"entities": [{"type": "unit", "parentId": self.house, "name": f"Unit {one}"} for one in range(BATCH)],
                    "idempotencyKey": request or f"begin-{self.number}-{len(made)}"}
            made += self.owner.call("tenancy", "POST", "entities:batch-create", body, request=request)["entityIds"]
        return made

    def step(self, rng):
        """One call or two, each noted with its request, the type of its events, and how many there are to be."""
        self.count += 1
        name = f"run-{self.number}-{self.count}"
        deed = rng.choices((self._make, self._grant, self._rename, self._profile, self._sign_in), (3, 6, 6, 2, 1))[0]
        deed(rng, name)

    def _make(self, rng, name):
        self._create(BATCH, name)
        self.note(name, "entity.created", BATCH)

    def _grant(self, rng, name):
        """Grants a role in some units, or takes one of those away."""
        member = rng.choice(self.members)
        free = [unit for unit in self.units if (unit, member.id) not in self.holders]
        if len(free) < BATCH:
            for number, unit in enumerate(rng.sample(self.units, 10)):
                if self.holders.pop((unit, member.id), None):
                    request = f"{name}-{number}"
                    self.owner.call("tenancy", "POST", "roles/revoke", {
                        "entityId": unit, "role": "tenant", "userId": member.id, "idempotencyKey": request}, request=request)
                    self.note(request, "role.ended", 1)
            return
        chosen = rng.sample(free, BATCH)
        self.owner.call("tenancy", "POST", "roles:batch-grant", {
            "roles": [{"entityId": unit, "role": "tenant", "userId": member.id} for unit in chosen],
            "idempotencyKey": name}, request=name)
        self.holders |= {(unit, member.id): True for unit in chosen}
        self.note(name, "role.granted", BATCH)

    def _rename(self, rng, name):
        # A few objects with many events, so that their order is tested.
        unit = rng.choice(self.units[:10])
        self.owner.call("tenancy", "PATCH", f"units/{unit}", {"name": name, "idempotencyKey": name}, request=name)
        self.note(name, "entity.updated", 1)

    def _profile(self, rng, name):
        rng.choice(self.members).call("auth", "PATCH", "users/me", {"displayName": name, "idempotencyKey": name}, request=name)
        self.note(name, "user.updated", 1)

    def _sign_in(self, rng, name):
        member = rng.choice(self.members)
        answer = self.installation.call(rng, "auth", "POST", "auth/login", {
            "email": member.email, "password": PASSWORD, "idempotencyKey": name}, request=name)
        if answer.refusal:
            raise answer.refusal
        self.note(name, "session.created", 1)
        token = answer.data["tokens"]["accessToken"]
        ended = self.installation.call(rng, "auth", "POST", "auth/logout", {}, token, request=f"{name}-end")
        # One that was done already, whose answer was lost, is refused.
        if ended.refusal and ended.attempts == 1:
            raise ended.refusal
        self.note(f"{name}-end", "session.ended", 1)


class Family:
    """A child whose points are redeemed: events of EntitlementService."""

    def __init__(self, installation, number, note):
        self.installation, self.number, self.note = installation, number, note
        self.owner = Person(installation, f"family-{number}")
        self.child = Person(installation, f"child-{number}")
        self.owner.call("auth", "PUT", "users/me/pin", {"pin": "739146"})
        self.root = self._entity("family", "")
        self.holder = self._entity("child", self.root)
        self.owner.call("tenancy", "POST", "roles:batch-grant", {
            "roles": [{"entityId": self.holder, "role": "child", "userId": self.child.id}]})
        proof = self.owner.call("auth", "POST", "auth/step-up/pin", {"pin": "739146", "purpose": "points.set_rules"})
        installation.once("entitlement", installation.names("entitlement")[0], "PUT", f"points/{self.holder}/rules", {
            "rule": {"app": "app", "pointsPerMinute": 1000, "pointsPerRewardMinute": 1}}, proof["token"]["token"])
        self.owner.call("entitlement", "POST", f"points/{self.holder}/earn", {"app": "app", "minutes": 1400})
        self.count = 0

    def _entity(self, kind, parent):
        return self.owner.call("tenancy", "POST", "entities", {
            "entity": {"type": kind, "parentId": parent, "name": kind}})["id"]

    def step(self, rng):
        self.count += 1
        name = f"run-family-{self.number}-{self.count}"
        self.child.call("entitlement", "POST", f"points/{self.holder}/redeem", {
            "parts": [{"app": "app", "points": "1"}], "reward": "time", "idempotencyKey": name}, request=name)
        self.note(name, "points.changed", 1)


class Notes:
    """The acknowledged calls, with the events that each has to make."""

    def __init__(self):
        self.by_request, self.count, self._lock = {}, 0, threading.Lock()

    def of(self, root):
        def note(request, kind, count):
            with self._lock:
                self.by_request[request] = (root(), kind, count)
                self.count += count
        return note
