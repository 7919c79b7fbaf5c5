"""Stores of a probe: the service's own tables and statements, without some indexes, and laid out in other ways."""

import random
import sqlite3

APP, REWARD, HOUR = "com.example.math", "games", 3_600_000
NOW = 1_795_000_000_000
DIGEST, KEY = b"\x5a" * 32, b"\xa5" * 32
AUDIT = "INSERT INTO audit_log VALUES (NULL, ?, ?, NULL, ?, ?, ?, ?, 'done', ?, ?, ?)"
EVENT = "INSERT INTO event VALUES (NULL, ?, 'points.changed', ?, ?, '', ?, ?, '{\"deed\":\"redeem\"}')"
ENTRY = ("INSERT INTO points_entry VALUES (?, ?, ?, 'redeem', ?, 'balance', 'redeemed', 1, 1, 1, ?, NULL, ?, ?, ?)")


class Probe:
    """A store in a file, opened as the service opens its own (SQLiteConnection.swift)."""

    def __init__(self, path, schema, without=(), events=False, keys="none", actors="one"):
        self.path, self.events, self.keys, self.actors = str(path), events, keys, actors
        self.random, self.number = random.Random(1), 0
        self.connection = sqlite3.connect(self.path, isolation_level=None, cached_statements=256)
        self.run = self.connection.execute
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "wal_autocheckpoint = 0",
                       "cache_size = -262144", "temp_store = MEMORY"):
            self.run(f"PRAGMA {pragma}")
        for statement in [*schema, *(f"DROP INDEX {index}" for index in without)]:
            self.run(statement)

    def name(self, kind, bits=0):
        """An identifier as long as the service's: by time, or at random."""
        self.number += 1
        return f"{kind}_{self.random.getrandbits(104) if bits else self.number:026x}"

    def actor(self, holder):
        return "usr_06h23780k5mv35338jsyy5ave8" if self.actors == "one" else f"usr_{holder[4:]}"

    def audit(self, holder, object_id, action, detail, before=None):
        actor, request = self.actor(holder), self.name("req", 104)
        self.run(AUDIT, (NOW + self.number, f"user:{actor}", request, action, object_id, holder, before, DIGEST,
                         detail))
        if self.events:
            self.run(EVENT, (NOW + self.number, object_id, holder, f"user:{actor}", request))

    def keep_answer(self, caller):
        """An answer under an idempotency key, which callers make at random or by time."""
        if self.keys == "none":
            return
        key = self.name("", 104 if self.keys == "random" else 0)
        found = self.run("SELECT response FROM idempotency_key WHERE caller = ? AND key = ?", (caller, key)).fetchone()
        assert found is None
        self.run("INSERT INTO idempotency_key VALUES (?, ?, ?, 0, ?, ?)",
                 (caller, key, DIGEST, b"\x01" * 170, NOW + self.number))

    def group(self, write, count=64):
        """Writes in one transaction, as the service commits those that wait together."""
        self.run("BEGIN IMMEDIATE")
        for _ in range(count):
            write()
        self.run("COMMIT")

    def checkpoint(self):
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def erased(self):
        self.run("SELECT 1 FROM erased WHERE key = ?", (KEY,)).fetchone()


class Points(Probe):
    """The ledger as EntitlementService writes it; see PointsHandler+Redeeming.swift."""

    def fill(self, accounts, entries):
        self.holders = [f"ent_{self.random.getrandbits(104):026x}" for _ in range(accounts)]
        self.counts = dict.fromkeys(self.holders, entries)
        self.run("BEGIN")
        self.state(entries)
        # At the times at which they happened, not holder by holder.
        order = [number for number in range(accounts)] * entries
        self.random.shuffle(order)
        reached = [0] * accounts
        for place in order:
            reached[place] += 1
            self.entry(self.holders[place], reached[place], 1_000_000)
            self.keep_answer(f"user:{self.actor(self.holders[place])}")
        self.run("COMMIT")
        self.run("ANALYZE")
        self.checkpoint()

    def state(self, entries):
        for holder in self.holders:
            self.run("INSERT INTO points_rule (holder, app, points_per_minute, points_per_reward_minute, "
                     "requires_approval, revision) VALUES (?, ?, 1000, 1, 0, 1)", (holder, APP))
            self.run("INSERT INTO points_holder VALUES (?, ?)", (holder, entries))
            self.run("INSERT INTO points_reward VALUES (?, ?, ?)", (holder, REWARD, NOW + HOUR))
            for name, points in (("issued", -2_000_000), ("balance", 1_000_000), ("redeemed", 1_000_000)):
                self.run("INSERT INTO points_account VALUES (?, ?, ?, ?)", (holder, APP, name, points))

    def entry(self, holder, number, balance):
        transaction = self.name("ptx")
        self.run(ENTRY, (holder, number, transaction, APP, REWARD, balance, self.actor(holder), NOW + self.number))
        self.audit(holder, transaction, "points.redeem", "1 points, 1 entries")

    def write(self):
        holder = self.random.choice(self.holders)
        self.erased()
        self.erased()
        self.run("SELECT id FROM points_request WHERE holder = ? AND state = 'pending' AND expires_at <= ? "
                 "ORDER BY expires_at, id", (holder, NOW)).fetchall()
        self.run("SELECT (SELECT points FROM points_account WHERE holder = points_rule.holder "
                 "AND app = points_rule.app AND name = 'balance'), points_per_reward_minute, requires_approval "
                 "FROM points_rule WHERE holder = ? AND app = ?", (holder, APP)).fetchone()
        ends_at, = self.run("SELECT ends_at FROM points_reward WHERE holder = ? AND reward = ? AND ends_at > ?",
                            (holder, REWARD, NOW)).fetchone()
        self.run("UPDATE points_reward SET ends_at = ? WHERE holder = ? AND reward = ?",
                 (ends_at + 60_000, holder, REWARD))
        holdings = dict(self.run("SELECT '', entry_count FROM points_holder WHERE holder = ? UNION ALL SELECT name, points "
                                 "FROM points_account WHERE holder = ? AND app = ?", (holder, holder, APP)).fetchall())
        self.run("INSERT INTO points_holder (holder, entry_count) VALUES (?, 1) ON CONFLICT (holder) "
                 "DO UPDATE SET entry_count = points_holder.entry_count + 1", (holder,))
        self.run("UPDATE points_account SET points = points - 1 WHERE holder = ? AND app = ? AND name = 'balance'",
                 (holder, APP))
        self.run("INSERT INTO points_account VALUES (?, ?, 'redeemed', 1) ON CONFLICT (holder, app, name) "
                 "DO UPDATE SET points = points_account.points + excluded.points", (holder, APP))
        self.entry(holder, holdings.get("", 0) + 1, holdings["balance"] - 1)
        self.keep_answer(f"user:{self.actor(holder)}")


INTEGERS = (
    "CREATE TABLE holder (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, entry_count INTEGER NOT NULL, "
    "balance INTEGER NOT NULL, redeemed INTEGER NOT NULL, ends_at INTEGER NOT NULL)",
    "CREATE TABLE entry (sequence INTEGER PRIMARY KEY, holder INTEGER NOT NULL, number INTEGER NOT NULL, "
    "transaction_id BLOB NOT NULL, kind INTEGER NOT NULL, app INTEGER NOT NULL, points INTEGER NOT NULL, "
    "minutes INTEGER NOT NULL, rate INTEGER NOT NULL, reward INTEGER NOT NULL, balance INTEGER NOT NULL, "
    "actor INTEGER NOT NULL, occurred_at INTEGER NOT NULL)",
    "CREATE UNIQUE INDEX entry_by_holder ON entry (holder, number)",
    "CREATE INDEX entry_by_transaction ON entry (transaction_id)")
PACKS = "CREATE TABLE audit_pack (sequence INTEGER PRIMARY KEY, recorded_at INTEGER NOT NULL, records BLOB NOT NULL)"


class Integers(Points):
    """Numbers in the place of names, and one row of state for each holder; the audit log as it is, or packed."""

    def __init__(self, path, schema, without=(), packed=False, **options):
        self.packed, self.pack = packed, []
        super().__init__(path, [*schema, *INTEGERS, PACKS], without, **options)

    def state(self, entries):
        self.numbers = {holder: number for number, holder in enumerate(self.holders, 1)}
        for holder, number in self.numbers.items():
            self.run("INSERT INTO holder VALUES (?, ?, ?, 1000000, 1000000, ?)", (number, holder, entries, NOW + HOUR))

    def entry(self, holder, number, balance):
        transaction = self.name("ptx")
        self.run("INSERT INTO entry VALUES (NULL, ?, ?, ?, 2, 1, 1, 1, 1, 1, ?, 1, ?)",
                 (self.numbers[holder], number, bytes.fromhex(transaction[4:]), balance, NOW + self.number))
        self.audit(holder, transaction, "points.redeem", "1 points, 1 entries")

    def audit(self, holder, object_id, action, detail, before=None):
        if not self.packed:
            return super().audit(holder, object_id, action, detail, before)
        # Action, outcome and time in 16 bytes, four names of 13 each, a digest.
        self.pack.append(self.random.randbytes(16 + 4 * 13) + DIGEST)
        if len(self.pack) == 64:
            self.run("INSERT INTO audit_pack VALUES (NULL, ?, ?)", (NOW + self.number, b"".join(self.pack)))
            self.pack = []

    def write(self):
        holder = self.random.choice(self.holders)
        self.erased()
        self.erased()
        number, balance = self.run(
            "UPDATE holder SET entry_count = entry_count + 1, balance = balance - 1, redeemed = redeemed + 1, "
            "ends_at = ends_at + 60000 WHERE id = ? AND balance >= 1 RETURNING entry_count, balance",
            (holder,)).fetchone()
        self.entry(holder, number, balance)


class Documents(Probe):
    """A thousand documents of one user as TenancyService writes them; see UserDocuments.swift."""

    USER, JSON = "usr_06h23780k5mv35338jsyy5ave8", '{"mood":3,"note":"slept well, walked for an hour","tags":["calm"]}'

    def fill(self, _, entries):
        self.run("BEGIN")
        for number in range(1000 * max(1, entries // 100)):
            self.put(number % 1000)
        self.run("COMMIT")
        self.run("ANALYZE")
        self.checkpoint()

    def write(self):
        self.put(self.random.randrange(1000))

    def put(self, number):
        name, scope = f"m{number}", f"{self.USER}/moods"
        self.erased()
        self.run("SELECT note FROM suspension WHERE user_id = ?", (self.USER,)).fetchone()
        before = self.run("SELECT digest, byte_count, revision, created_at FROM document WHERE user_id = ? "
                          "AND collection = 'moods' AND id = ?", (self.USER, name)).fetchone()
        self.number += 1
        time = NOW + self.number
        revision = self.run("INSERT INTO change_log VALUES (NULL, ?, 'document', ?, ?, ?)",
                            (time, name, scope, b"\0")).lastrowid
        self.run("INSERT INTO document VALUES (?, 'moods', ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, collection, id) "
                 "DO UPDATE SET revision = excluded.revision, updated_at = excluded.updated_at, "
                 "digest = excluded.digest, byte_count = excluded.byte_count, json = excluded.json",
                 (self.USER, name, revision, before[3] if before else time, time, self.random.randbytes(32),
                  len(self.JSON) + len(name) + 5, self.JSON))
        counted = self.run("UPDATE document_usage SET document_count = document_count + ?, byte_count = byte_count + ? "
                           "WHERE user_id = ? AND collection = 'moods'", (0 if before else 1, 0, self.USER)).rowcount
        if not counted:
            self.run("INSERT INTO document_usage VALUES (?, 'moods', 1, 100)", (self.USER,))
        self.audit(self.USER, f"moods/{name}", "document.put", "", before[0] if before else None)
        self.keep_answer(f"user:{self.USER}")
