"""Pages of the members of an organization that has very many, and roles that are granted in batches, by REST."""

import http.client
import json
import random
import sqlite3
import statistics
import time

from . import imports, processes
from .large_store import ASSOCIATION, Names

# Roles of one batch: as many as the contract lets.
BATCH = 500
BATCHES = 20
CALLS = 200


def fill(path, root, count):
    """Adds `count` people who administer an entity, each under a name."""
    names, now = Names(random.Random(17)), int(time.time() * 1000)
    people, held = [], []
    for index in range(count):
        user = names.next("usr")
        name = f"Member {index * 7919 % count:06d}"
        people.append((user, name, name.lower(), 1, now))
        held.append((names.next("asc"), user, root, "portfolio_admin", None, None, "", now, index + 1000,
                     now, index + 1000, name.lower()))
    columns = (*ASSOCIATION, "updated_at", "revision", "name_key")
    store = sqlite3.connect(path)
    store.execute("PRAGMA synchronous = OFF")
    with store:
        store.executemany("INSERT INTO person VALUES (?, ?, ?, ?, ?)", people)
        store.executemany(f"INSERT INTO association ({', '.join(columns)})"
                          f" VALUES ({', '.join('?' * len(columns))})", held)
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


class App:
    """A person's connection."""

    def __init__(self, suite):
        self.process = suite.running["tenancy"].pid
        self.connection = http.client.HTTPConnection("127.0.0.1", suite.ports["tenancy"], timeout=60)
        token = json.loads((suite.folder / "session.json").read_text())["access_token"]
        self.fields = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def call(self, method, path, body=None):
        self.connection.request(method, f"/api/v1{path}", body and json.dumps(body), self.fields)
        response = self.connection.getresponse()
        answer = json.loads(response.read())
        if response.status >= 300:
            raise RuntimeError(f"{method} {path}: {response.status} {answer}")
        return answer

    def timed(self, calls):
        """Milliseconds of the calls by the clock, of which the median, and of processor on average."""
        took, before, count = [], processes.cpu_seconds(self.process), 0
        for call in calls:
            began = time.monotonic()
            self.call(*call)
            took.append(time.monotonic() - began)
            count += 1
        used = processes.cpu_seconds(self.process) - before
        return {"median_ms": round(statistics.median(took) * 1000, 2),
                "server_cpu_ms": round(used / count * 1000, 2)}


def pages(app, root, count):
    """Pages of fifty: the first by age and by name, one far behind by its token, those that a text finds."""
    path = f"/entities/{root}/roles"
    token = ""
    # A tenth of them, a thousand at a time: a token is good for pages of another size, too.
    for _ in range(count // 10_000):
        more = f"&pageToken={token}" if token else ""
        token = app.call("GET", f"{path}?limit=1000&sortBy=name{more}")["data"]["pagination"]["nextPageToken"]
    found = {"by_age": f"{path}?limit=50", "by_name": f"{path}?limit=50&sortBy=name",
             "far_behind": f"{path}?limit=50&sortBy=name&pageToken={token}",
             "by_text": f"{path}?limit=50&sortBy=name&text=member%20{count // 2:06d}"}
    return {name: app.timed([("GET", asked)] * CALLS) for name, asked in found.items()}


def grants(app, suite):
    """Batches of roles for people who have accounts, each on a property of its own."""
    imports.operator(suite)
    imports.imported(suite, "members", BATCH)
    with sqlite3.connect(suite.store("auth")) as store:
        users = [row[0] for row in store.execute("SELECT id FROM account WHERE email LIKE 'members.%'")]
    batches = []
    for number in range(BATCHES):
        root = app.call("POST", "/portfolios", {"name": f"Batch {number}"})["data"]["id"]
        roles = [{"entityId": root, "role": "portfolio_admin", "userId": user} for user in users]
        batches.append(("POST", "/roles:batch-grant", {"roles": roles}))
    return {"roles": len(users), **app.timed(batches)}


def measure(suite_of, accept, count=100_000):
    """`suite_of` starts the services, `accept` has one that is stopped take rows that it did not write."""
    with suite_of() as suite:
        suite.client("signup", "members@example.com", "Members")
        root = json.loads(suite.client("call", "Portfolios/Create", '{"name": "Members"}'))["id"]
    fill(str(suite.store("tenancy")), root, count)
    accept(suite, "tenancy")
    with suite_of() as suite:
        suite.client("login", "members@example.com")
        app = App(suite)
        return {"members": count, "pages": pages(app, root, count), "grants": grants(app, suite)}
