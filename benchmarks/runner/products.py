"""Points and documents of users, beside PostgreSQL: a bare table or two, and the rows that the services write."""

import functools
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from . import peers, processes, same_rows
from .postgres import Postgres, programs
from .service_load import without_errors
from .suite import SERVICES, Suite

FAMILY = peers.REPOSITORY / "policies/family.json"
APP = "com.example.math"
CHILDREN = 100
# Callers at a time: as many connections as the peer gets.
SHAPE = ("--connections", 8, "--in-flight", 8)
# Times that each script of PostgreSQL is measured, in turn.
PEER_ROUNDS = 3
# Users whose documents are changed where it is not one user's alone.
OWNERS = 100

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


def user_of(suite):
    return json.loads((suite.folder / "session.json").read_text())["user_id"]


def children_with_points(suite, count=CHILDREN):
    """So many children of one family, each with more points than a run can redeem; the user has the role of each."""
    user = user_of(suite)
    family = called(suite, "Entities/Create", entity={"type": "family", "name": "Load"})["id"]
    made = called(suite, "Entities/BatchCreate",
                  entities=[{"type": "child", "name": f"Child {number}", "parentId": family}
                            for number in range(count)])
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


class Peer:
    """PostgreSQL on the core that the service had, with both kinds of rows."""

    def __init__(self, folder, service, schema, suite, before=""):
        self.postgres = Postgres(folder + "/postgres", processes.SERVER_CORE)
        self.service, self.schema = service, schema
        self.suite, self.before = suite, before

    def costs(self, options, bare, same, one, own):
        """What transactions of scripts cost, by name, "bare" and "same_rows": medians of rounds that alternate.

        `one` is a script of `same` for what the service has written `own` rows for.
        """
        with self.postgres as postgres:
            postgres.execute(self.schema)
            same_rows.copy(self.suite, self.service, postgres, self.before)
            same_rows.require_same(postgres, self.service, one, own)
            runs = [("bare", name, script, "postgres") for name, script in bare.items()]
            runs += [("same_rows", name, script, self.service) for name, script in same.items()]
            found = {}
            for _ in range(PEER_ROUNDS):
                for kind, name, script, database in runs:
                    run = postgres.measure(script, options.seconds, database=database)
                    found.setdefault(name, {}).setdefault(kind, []).append(run)
        return {name: {kind: {figure: round(statistics.median(run[figure] for run in rounds)) for figure in rounds[0]}
                       for kind, rounds in kinds.items()}
                for name, kinds in found.items()} | {"rows": own}


def redeem_once(suite, child, key=""):
    return called(suite, "Points/Redeem", holder_id=child, parts=[{"app": APP, "points": 1}], reward="games",
                  idempotency_key=key)


def points(suite_of, load, options, folder):
    """Durable redemptions per second, over a hundred accounts and over one, beside PostgreSQL.

    Without `load`, of PostgreSQL alone.
    """
    found = {}
    with suite_of(folder, settings={"tenancy": {"policy": str(FAMILY)}},
                  cores={"entitlement": processes.SERVER_CORE}) as suite:
        credential = session(suite)
        children = children_with_points(suite, CHILDREN if load else 1)
        # The first redemption makes the row of its reward, and those after it change it.
        redeem_once(suite, children[0])
        own, _ = same_rows.written(suite.store("entitlement"), lambda: redeem_once(suite, children[0]))
        for name, holders in {"spread": children, "hot": children[:1]}.items() if load else ():
            requests = suite.folder / f"{name}.bin"
            write_redemptions(requests, holders)
            found[name] = without_errors(
                load(suite.targets["entitlement"], requests, credential, options, *SHAPE,
                     method="entitlement.v1.Points/Redeem"))
        user = user_of(suite)
    if programs() is not None:
        holders = children[:1] + [f"ent_{number:026}" for number in range(1, CHILDREN)]
        found["postgres"] = Peer(folder, "entitlement", LEDGER, suite, same_rows.holders_before(holders)).costs(
            options, {"spread": REDEEM.format(accounts=CHILDREN), "hot": REDEEM.format(accounts=1)},
            {"spread": same_rows.redemption(user, holders), "hot": same_rows.redemption(user, holders[:1])},
            same_rows.redemption(user, holders[:1]), own)
    return found


def put_once(suite):
    return called(suite, "Documents/Put", put={"collection": "moods", "document_id": "m0", "json": CONTENT})


def documents(suite_of, load, options, folder):
    """Durable changes of a thousand documents of one user per second, beside PostgreSQL.

    Without `load`, of PostgreSQL alone.
    """
    found = {}
    with suite_of(folder, cores={"tenancy": processes.SERVER_CORE}) as suite:
        credential = session(suite)
        put_once(suite)
        own, _ = same_rows.written(suite.store("tenancy"), lambda: put_once(suite))
        if load:
            content = CONTENT.replace("{", "{{").replace('"', '\\"')
            template = f'1 {{ 1: "moods" 2: "m{{n:1000}}" 3: "{content}" }}'
            found = without_errors(load(suite.targets["tenancy"], template, credential, options, *SHAPE,
                                        method="tenancy.v1.Documents/Put"))
        user = user_of(suite)
    if programs() is not None:
        owners = [user, *(f"usr_{number:026}" for number in range(1, OWNERS))]
        found["postgres"] = Peer(folder, "tenancy", DOCUMENTS, suite,
                                 same_rows.documents_before(CONTENT, owners)).costs(
            options, {"put": PUT},
            {"put": same_rows.document_put(CONTENT, [user]), "spread": same_rows.document_put(CONTENT, owners)},
            same_rows.document_put(CONTENT, [user], documents=1), own)
    return found


def measure_alone(options, results):
    """Measures PostgreSQL in the parts wanted, beside no service, into `results`; figures of services stay."""
    if programs() is None:
        raise SystemExit("benchmarks/run: no PostgreSQL (scripts/setup --postgresql)")
    built = Path(os.environ.get("BUILT_PROGRAMS", peers.BUILT))
    for name in ("gatehouse", *(f"{service}-service" for service in SERVICES)):
        if not peers.is_there(str(built / name)):
            raise SystemExit(f"benchmarks/run: not built: {built / name}")
    parts = {"points": points, "documents": documents}
    for name in options.parts.split(",") if options.parts else parts:
        if name not in parts:
            raise SystemExit(f"benchmarks/run: {name} has no PostgreSQL; points and documents have")
        print(f"services: {name}, PostgreSQL alone", flush=True)
        with tempfile.TemporaryDirectory(dir=peers.WORK) as folder:
            load = os.getloadavg()[0]
            found = parts[name](functools.partial(Suite, built), None, options, folder)["postgres"]
        results.setdefault(name, {})["postgres_alone"] = {
            **found, "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "seconds": options.seconds,
            "load_average": round(max(load, os.getloadavg()[0]), 1)}
