"""Fills TenancyService's store, in a file or on a server, with many trees of one size, by statements alone.

Names are numbers, so questions are made without holding what is there: ten million devices need no memory here.
"""

import random
import sqlite3
import time
from dataclasses import dataclass

from .large_store import ACTIONS, ASSOCIATION, ENTITY, PREFIXES, ROLES, field, write_messages

# Neighbours in time are not neighbours in the trees (Knuth's multiplier).
SCATTER = 2_654_435_761
# Of twenty associations in turn: those on units, devices, properties and portfolios (large_store.LEVELS).
HELD = {"unit": "n % 2 = 0", "device": "n % 4 = 1", "property": "n % 4 = 3 AND n % 20 <> 19",
        "portfolio": "n % 20 = 19"}
# How each engine counts from 0, and writes a number with 26 digits.
SERIES = {"file": "(WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n + 1 < {count}) "
                  "SELECT n FROM s)",
          "server": "generate_series(0::bigint, {count} - 1) AS numbers(n)"}
DIGITS = {"file": "printf('%026d', {number})", "server": "lpad(({number})::text, 26, '0')"}
# Made anew when all rows are there, which takes less time.
INDEXES = """
SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('entity', 'association') AND sql <> ''
"""

SERVER_INDEXES = """
SELECT indexname, indexdef FROM pg_indexes
WHERE tablename IN ('entity', 'association') AND indexname NOT IN (SELECT conname FROM pg_constraint)
"""
SERVER_SETTINGS = """
SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '512MB';
"""


@dataclass(frozen=True)
class Trees:
    """So many trees with so many devices each: properties of a hundred devices, or one, and units of four."""

    count: int
    devices: int

    @property
    def units(self):
        return self.devices // 4

    @property
    def properties(self):
        return max(1, self.devices // 100)

    @property
    def rows(self):
        """Entities of one tree."""
        return 1 + self.properties + self.units + self.devices

    @property
    def totals(self):
        """How many there are of each type."""
        return {"portfolio": self.count, "property": self.count * self.properties,
                "unit": self.count * self.units, "device": self.count * self.devices}

    @property
    def associations(self):
        return self.totals["device"]

    @property
    def users(self):
        return max(1, self.associations // 2)

    def statements(self, engine):
        """What adds all of it to an empty store."""
        above = {"portfolio": None, "property": ("portfolio", self.properties),
                 "unit": ("property", self.units // self.properties), "device": ("unit", 4)}
        now = int(time.time() * 1000)

        def name(kind, number):
            prefix = "usr" if kind == "user" else "asc" if kind == "role" else PREFIXES[kind]
            return f"'{prefix}_' || {DIGITS[engine].format(number=number)}"

        for kind, total in self.totals.items():
            parent = name(above[kind][0], f"n / {above[kind][1]}") if above[kind] else "'sys_root'"
            root = name("portfolio", f"n / {total // self.count}")
            kept = '{"kind":"lock"}' if kind == "device" else "{}"
            yield (f"INSERT INTO entity ({', '.join(ENTITY)}) SELECT {name(kind, 'n')}, '{kind}', {parent}, {root}, "
                   f"'{kind}', '{kept}', '', 0, {now}, {now}, {now} "
                   f"FROM {SERIES[engine].format(count=total)}")
        for kind, share in HELD.items():
            since, until = (now - 1000, now + 86_400_000) if kind == "device" else ("NULL", "NULL")
            yield (f"INSERT INTO association ({', '.join(ASSOCIATION)}) SELECT {name('role', 'n')}, "
                   f"{name('user', f'n * 40503 % {self.users}')}, "
                   f"{name(kind, f'n * {SCATTER} % {self.totals[kind]}')}, '{ROLES[kind]}', {since}, {until}, '', "
                   f"{now}, n + 1000 FROM {SERIES[engine].format(count=self.associations)} WHERE {share}")

    def device(self, number):
        return f"dev_{number:026d}"

    def user(self, number):
        return f"usr_{number:026d}"

    def tree_of(self, device):
        return int(device.rpartition("_")[2]) // self.devices

    def reached(self, number):
        """The user of an association, and a device that it reaches."""
        kind = next(kind for kind, is_one in (("unit", number % 2 == 0), ("device", number % 4 == 1),
                                              ("portfolio", number % 20 == 19), ("property", True)) if is_one)
        held = number * SCATTER % self.totals[kind]
        return self.user(number * 40503 % self.users), self.device(held * self.totals["device"] // self.totals[kind])

    def write_questions(self, path, count, anywhere=True):
        """Half about devices that an association reaches, half about any, or all of the former."""
        generator = random.Random(11)

        def message(index):
            user, device = self.reached(generator.randrange(self.associations))
            if anywhere and index % 2:
                device = self.device(generator.randrange(self.totals["device"]))
            return field(1, user) + field(2, ACTIONS[index % len(ACTIONS)]) + field(3, device)

        write_messages(path, map(message, range(count)))

    def write_first_questions(self, path, trees):
        """One about each of some trees, by somebody with a role in it: a denial would load the user's other trees."""
        first = {}
        for number in range(self.associations):
            user, device = self.reached(number)
            first.setdefault(self.tree_of(device), (user, device))
            if len(first) == self.count:
                break
        write_messages(path, (field(1, user) + field(2, "device.view") + field(3, device)
                              for user, device in (first[tree] for tree in trees)))


def fill_file(path, trees):
    """Adds the trees to the store of a service that has ended; it has to accept the store then."""
    store = sqlite3.connect(path)
    # Every page would be written twice.
    for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -2000000", "temp_store = MEMORY",
                    "threads = 2"):
        store.execute(f"PRAGMA {setting}")
    with store:
        indexes = store.execute(INDEXES).fetchall()
        for name, _ in indexes:
            store.execute(f"DROP INDEX {name}")
        for statement in trees.statements("file"):
            store.execute(statement)
        for _, sql in indexes:
            store.execute(sql)
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def fill_server(postgres, database, trees):
    """Adds the trees to a store on a server; rows are right, so that nothing looks for those that they name."""
    def run(statement):
        return postgres.execute(f"{SERVER_SETTINGS} {statement}", database, timeout=1800)

    indexes = run(SERVER_INDEXES)
    for name, _ in indexes:
        run(f"DROP INDEX {name}")
    for statement in trees.statements("server"):
        run(statement)
    for _, sql in indexes:
        run(sql)
    for table in ("entity", "association"):
        postgres.execute(f"VACUUM ANALYZE {table}", database, timeout=600)
    postgres.execute("CHECKPOINT", database, timeout=600)
