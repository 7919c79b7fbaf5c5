"""How soon all programs of the services know what one of them has committed, with their stores on PostgreSQL."""

import json
import random
import threading
import time
from contextlib import ExitStack

from . import hashing, imports, processes, products
from .postgres import Postgres
from .rest import Rest
from .service_load import rpcload
from .suite import SERVICES, Suite

# Of each kind. Each is some tens of milliseconds.
SAMPLES = 200
# A change that is not seen by then is lost.
SECONDS_MAX = 5
# Questions about one change are so far apart.
PAUSE = 0.0005
# Changes are this far apart at random, or they would keep time with the programs' questions about them (20 ms).
APART = 0.04
WRITERS = ("--connections", 8, "--in-flight", 8)
SETTINGS = {"auth": {"password_hash": {"memory_kib": 8, "passes": 1},
                     "source_limits": {"account_sign_ins": 1_000_000, "sign_ups": 1_000_000}}}
# What each service answers with 401 when the session has ended, and otherwise with something else.
KNOWN_TO = {"auth": ("GET", "users/me", None),
            "tenancy": ("POST", "permissions/check", {"action": "portfolio.view", "entityId": "sys_root"}),
            "entitlement": ("GET", "points/chd_0/rules", None)}


def percentiles(times):
    """Of seconds, in milliseconds."""
    ordered = sorted(times)
    return {"p50_ms": round(ordered[len(ordered) // 2] * 1000, 2),
            "p99_ms": round(ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)] * 1000, 2),
            "max_ms": round(ordered[-1] * 1000, 2), "samples": len(ordered)}


def let_time_pass():
    time.sleep(random.uniform(0, APART))


def seconds_until(is_so, began):
    """Time from `began` until the end of the first question whose answer is yes."""
    while not is_so():
        if time.monotonic() - began > SECONDS_MAX:
            raise RuntimeError(f"a change was not seen within {SECONDS_MAX} s")
        time.sleep(PAUSE)
    return time.monotonic() - began


class Person:
    """A new account and its session."""

    def __init__(self, suite, name):
        self.suite, self.email = suite, f"{name}@example.com"
        self.auth = Rest(suite, "auth")
        answer = self.auth.call("POST", "auth/signup", {
            "email": self.email, "password": hashing.PASSWORD, "displayName": name, "allowPartialContext": True})
        self.token, self.id = answer["tokens"]["accessToken"], answer["user"]["id"]

    def sign_in(self, name="auth"):
        """The access token of a new session."""
        answer = Rest(self.suite, name).call("POST", "auth/login", {
            "email": self.email, "password": hashing.PASSWORD, "allowPartialContext": True})
        return answer["tokens"]["accessToken"]


def roles_seen(suite):
    """From a role that one TenancyService has granted or revoked until a check by the other says so."""
    owner, guest = Person(suite, "owner"), Person(suite, "guest")
    writer, reader = Rest(suite, "tenancy", owner.token), Rest(suite, "tenancy-2", guest.token)
    entity = writer.call("POST", "portfolios", {"name": "Seen"})["id"]
    role = {"entityId": entity, "role": "portfolio_admin", "userId": guest.id}

    def allowed():
        return reader.call("POST", "permissions/check", {"action": "portfolio.view", "entityId": entity})["allowed"]

    times = []
    for _ in range(SAMPLES // 2):
        let_time_pass()
        writer.call("POST", "roles", {"role": role})
        times.append(seconds_until(allowed, time.monotonic()))
        let_time_pass()
        writer.call("POST", "roles/revoke", role)
        times.append(seconds_until(lambda: not allowed(), time.monotonic()))
    return percentiles(times)


def sessions_ended(suite):
    """From the answer to a sign-out, at each AuthService in turn, until all programs refuse the access token."""
    person, times = Person(suite, "leaver"), []
    connections = {name: Rest(suite, name) for name in suite.names}

    def refuses(name, token):
        return connections[name].ask(*KNOWN_TO[name.partition("-")[0]], token=token)[0] == 401

    for number in range(SAMPLES // 2):
        token = person.sign_in()
        for name in suite.names:
            # A new session is known to all by its token, as soon as they know the key that has signed it.
            seconds_until(lambda name=name: not refuses(name, token), time.monotonic())
        let_time_pass()
        connections[suite.names_of("auth")[number % 2]].call("POST", "auth/logout", {}, token)
        began = time.monotonic()
        times.append(max(seconds_until(lambda name=name: refuses(name, token), began) for name in suite.names))
    return percentiles(times)


def suspended(suite, options):
    """A suspension while 64 callers write at the same program: the call, and until the other program refuses."""
    imports.operator(suite)
    operator = json.loads((suite.folder / "operator.json").read_text())["access_token"]
    owner, writer = Person(suite, "suspended"), Person(suite, "writer")
    home = Rest(suite, "tenancy", owner.token).call("POST", "portfolios", {"name": "Home"})["id"]
    by, reader = Rest(suite, "tenancy", operator), Rest(suite, "tenancy-2", owner.token)

    def allowed():
        return reader.call("POST", "permissions/check", {"action": "portfolio.view", "entityId": home})["allowed"]

    seconds_until(allowed, time.monotonic())
    content = products.CONTENT.replace("{", "{{").replace('"', '\\"')
    calls, until_refused = [], []
    with ExitStack() as stack:
        load = stack.enter_context(Beside(lambda: rpcload(
            suite.targets["tenancy"], f'1 {{ 1: "moods" 2: "m{{n:1000}}" 3: "{content}" }}',
            f"authorization=Bearer {writer.token}", options, *WRITERS, method="tenancy.v1.Documents/Put")))
        while len(calls) < SAMPLES // 4 or load.count < 1:
            let_time_pass()
            began = time.monotonic()
            by.call("POST", "suspensions", {"userId": owner.id})
            calls.append(time.monotonic() - began)
            until_refused.append(seconds_until(lambda: not allowed(), began))
            by.call("POST", "suspensions/end", {"userId": owner.id})
            seconds_until(allowed, time.monotonic())
    return {"call": percentiles(calls), "until_refused": percentiles(until_refused),
            "writes_per_second": round(load.found["rate"])}


class Beside:
    """Repeats a measurement in a thread for as long as a `with` block lasts; `found` is the last one."""

    def __init__(self, measure):
        self.measure, self.count, self.is_over = measure, 0, False

    def run(self):
        while not self.is_over or self.count == 0:
            self.found = self.measure()
            self.count += 1

    def __enter__(self):
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        time.sleep(0.5)
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()


def measure(programs, options, folder):
    """Two programs of each service: roles, sessions that end, suspensions beside writers."""
    with Postgres(folder / "postgres", processes.LOAD_CORE) as postgres:
        for service in SERVICES:
            postgres.execute(f"CREATE DATABASE {service}")
        with Suite(programs, folder, SETTINGS, servers={service: postgres.address(service) for service in SERVICES},
                   counts={service: 2 for service in SERVICES}) as suite:
            return {"role": roles_seen(suite), "session": sessions_ended(suite),
                    "suspension": suspended(suite, options)}
