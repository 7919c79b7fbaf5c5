"""Durable writes over a network to PostgreSQL, by a service and by libpq alone, and the round trips that they take.

Services, their load and libpq have core 0, PostgreSQL and the relay core 1.
"""

import json
import statistics
import subprocess

from . import peers, processes, products, same_rows
from .postgres import Postgres, Relay, RoundTrips
from .replica_checks import ROUND_TRIP_US, at_once
from .rest import Rest
from .service_load import loaded, without_errors
from .suite import SERVICES, Suite

BARE = "bare"
# Callers of each program, and of both together.
ONE, HALF, ALONE = (8, 8), (4, 8), (1, 1)
# Calls of each in a measurement. A group of writes takes about a second, so windows of time would cut some off.
CALLS = {ONE: 512, HALF: 256, ALONE: 50}
REFRESHES = 100
SETTINGS = {"tenancy": {"policy": str(products.FAMILY)},
            # Accounts are not what is measured.
            "auth": {"password_hash": {"memory_kib": 8, "passes": 1}}}


def bare(relay, statements, subjects, *more):
    """Groups of 64 writes by libpq on one connection, with the rows of the service."""
    done = subprocess.run(
        ["taskset", "-c", str(processes.SERVER_CORE), str(peers.BIN / "postgres-writes"), "--address",
         relay.address(BARE), "--statements", str(statements), "--subjects", str(subjects), *map(str, more)],
        capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"postgres-writes: {done.stdout.strip()} {done.stderr.strip()}")
    return json.loads(done.stdout)


def prepare(programs, folder, postgres):
    """Children with points on the server; who redeems, the children, and what one redemption writes."""
    for service in SERVICES:
        postgres.execute(f"CREATE DATABASE {service}")
    addresses = {service: postgres.address(service) for service in SERVICES}
    with Suite(programs, folder, SETTINGS, servers=addresses) as suite:
        products.session(suite)
        children = products.children_with_points(suite)
        for child in children:
            products.redeem_once(suite, child)
        own = same_rows.written_on_server(postgres, "entitlement", lambda: products.redeem_once(suite, children[0]))
        products.put_once(suite)
        user = products.user_of(suite)
    postgres.execute(f"CREATE DATABASE {BARE} TEMPLATE entitlement")
    postgres.execute(same_rows.SETTINGS.format(database=BARE))
    return user, children, own


def signed_in(suite, folder):
    """The metadata of a caller who has just signed in."""
    suite.client("login", "load@example.com")
    token = json.loads((folder / "session.json").read_text())["access_token"]
    return f"authorization=Bearer {token}"


class Redemptions:
    """Redemptions at programs of EntitlementService whose store is behind a relay."""

    def __init__(self, suite, relay, credential, options):
        self.suite, self.relay, self.credential, self.options = suite, relay, credential, options

    def of(self, name, requests, shape):
        return without_errors(loaded(self.suite, requests, self.credential, self.options, *shape, name=name,
                                     core=processes.SERVER_CORE, calls=CALLS[shape],
                                     method="entitlement.v1.Points/Redeem"))

    def by_one(self, requests, shape=ONE):
        """What one program does, what it costs, and the round trips of the connection that writes."""
        postgres = self.relay.postgres
        before = postgres.cpu_seconds()
        with RoundTrips(self.relay) as trips:
            found = self.of("entitlement", requests, shape)
        server = postgres.cpu_seconds() - before
        return {"rate": found["rate"], "p50_us": found["p50_us"], "p99_us": found["p99_us"],
                "service_us": found["server_us_per_call"], "server_us": server / found["calls_total"] * 1e6,
                "round_trips": trips.most_of_two / found["calls_total"]}

    def by_two(self, requests):
        both = at_once([lambda name=name: self.of(name, requests, HALF) for name in self.suite.names_of("entitlement")])
        return {"rate": sum(found["rate"] for found in both), "p99_us": max(found["p99_us"] for found in both)}


def medians(rounds):
    return {name: {figure: round(statistics.median(run[figure] for run in runs), 2) for figure in runs[0]}
            for name, runs in rounds.items()}


def refreshes(suite, relay):
    """Refreshes of one session, one after the other."""
    token = json.loads((suite.folder / "session.json").read_text())["refresh_token"]
    app = Rest(suite, "auth")
    with RoundTrips(relay) as trips:
        for _ in range(REFRESHES):
            token = app.call("POST", "auth/refresh", {"refreshToken": token})["refreshToken"]
    return {"round_trips": trips.most / REFRESHES}


def documents(suite, relay, credential, options, shape):
    """Changes of documents of one user."""
    content = products.CONTENT.replace("{", "{{").replace('"', '\\"')
    template = f'1 {{ 1: "moods" 2: "m{{n:1000}}" 3: "{content}" }}'
    with RoundTrips(relay) as trips:
        found = without_errors(loaded(suite, template, credential, options, *shape, core=processes.SERVER_CORE,
                                      calls=CALLS[shape], method="tenancy.v1.Documents/Put"))
    return {"rate": found["rate"], "round_trips": trips.most / found["calls_total"]}


def measure(programs, options, folder):
    """Redemptions over a hundred accounts and of one, by one program and two, beside libpq; refreshes, documents."""
    with Postgres(folder / "postgres", processes.LOAD_CORE) as postgres, Relay(postgres, ROUND_TRIP_US) as relay:
        user, children, own = prepare(programs, folder, postgres)
        statements = folder / "statements"
        statements.write_text(same_rows.redemption_statements(user, children))
        same_rows.require_equal(
            same_rows.written_on_server(postgres, BARE, lambda: bare(relay, statements, 1, "--writes", 1)), own,
            "entitlement")
        requests = {"spread": folder / "spread.bin", "hot": folder / "hot.bin"}
        products.write_redemptions(requests["spread"], children)
        products.write_redemptions(requests["hot"], children[:1])
        addresses = {service: relay.address(service) for service in SERVICES}
        with Suite(programs, folder, SETTINGS, servers=addresses, counts={"entitlement": 2},
                   core=processes.SERVER_CORE) as suite:
            service = Redemptions(suite, relay, signed_in(suite, folder), options)
            # Until both programs know the rights of the user.
            service.by_two(requests["spread"])
            runs = {
                "one_by_one": lambda: bare(relay, statements, len(children), "--seconds", options.seconds,
                                           "--one-by-one", 1),
                "pipelined": lambda: bare(relay, statements, len(children), "--seconds", options.seconds),
                "spread": lambda: service.by_one(requests["spread"]),
                "alone": lambda: service.by_one(requests["spread"], ALONE),
                "hot": lambda: service.by_one(requests["hot"]),
                "spread_by_two": lambda: service.by_two(requests["spread"]),
                "hot_by_two": lambda: service.by_two(requests["hot"]),
                "documents": lambda: documents(suite, relay, service.credential, options, ONE),
                "document_alone": lambda: documents(suite, relay, service.credential, options, ALONE),
                "refresh": lambda: refreshes(suite, relay),
            }
            rounds = {}
            for _ in range(options.rounds):
                for name, run in runs.items():
                    # A token lives for ten minutes, and so long take the rounds of a slow server.
                    service.credential = signed_in(suite, folder)
                    rounds.setdefault(name, []).append(run())
            return {**medians(rounds), "rows": own}
