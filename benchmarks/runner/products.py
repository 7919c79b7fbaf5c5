"""Points and documents of users, beside the same in PostgreSQL."""

import json

from . import peers, processes
from .postgres import Postgres, programs

FAMILY = peers.REPOSITORY / "policies/family.json"
APP = "com.example.math"
CHILDREN = 100
# Callers at a time: as many connections as the peer gets.
SHAPE = ("--connections", 8, "--in-flight", 8)

LEDGER = """
CREATE TABLE account (id int PRIMARY KEY, points bigint NOT NULL CHECK (points >= 0),
  entries bigint NOT NULL);
CREATE TABLE entry (account int, number bigint, kind smallint NOT NULL, app text NOT NULL,
  points bigint NOT NULL, balance bigint NOT NULL, actor text NOT NULL, occurred_at timestamptz NOT NULL,
  PRIMARY KEY (account, number));
INSERT INTO account SELECT id, 1000000000, 0 FROM generate_series(1, 100) id;
"""
# One statement, so that a redemption is one round trip and one transaction.
REDEEM = """
\\set account random(1, {accounts})
WITH moved AS (
  UPDATE account SET points = points - 1, entries = entries + 1
  WHERE id = :account AND points >= 1 RETURNING id, points, entries)
INSERT INTO entry SELECT id, entries, 2, 'com.example.math', 1, points, 'usr_01980000000000000000000000', now()
FROM moved;
"""

DOCUMENTS = """
CREATE TABLE document (owner text, collection text, id text, revision bigint NOT NULL, content jsonb NOT NULL,
  updated_at timestamptz NOT NULL, PRIMARY KEY (owner, collection, id));
"""
CONTENT = '{"mood": 3, "note": "slept well, walked for an hour", "tags": ["calm"]}'
PUT = f"""
\\set number random(0, 999)
INSERT INTO document VALUES ('usr_01980000000000000000000000', 'moods', 'm' || :number, 1, '{CONTENT}', now())
ON CONFLICT (owner, collection, id) DO UPDATE
SET content = excluded.content, revision = document.revision + 1, updated_at = excluded.updated_at;
"""


def field(number, value):
    """A field of a message with text, bytes or a small number."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    value = value.encode() if isinstance(value, str) else value
    assert len(value) < 128, "the length must fit into one byte"
    return bytes([number << 3 | 2, len(value)]) + value


def called(suite, method, token=None, **request):
    return json.loads(suite.client("call", method, json.dumps(request), token=token))


def session(suite):
    """A new user's credential."""
    suite.client("signup", "load@example.com", "Load")
    token = json.loads((suite.folder / "session.json").read_text())["access_token"]
    return f"authorization=Bearer {token}"


def children_with_points(suite):
    """Children of one family, each with more points than a run can redeem; the user has the role of each."""
    user = json.loads((suite.folder / "session.json").read_text())["user_id"]
    family = called(suite, "Entities/Create", entity={"type": "family", "name": "Load"})["id"]
    made = called(suite, "Entities/BatchCreate",
                  entities=[{"type": "child", "name": f"Child {number}", "parentId": family}
                            for number in range(CHILDREN)])
    children = made["entityIds"]
    rule = {"app": APP, "points_per_minute": 1000, "points_per_reward_minute": 1}
    pin = {"familyId": family, "pin": "482915"}
    called(suite, "StepUp/SetFamilyPin", **pin)
    token = called(suite, "StepUp/VerifyFamilyPin", **pin)["token"]["token"]
    for child in children:
        called(suite, "Points/SetRule", token, holder_id=child, rule=rule)
        called(suite, "Roles/Grant", role={"entityId": child, "role": "child", "userId": user})
        called(suite, "Points/Earn", holder_id=child, app=APP, minutes=1440)
    return children


def write_redemptions(path, children):
    with open(path, "wb") as file:
        for child in children:
            message = field(1, child) + field(2, field(1, APP) + field(2, 1)) + field(3, "games")
            file.write(bytes([len(message)]) + message)


def without_errors(found):
    """What was measured; refused calls are cheaper, so none may be among them."""
    if found["errors"]:
        raise RuntimeError(f"rpcload: {found}")
    return found


def peer(folder, options, schema, scripts):
    """Rates of scripts in a fresh PostgreSQL, on the core that the service had; None without one."""
    if programs() is None:
        return {name: None for name in scripts}
    with Postgres(folder + "/postgres", processes.SERVER_CORE) as postgres:
        postgres.execute(schema)
        return {name: postgres.rate(script, options.seconds) for name, script in scripts.items()}


def points(suite_of, load, options, folder):
    """Durable redemptions per second, over a hundred accounts and over one."""
    found = {}
    with suite_of(folder, settings={"tenancy": {"policy": str(FAMILY)}},
                  cores={"entitlement": processes.SERVER_CORE}) as suite:
        credential = session(suite)
        children = children_with_points(suite)
        for name, holders in {"spread": children, "hot": children[:1]}.items():
            requests = suite.folder / f"{name}.bin"
            write_redemptions(requests, holders)
            found[name] = without_errors(
                load(suite.targets["entitlement"], requests, credential, options, *SHAPE,
                     method="entitlement.v1.Points/Redeem"))
    found["postgres"] = peer(folder, options, LEDGER,
                             {"spread": REDEEM.format(accounts=CHILDREN), "hot": REDEEM.format(accounts=1)})
    return found


def documents(suite_of, load, options, folder):
    """Durable changes of a thousand documents of one user per second."""
    with suite_of(folder, cores={"tenancy": processes.SERVER_CORE}) as suite:
        credential = session(suite)
        content = CONTENT.replace("{", "{{").replace('"', '\\"')
        template = f'1 {{ 1: "moods" 2: "m{{n:1000}}" 3: "{content}" }}'
        found = without_errors(load(suite.targets["tenancy"], template, credential, options, *SHAPE,
                                    method="tenancy.v1.Documents/Put"))
    found["postgres"] = peer(folder, options, DOCUMENTS, {"put": PUT})["put"]
    return found
