"""TenancyService with a store far larger than its memory, in a file and on PostgreSQL.

How long it takes to be ready, what first checks take, and checks whose trees come and go, with the memory for them.
"""

import os
import statistics
import time
from types import SimpleNamespace

from . import processes
from .postgres import Postgres
from .service_load import accept, loaded, service_credential, without_errors
from .suite import Suite
from .tree_store import Trees, fill_file, fill_server

# Devices of one tree: 1,261 entities and a thousand roles.
DEVICES = 1000
# Starts of which the median counts.
STARTS = 3
# Few enough for a service's proof, which lives for a minute.
FIRST_CHECKS = 60
# What services.md says: bytes of an entity and of a role in memory.
ENTITY_BYTES, ROLE_BYTES = 136, 144
# Of all trees so much may be in memory.
SHARE_IN_MEMORY = 4
# Few at once: what waits for a tree is refused when it is more than a service takes.
SHAPE = (2, 2)
# Windows with trees that come and go, in seconds; a service's proof lives for a minute.
WINDOW = 15
# Of them at most, until memory is as full as it gets.
FILLING_WINDOWS = 12


def limit_mib(trees):
    """What lets a part of the trees be in memory."""
    whole = trees.count * (trees.rows * ENTITY_BYTES + trees.devices * ROLE_BYTES)
    return max(16, whole // SHARE_IN_MEMORY >> 20)


def started(suite_of):
    """Milliseconds from the start of TenancyService to ready, of several."""
    times = []
    for _ in range(STARTS):
        with suite_of() as suite:
            times.append(suite.started["tenancy"] * 1000)
    return {"median": round(statistics.median(times)), "max": round(max(times))}


def cold(suite, folder, trees, options):
    """First checks, each about another tree."""
    requests = folder / "first.bin"
    count = min(FIRST_CHECKS, trees.count)
    step = trees.count // count
    trees.write_first_questions(requests, range(0, step * count, step))
    began = time.monotonic()
    first = without_errors(loaded(suite, requests, service_credential(suite), options, 1, 1, calls=1))
    found = without_errors(loaded(suite, requests, service_credential(suite), options, 1, 1, calls=count))
    return {"very_first_ms": round(first["max_us"] / 1000, 1), "p50_us": found["p50_us"], "p99_us": found["p99_us"],
            "seconds": round(time.monotonic() - began, 1)}


def coming_and_going(suite, folder, trees):
    """Checks about everything that somebody has a role in, whose trees do not have room in memory together."""
    requests = folder / "questions.bin"
    trees.write_questions(requests, 100_000, anywhere=False)
    window = SimpleNamespace(seconds=WINDOW)

    def asked():
        return without_errors(loaded(suite, requests, service_credential(suite), window, *SHAPE))

    def releases():
        return suite.metric("tenancy", "gatehouse_tenancy_tree_releases_total")

    idle = suite.resident_bytes("tenancy")
    for _ in range(FILLING_WINDOWS):
        if releases() > 0:
            break
        asked()
    before = releases()
    found = asked()
    return {"rate": found["rate"], "p50_us": found["p50_us"], "p99_us": found["p99_us"],
            "us": found["server_us_per_call"], "calls": found["calls_total"], "releases": releases() - before,
            "counted_mb": round(suite.metric("tenancy", "gatehouse_tenancy_tree_bytes") / 1e6, 1),
            "idle_mb": round(idle / 1e6, 1), "resident_mb": round(suite.resident_bytes("tenancy") / 1e6, 1),
            "peak_mb": round(suite.resident_bytes("tenancy", "VmHWM") / 1e6, 1)}


class Sizes:
    """The trees, and services of which TenancyService may keep a part of them in memory."""

    def __init__(self, programs, options):
        self.programs, self.options = programs, options
        self.trees = Trees(max(1, options.entities // DEVICES), DEVICES)
        self.limit = limit_mib(self.trees)

    def suite_of(self, folder, **more):
        """What starts the services in a folder."""
        settings = {"tenancy": {"memory_limit_mib": self.limit}}
        return lambda: Suite(self.programs, folder, settings, loops=1, core=processes.SERVER_CORE, **more)

    def measured(self, suite_of, folder, **found):
        """What the filled store costs, beside what is known of it."""
        found |= {"entities": self.trees.count * self.trees.rows, "roles": self.trees.associations,
                  "trees": self.trees.count, "limit_mib": self.limit, "ready_ms": started(suite_of)}
        with suite_of() as suite:
            found["cold"] = cold(suite, folder, self.trees, self.options)
        with suite_of() as suite:
            found["coming_and_going"] = coming_and_going(suite, folder, self.trees)
        return found


def in_file(programs, options, folder):
    """With the store in a file."""
    sizes = Sizes(programs, options)
    suite_of = sizes.suite_of(folder)
    with suite_of() as suite:
        pass
    began = time.monotonic()
    fill_file(suite.store("tenancy"), sizes.trees)
    filled = time.monotonic()
    accept(suite, "tenancy")
    return sizes.measured(suite_of, folder, fill_s=round(filled - began), accept_s=round(time.monotonic() - filled),
                          store_gb=round(os.path.getsize(suite.store("tenancy")) / 1e9, 2))


def on_server(programs, options, folder):
    """With the store on PostgreSQL."""
    sizes = Sizes(programs, options)
    with Postgres(folder / "postgres", processes.LOAD_CORE) as postgres:
        postgres.execute("CREATE DATABASE tenancy")
        suite_of = sizes.suite_of(folder, servers={"tenancy": postgres.address("tenancy")})
        with suite_of():
            pass
        began = time.monotonic()
        fill_server(postgres, "tenancy", sizes.trees)
        ((size,),) = postgres.execute("SELECT pg_database_size('tenancy')")
        return sizes.measured(suite_of, folder, fill_s=round(time.monotonic() - began),
                              store_gb=round(int(size) / 1e9, 2))
