"""Counts the pages of log that redemptions and changes of documents cost, by table and index.

`rows` starts the three services and makes one redemption without and with an idempotency key, and one change of a
document: the rows that are new or have changed in the service's own store, and the pages in its log. `groups` writes
groups of 64 into stores with the tables of the services and their statements (runner/layouts.py), over a number of
accounts, without some indexes and in other layouts; beside the pages it counts this process's processor time.
"""

import argparse
import os
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from . import layouts, page_log, peers, processes, products, same_rows
from .suite import SERVICES, Suite
from .tables import table

SCOPE = "audit_log_by_scope"
# What is measured of a kind: its name, the probe, and its options.
POINTS = (
    ("as it is", layouts.Points, {}),
    ("– with events", layouts.Points, {"events": True}),
    ("– a user for each account, and not one for all", layouts.Points, {"actors": "each"}),
    ("– with idempotency keys at random", layouts.Points, {"keys": "random"}),
    ("– with idempotency keys in order of time", layouts.Points, {"keys": "time"}),
    ("integers, one row of state for each holder", layouts.Integers, {}),
    ("– with audit packed", layouts.Integers, {"packed": True}),
)
DOCUMENTS = (
    ("as it is", layouts.Documents, {}),
    ("– with idempotency keys at random", layouts.Documents, {"keys": "random"}),
    ("without audit by scope", layouts.Documents, {"without": [SCOPE]}),
)


def arguments():
    parser = argparse.ArgumentParser(prog="benchmarks/durable-pages", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("rows", "groups"))
    parser.add_argument("--programs", type=Path, default=Path(os.environ.get("BUILT_PROGRAMS", peers.BUILT)),
                        help="folder of the services and of gatehouse, built for anything (default BUILT_PROGRAMS, or "
                             "else .build/release)")
    parser.add_argument("--accounts", default="100,10000", help="of groups: numbers of accounts (default 100,10000)")
    parser.add_argument("--entries", default="300,10",
                        help="of groups: entries that each account has before, by number of accounts (default 300,10)")
    parser.add_argument("--groups", type=int, default=60, help="groups that the mean is of (default 60)")
    parser.add_argument("--only", default="", help="of groups: only layouts whose names have this text")
    parser.add_argument("--trees", action="store_true", help="of groups: also the pages of each table and index")
    return parser.parse_args()


def suite(options, folder):
    for name in ("gatehouse", *(f"{service}-service" for service in SERVICES)):
        if not peers.is_there(str(options.programs / name)):
            sys.exit(f"benchmarks/durable-pages: not built: {options.programs / name}")
    return Suite(options.programs, folder, settings={"tenancy": {"policy": str(products.FAMILY)}})


def schema(path):
    """The statements that make the tables of a store; those of SQLite itself and of its triggers are left out."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return [sql for sql, in connection.execute(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
            "ORDER BY type = 'trigger', type = 'index', rowid")]
    finally:
        connection.close()


# --- one write of a service --------------------------------------------------------------------


def observed(path, write):
    """The rows that a write changes, and the pages in the log by table and index."""
    before = len(page_log.frames(path))
    rows, _ = same_rows.written(path, write)
    pages = page_log.by_tree(page_log.frames(path)[before:], page_log.trees(path))
    return rows, pages


def print_rows(title, rows, pages):
    names = [name for name in rows if name not in pages] + list(pages)
    lines = [[name, str(rows.get(name, "")), str(pages.get(name, ""))] for name in names]
    lines.append(["all", str(sum(rows.values())), str(sum(pages.values()))])
    print(f"{title}\n")
    print("\n".join(table(["Table or index", "Rows new or changed", "Pages of log"], lines)))


def rows(options, folder):
    with suite(options, folder) as running:
        running.client("signup", "load@example.com", "Load")
        child = products.children_with_points(running, 1)[0]
        entitlement, tenancy = running.store("entitlement"), running.store("tenancy")

        def redeem(key=""):
            return products.redeem_once(running, child, key)

        # The first of each makes rows that the next ones change.
        redeem(), products.put_once(running)
        for title, store, write, probe, settings in (
            ("A redemption without a key", entitlement, redeem, layouts.Points, {}),
            ("A redemption with a key", entitlement, lambda: redeem("first"), layouts.Points, {"keys": "time"}),
            ("A change of a document", tenancy, lambda: products.put_once(running), layouts.Documents, {}),
        ):
            found, pages = observed(store, write)
            print_rows(title, found, pages)
            require_same(pages, probe(Path(folder) / f"{title}.db", schema(store), **settings))


def require_same(pages, probe):
    """Throws unless one write of the probe changes the tables and indexes that the service's has changed.

    Both stores are small, so each of them is one page.
    """
    probe.fill(1, 3)
    probe.group(probe.write, 1)
    own = page_log.by_tree(page_log.frames(probe.path), page_log.trees(probe.path))
    probe.connection.close()
    if set(own) != set(pages):
        raise RuntimeError(f"the probe changes {set(own) ^ set(pages)} differently: change runner/layouts.py")


# --- groups in a probe -------------------------------------------------------------------------


def measured(probe, options, accounts, entries):
    """Mean pages of a group, those of each table and index, and microseconds of this process for one write."""
    probe.fill(accounts, entries)
    began, pages = time.process_time(), []
    for _ in range(options.groups):
        before = len(pages)
        probe.group(probe.write)
        pages = page_log.frames(probe.path)
        assert len(pages) > before, "the log must grow"
    spent = time.process_time() - began
    known = page_log.by_tree(pages, page_log.trees(probe.path))
    probe.connection.close()
    return len(pages) / options.groups, {name: count / options.groups for name, count in known.most_common()}, \
        spent / options.groups / 64 * 1e6


def group_lines(kinds, shapes, schema_of, options, folder):
    lines = []
    for title, probe, settings in kinds:
        if options.only not in title:
            continue
        line = [title]
        for accounts, entries in shapes:
            path = Path(folder) / "probe.db"
            for old in Path(folder).glob("probe.db*"):
                old.unlink()
            pages, trees, spent = measured(probe(path, schema_of, **settings), options, accounts, entries)
            line += [f"{pages:.0f}", f"{spent:.0f}"]
            if options.trees:
                shares = ", ".join(f"{name} {count:.1f}" for name, count in trees.items())
                print(f"{title}, {accounts} accounts: {shares}")
        lines.append(line)
        print("| " + " | ".join(line) + " |", file=sys.stderr, flush=True)
    return lines


def groups(options, folder):
    with suite(options, folder) as running:
        schemas = {name: schema(running.store(name)) for name in ("entitlement", "tenancy")}
    accounts, entries = ([int(number) for number in text.split(",")] for text in (options.accounts, options.entries))
    if len(accounts) != len(entries):
        sys.exit("benchmarks/durable-pages: --entries takes one number for each of --accounts")
    shapes = list(zip(accounts, entries))
    names = [f"{accounts:,} accounts with {entries} entries each" for accounts, entries in shapes]
    columns = [column for name in names for column in (f"{name}: pages", "µs")]
    lines = group_lines(POINTS, shapes, schemas["entitlement"], options, folder)
    print("\n".join(table([f"64 redemptions, mean of {options.groups} groups", *columns], lines)))
    lines = group_lines(DOCUMENTS, [(1, 3000)], schemas["tenancy"], options, folder)
    print("\n".join(table([f"64 changes of a thousand documents, mean of {options.groups} groups", "pages", "µs"],
                          lines)))


def main():
    options = arguments()
    processes.prepare()
    peers.WORK.mkdir(exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=peers.WORK) as folder:
            {"rows": rows, "groups": groups}[options.what](options, folder)
    finally:
        processes.end_all()
    return 0
