"""The checklist of the stables' app: what each role and tier shows, by the property wrappers, with real services."""

import json
import re

from endurance.programs import ROOT

from .stage import said, until

ADDONS = ["invoicing"]


def _table():
    """Names of the app's actions, with the roles that have each, from docs/guides/stables.md."""
    text = (ROOT / "docs/guides/stables.md").read_text()
    rows = re.findall(r"^\| \w+ \| `(\w+)` \| `[\w.]+` \| ([^|]+) \|", text, re.M)
    return {action: re.findall(r"`(\w+)`", roles) for action, roles in rows}


def _flags():
    """The flags of the stables' app, and those of each tier."""
    catalogue = json.loads((ROOT / "tiers/default.json").read_text())
    flags = [name for name, feature in catalogue["features"].items()
             if feature["kind"] == "flag" and name not in ("invoicing", "compliancePack")]
    return flags, {tier["name"]: tier["features"] for tier in catalogue["tiers"] if tier["name"] != "premium"}


LEVELS = {
    "basic_care": (["notes", "specialInstructions", "equipment"],
                   ["groom", "rider", "trainer", "training_admin", "saddle_maker"]),
    "professional": (["ueln", "chipNumber", "medicalNotes"], ["veterinarian", "dentist", "farrier", "inseminator"]),
    "management": (["ownerName", "ownerEmail"], ["administrator", "stable_manager"]),
}


class Stables:
    """An organization with a stable and a horse, whose owner and operator are apps as well."""

    def __init__(self, stage):
        self.stage = stage
        self.owner, _, _ = stage.person()
        self.operator, _, name = stage.person()
        stage.fleet.grant_super_admin(self.operator("state").split()[2])
        said(self.operator(f"sign-in {name}"), "ok signedIn")
        self.organization = self.made("organization", "Hillside", None)
        said(self.owner(f"select {self.organization}"), "ok signedIn")
        self.tier("enterprise")
        self.horse = self.made("horse", "Bella", self.made("stable", "North", self.organization))

    def made(self, kind, name, parent):
        return said(self.owner(f"make {kind} {name} {parent or ''}"), "ok ").split()[1]

    def tier(self, tier, *addons):
        body = {"subscription": {"subject": {"kind": "SUBJECT_KIND_ORGANIZATION", "id": self.organization}, "tier": tier,
                                 "addons": [{"name": addon} for addon in addons]}}
        said(self.operator(f"send PUT subscriptions {json.dumps(body)}"), "ok ")

    def grant(self, user, role):
        # Owners of horses see none but their own.
        for place in [self.organization, self.horse] if role == "horse_owner" else [self.organization]:
            body = {"role": {"entityId": place, "role": role, "userId": user}}
            said(self.owner(f"send POST roles {json.dumps(body)}"), "ok ")


def shown(app, kind, names, expected, who):
    """Each name is shown or hidden as expected."""
    answer = said(app(f"{kind} {' '.join(names)}"), "ok ").split()[1]
    actual = {name for name, bit in zip(names[-len(answer):], answer) if bit == "1"}
    wrong = actual ^ set(expected)
    assert not wrong, f"{who}: {sorted(wrong)} of {kind} is not as in docs/guides/stables.md"
    return len(answer)


def checklist(stage):
    """33 actions for each of 16 roles, the fields of a horse, and 13 flags in each tier."""
    stables, table = Stables(stage), _table()
    roles = sorted({role for roles in table.values() for role in roles})
    cells = 0
    for role in roles:
        app, _, _ = stage.person()
        stables.grant(app("state").split()[2], role)
        said(app(f"select {stables.organization}"), "ok signedIn")
        cells += shown(app, "permissions", list(table), [action for action in table if role in table[action]], role)
        shown(app, "roles", roles, [role], role)
        for fields, seen_by in LEVELS.values():
            bits = "1" if role in ["horse_owner", *seen_by, *_above(seen_by)] else "0"
            answer = said(app(f"fields {stables.horse} {' '.join(fields)}"), "ok ").split()[1]
            assert answer == bits * len(fields), f"{role}: {fields} {answer}"
        app.kill()
    assert (len(table), len(roles), cells) == (33, 16, 528), (len(table), len(roles), cells)
    _tiers(stables)


def _above(seen_by):
    """Roles of higher levels, which see lower ones as well."""
    order = [LEVELS[level][1] for level in ("basic_care", "professional", "management")]
    return [role for roles in order[order.index(seen_by) + 1:] for role in roles]


def _tiers(stables):
    flags, tiers = _flags()
    assert len(flags) == 13, flags
    for tier, features in tiers.items():
        stables.tier(tier, *ADDONS)
        expected = [flag for flag in flags if features.get(flag)] + ADDONS

        def is_known():
            said(stables.owner("refresh"), "ok signedIn")
            return stables.owner("tier") == f"ok {tier}"
        until(f"the tier {tier}", is_known, seconds=20)
        shown(stables.owner, "features", flags + ADDONS, expected, tier)
