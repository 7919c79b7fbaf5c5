"""What the services write for a redemption and for a document, written by PostgreSQL alone.

The tables and their indexes are those of a service's own store, which `copy-store` moves to PostgreSQL. A statement
for each kind of write has the service's look-ups and rows in one round trip, which is the least that a client of
PostgreSQL can do; what the service computes (identifiers, digests, codes of tombstones) is fixed or a number.
"""

import json
import sqlite3
import subprocess

APP = "com.example.math"
NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
# What a service makes for each write: names that grow with time, others at random, and a digest of 32 bytes.
ID = "lpad(nextval('bench_number')::text, 26, '0')"
REQUEST = "'req_' || substr(md5(random()::text), 1, 26)"
DIGEST = f"'\\x{'5a' * 32}'::bytea"
# Keys of tombstones that are looked for: the caller's and the holder's.
ERASED = f"EXISTS (SELECT 1 FROM erased WHERE key = '\\x{'a5' * 32}'::bytea OR key = '\\x{'5b' * 32}'::bytea)"

# Plans are made once, and look a row up by its key in a small table too.
SETTINGS = """
ALTER DATABASE {database} SET plan_cache_mode = force_generic_plan;
ALTER DATABASE {database} SET enable_seqscan = off;
"""

# Holders that have what the first has.
HOLD = """
INSERT INTO points_rule (holder, app, points_per_minute, points_per_reward_minute, requires_approval, revision)
SELECT other, app, points_per_minute, points_per_reward_minute, requires_approval, revision
FROM points_rule, unnest('{names}'::text[]) AS other ON CONFLICT DO NOTHING;
INSERT INTO points_holder SELECT other, entry_count
FROM points_holder, unnest('{names}'::text[]) AS other ON CONFLICT DO NOTHING;
INSERT INTO points_account SELECT other, app, name, points
FROM points_account, unnest('{names}'::text[]) AS other ON CONFLICT DO NOTHING;
INSERT INTO points_reward SELECT other, reward, ends_at
FROM points_reward, unnest('{names}'::text[]) AS other ON CONFLICT DO NOTHING;
"""

# A thousand documents of each, so that PostgreSQL plans for what it finds.
FILL = f"""
INSERT INTO document (user_id, digest, byte_count, collection, id, json, revision, created_at, updated_at)
SELECT owner, {DIGEST}, {{bytes}} + length('m' || place), 'moods', 'm' || place, '{{content}}', 0, 0, 0
FROM unnest('{{names}}'::text[]) AS owner CROSS JOIN generate_series(0, 999) AS place
ON CONFLICT DO NOTHING;
INSERT INTO document_usage SELECT user_id, collection, count(*), sum(byte_count) FROM document GROUP BY 1, 2
ON CONFLICT (user_id, collection) DO UPDATE
SET document_count = excluded.document_count, byte_count = excluded.byte_count;
"""

# PointsHandler+Redeeming.swift: rule and balance, reward time, count of entries, the two accounts, the entry, audit.
REDEEM = f"""
\\set number random(1, {{count}})
WITH named AS MATERIALIZED (SELECT ('{{names}}'::text[])[:number] AS id), rule AS MATERIALIZED (
  SELECT holder, points_per_reward_minute AS rate FROM named
  JOIN points_rule ON holder = id AND app = '{APP}'
  WHERE requires_approval = 0 AND NOT {ERASED} AND NOT EXISTS (SELECT 1 FROM points_request
    WHERE points_request.holder = id AND state = 'pending' AND expires_at <= {NOW})
), reward AS (
  INSERT INTO points_reward (holder, reward, ends_at) SELECT holder, 'games', {NOW} + 60000 FROM rule
  ON CONFLICT (holder, reward) DO UPDATE SET ends_at = greatest(points_reward.ends_at, {NOW}) + 60000
), counted AS (
  INSERT INTO points_holder (holder, entry_count) SELECT holder, 1 FROM rule
  ON CONFLICT (holder) DO UPDATE SET entry_count = points_holder.entry_count + 1
  RETURNING holder, entry_count
), taken AS (
  UPDATE points_account SET points = points - rate FROM rule
  WHERE points_account.holder = rule.holder AND app = '{APP}' AND name = 'balance' AND points >= rate
  RETURNING points_account.holder, points, rate
), given AS (
  INSERT INTO points_account (holder, app, name, points) SELECT holder, '{APP}', 'redeemed', rate FROM taken
  ON CONFLICT (holder, app, name) DO UPDATE SET points = points_account.points + excluded.points
), entry AS (
  INSERT INTO points_entry (holder, debit, credit, number, transaction_id, kind, app, points, minutes,
    points_per_minute, reward, reversed_id, balance, actor_id, occurred_at)
  SELECT holder, 'balance', 'redeemed', entry_count, 'ptx_' || {ID}, 'redeem', '{APP}', rate, 1, rate, 'games', NULL,
    points, '{{user}}', {NOW}
  FROM taken JOIN counted USING (holder)
  RETURNING holder, transaction_id
)
INSERT INTO audit_log (recorded_at, actor, on_behalf_of, request_id, action, object, scope, outcome, before_digest,
  after_digest, detail)
SELECT {NOW}, 'user:' || '{{user}}', NULL, {REQUEST}, 'points.redeem', transaction_id, holder, 'done', NULL, {DIGEST},
  '1 points, 1 entries'
FROM entry;
"""

# UserDocuments.swift: suspension, the document as it was, a change, the document, the size of its collection, audit.
PUT = f"""
\\set owner random(1, {{count}})
\\set number random(0, {{last}})
WITH named AS MATERIALIZED (SELECT ('{{names}}'::text[])[:owner] AS user_id), owner AS MATERIALIZED (
  SELECT user_id FROM named
  WHERE NOT {ERASED} AND NOT EXISTS (SELECT 1 FROM suspension WHERE suspension.user_id = named.user_id)
), before AS (
  SELECT digest, byte_count FROM document JOIN owner USING (user_id) WHERE collection = 'moods' AND id = 'm' || :number
), change AS (
  INSERT INTO change_log (recorded_at, kind, subject, scope, payload)
  SELECT {NOW}, 'document', 'm' || :number, user_id || '/moods', '\\x00' FROM owner RETURNING revision
), stored AS (
  INSERT INTO document (user_id, digest, byte_count, collection, id, json, revision, created_at, updated_at)
  SELECT user_id, {DIGEST}, {{bytes}} + length('m' || :number), 'moods', 'm' || :number, '{{content}}', revision, {NOW},
    {NOW}
  FROM owner, change
  ON CONFLICT (user_id, collection, id) DO UPDATE SET revision = excluded.revision,
    updated_at = excluded.updated_at, digest = excluded.digest, byte_count = excluded.byte_count, json = excluded.json
  RETURNING byte_count
), counted AS (
  INSERT INTO document_usage (user_id, collection, document_count, byte_count)
  SELECT user_id, 'moods', CASE WHEN before.byte_count IS NULL THEN 1 ELSE 0 END,
    stored.byte_count - coalesce(before.byte_count, 0)
  FROM owner CROSS JOIN stored LEFT JOIN before ON true
  ON CONFLICT (user_id, collection) DO UPDATE
  SET document_count = document_usage.document_count + excluded.document_count,
    byte_count = document_usage.byte_count + excluded.byte_count
)
INSERT INTO audit_log (recorded_at, actor, on_behalf_of, request_id, action, object, scope, outcome, before_digest,
  after_digest, detail)
SELECT {NOW}, 'user:' || user_id, NULL, {REQUEST}, 'document.put', 'moods/m' || :number, user_id, 'done',
  before.digest, {DIGEST}, ''
FROM owner LEFT JOIN before ON true;
"""

# The same as REDEEM, as the service asks and writes: its statements one by one, of which $1 is the number of the write
# and $2 that of its holder, for postgres-writes. What a statement does not need is not mentioned in it.
HOLDER = "('{names}'::text[])[$2]"
TRANSACTION = "'ptx_' || lpad($1::text, 26, '0')"
REDEEM_STATEMENTS = (
    f"SELECT 1 FROM erased WHERE key = '\\x{'a5' * 32}'::bytea LIMIT 1",
    f"SELECT 1 FROM erased WHERE key = '\\x{'5b' * 32}'::bytea LIMIT 1",
    f"INSERT INTO change_log (revision, recorded_at, kind, subject, scope, payload) "
    f"VALUES ($1, {NOW}, 'points', {HOLDER}, '', '\\x')",
    f"SELECT id, holder, reward, state, hold_id, requested_by, requested_at, expires_at, decided_by, decided_at, "
    f"transaction_id FROM points_request WHERE holder = {HOLDER} AND state = 'pending' AND expires_at <= {NOW} "
    "ORDER BY expires_at, id",
    f"SELECT (SELECT points FROM points_account WHERE holder = points_rule.holder AND app = points_rule.app AND "
    f"name = 'balance'), app, points_per_minute, points_per_reward_minute, requires_approval, revision "
    f"FROM points_rule WHERE holder = {HOLDER} AND app = '{APP}' LIMIT 1",
    f"SELECT reward, ends_at FROM points_reward WHERE holder = {HOLDER} AND reward = 'games' AND ends_at > {NOW} "
    "LIMIT 1",
    f"UPDATE points_reward SET ends_at = ends_at + 60000 WHERE holder = {HOLDER} AND reward = 'games'",
    f"SELECT '', '', entry_count FROM points_holder WHERE holder = {HOLDER} "
    f"UNION ALL SELECT app, name, points FROM points_account WHERE holder = {HOLDER} AND app = '{APP}'",
    f"INSERT INTO points_holder (holder, entry_count) VALUES ({HOLDER}, 1) "
    "ON CONFLICT (holder) DO UPDATE SET entry_count = points_holder.entry_count + excluded.entry_count",
    f"UPDATE points_account SET points = points - 1 WHERE holder = {HOLDER} AND app = '{APP}' AND name = 'balance'",
    f"INSERT INTO points_account (holder, app, name, points) VALUES ({HOLDER}, '{APP}', 'redeemed', 1) "
    "ON CONFLICT (holder, app, name) DO UPDATE SET points = points_account.points + excluded.points",
    "INSERT INTO points_entry (holder, debit, credit, number, transaction_id, kind, app, points, minutes, "
    "points_per_minute, reward, reversed_id, balance, actor_id, occurred_at) "
    f"SELECT holder, 'balance', 'redeemed', entry_count, {TRANSACTION}, 'redeem', '{APP}', 1, 1, 1, 'games', NULL, 1, "
    f"'{{user}}', {NOW} FROM points_holder WHERE holder = {HOLDER}",
    "INSERT INTO audit_log (recorded_at, actor, on_behalf_of, request_id, action, object, scope, outcome, "
    f"before_digest, after_digest, detail) VALUES ({NOW}, 'user:{{user}}', NULL, {REQUEST}, 'points.redeem', "
    f"{TRANSACTION}, {HOLDER}, 'done', NULL, {DIGEST}, '1 points, 1 entries')",
)


def array(names):
    return "{" + ",".join(names) + "}"


def redemption(user, holders):
    """The redemption of a point of one of the holders, by a user."""
    return REDEEM.format(user=user, names=array(holders), count=len(holders))


def redemption_statements(user, holders):
    """The statements of a redemption by a user, a line each."""
    return "".join(f"{statement}\n".format(user=user, names=array(holders)) for statement in REDEEM_STATEMENTS)


def holders_before(holders):
    """What gives the points and rules of one holder to all."""
    return HOLD.format(names=array(holders))


def document_put(content, owners, documents=1000):
    """The change of one of so many documents of one of the owners."""
    return PUT.format(**kept(content), names=array(owners), count=len(owners), last=documents - 1)


def documents_before(content, owners):
    """What makes the documents that are changed."""
    return FILL.format(**kept(content), names=array(owners))


def kept(content):
    """The content as the service keeps it, and the bytes that count for it and its collection."""
    text = json.dumps(json.loads(content), separators=(",", ":"))
    return {"content": text, "bytes": len("moods") + len(text)}


def copy(suite, service, postgres, before=""):
    """Moves the store of a service that has ended to a database of its name, and runs `before` there."""
    postgres.execute(f"CREATE DATABASE {service}")
    subprocess.run([suite.program(f"{service}-service"), "--config", str(suite.folder / f"{service}.json"),
                    "copy-store", postgres.address(service)], check=True, capture_output=True, timeout=120)
    postgres.execute(f"CREATE SEQUENCE bench_number; {before} {SETTINGS.format(database=service)}", service)
    postgres.execute("VACUUM ANALYZE", service)


def rows_of(tables, query, row):
    """All rows of tables by name, as text that tells them apart; `query` runs a statement, `row` names one."""
    return {table: {str(found) for found in query(f"SELECT {row} FROM {table} AS one")} for table in tables}


def changes(before, after):
    """How many rows of each table are new or have changed."""
    return {table: len(rows - before[table]) for table, rows in after.items() if rows - before[table]}


def written(path, write):
    """The rows that a write adds to a store in a file or changes there, by table; and what the write answers."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = [name for name, in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        before = rows_of(tables, connection.execute, "*")
        answer = write()
        return changes(before, rows_of(tables, connection.execute, "*")), answer
    finally:
        connection.close()


def written_on_server(postgres, database, write):
    """The rows that a write adds to a database or changes there, by table."""
    def query(sql):
        return postgres.execute(sql, database)

    tables = [name for name, in query(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    before = rows_of(tables, query, "one::text")
    write()
    return changes(before, rows_of(tables, query, "one::text"))


def require_equal(found, own, service):
    """Throws unless PostgreSQL alone has written as many rows of each table as the service has."""
    if found != own:
        raise RuntimeError(f"PostgreSQL writes {found}, and {service} {own}: change benchmarks/runner/same_rows.py")


def require_same(postgres, service, script, own):
    """Throws unless one run of the script writes as many rows of each table as the service has written."""
    require_equal(written_on_server(postgres, service, lambda: postgres.once(script, service)), own, service)
