"""Rows of RESULTS.md about stores on PostgreSQL, several programs on one store, and stores of any size."""

from .tables import thousands, verdict


def check_rows(found):
    if not found:
        return []
    file, server = found["in_memory"]["file"], found["in_memory"]["server"]
    first, two, reads = found["first"], found["by_two"], found["reads"]
    per_second = {name: 1e6 / one["server_us_per_call"] for name, one in found["in_memory"].items()}
    trip = found["round_trip_us"] / 1000
    return [
        ["permission checks, trees in memory, store on PostgreSQL, per second of processor time",
         thousands(per_second["server"]), f"90 % of {thousands(per_second['file'])} (store in a file)",
         verdict(per_second["server"], 0.9 * per_second["file"])],
        ["– p50 of one after the other: PostgreSQL / file", f"{server['p50_us']:.0f} / {file['p50_us']:.0f} µs",
         "unchanged: within 5 %", verdict(server["p50_us"], 1.05 * file["p50_us"], True)],
        [f"– reads of the store in {thousands(reads['checks'])} such checks", reads["round_trips"], "0",
         "yes" if reads["round_trips"] == 0 else "no"],
        [f"first check in a tree of {found['entities']} entities, store on PostgreSQL, p99",
         f"{first['server']['p99_us'] / 1000:.1f} ms", "5 ms", verdict(first["server"]["p99_us"], 5000, True)],
        [f"– with a round trip of {trip:g} ms to the server, p99", f"{first['relayed']['p99_us'] / 1000:.1f} ms",
         f"5 ms and a round trip, {5 + trip:g} ms", verdict(first["relayed"]["p99_us"], 1000 * (5 + trip), True)],
        ["– its round trips", f"{first['relayed']['round_trips']:.1f}", "–", "–"],
        ["– p50: file / PostgreSQL / with that round trip",
         " / ".join(f"{first[kind]['p50_us'] / 1000:.1f}" for kind in ("file", "server", "relayed")) + " ms",
         "–", "–"],
        ["processor time of a check by two programs on one store, each on a core, at once",
         f"{two['two_us']:.2f} µs", f"1.05 × {two['one_us']:.2f} µs (one at a time)",
         verdict(two["two_us"], 1.05 * two["one_us"], True)],
        ["– checks by both, per second, the load on the same two cores", thousands(two["rate"]), "–", "–"],
    ]


def write_rows(found):
    if not found:
        return []
    slow, fast, spread, alone = (found[name] for name in ("one_by_one", "pipelined", "spread", "alone"))
    documents, document = found["documents"], found["document_alone"]
    trip = fast["round_trip_us"] / 1000
    return [
        [f"redemptions of points over RPC, durable, PostgreSQL a round trip of {trip:.1f} ms away, 100 accounts, "
         "64 callers, per second", thousands(spread["rate"]),
         f"10 × {thousands(slow['rate'])} (libpq, one statement after the other)",
         verdict(spread["rate"], 10 * slow["rate"])],
        ["– beside libpq that sends groups of 64 at once", thousands(spread["rate"]),
         f"60 % of {thousands(fast['rate'])}", verdict(spread["rate"], 0.6 * fast["rate"])],
        ["– round trips of a redemption: 64 callers / one caller",
         f"{spread['round_trips']:.1f} / {alone['round_trips']:.1f}", "3", verdict(spread["round_trips"], 3, True)],
        ["– processor time of a redemption: service / PostgreSQL / PostgreSQL for one caller",
         " / ".join(thousands(us) for us in (spread["service_us"], spread["server_us"], alone["server_us"])) + " µs",
         "–", "–"],
        ["– p50: 64 callers / one caller",
         f"{spread['p50_us'] / 1000:.0f} / {alone['p50_us'] / 1000:.0f} ms", "–", "–"],
        ["– all of one account, by two programs, per second", thousands(found["hot_by_two"]["rate"]),
         f"35 % of {thousands(spread['rate'])} (100 accounts)",
         verdict(found["hot_by_two"]["rate"], 0.35 * spread["rate"])],
        ["– of one account by one program / of 100 accounts by two, per second",
         f"{thousands(found['hot']['rate'])} / {thousands(found['spread_by_two']['rate'])}", "–", "–"],
        ["changes of documents there, 64 callers, per second", thousands(documents["rate"]), "–", "–"],
        ["– round trips of a change: 64 callers / one caller",
         f"{documents['round_trips']:.1f} / {document['round_trips']:.1f}", "3",
         verdict(documents["round_trips"], 3, True)],
        ["round trips of a refresh there", f"{found['refresh']['round_trips']:.1f}", "3",
         verdict(found["refresh"]["round_trips"], 3, True)],
    ]


def change_rows(found):
    if not found:
        return []
    role, session, suspension = (found[name] for name in ("role", "session", "suspension"))
    return [
        ["from a role granted or revoked to a check by another program, p50", f"{role['p50_ms']:.1f} ms", "10 ms",
         verdict(role["p50_ms"], 10, True)],
        [f"– p99 of {role['samples']}", f"{role['p99_ms']:.1f} ms", "100 ms", verdict(role["p99_ms"], 100, True)],
        [f"from the end of a session to its refusal by six programs of three services, p99 of {session['samples']}",
         f"{session['p99_ms']:.1f} ms", "200 ms", verdict(session["p99_ms"], 200, True)],
        [f"suspension beside 64 callers who write, until another program refuses, p99 of "
         f"{suspension['until_refused']['samples']}", f"{suspension['until_refused']['p99_ms']:.0f} ms", "200 ms",
         verdict(suspension["until_refused"]["p99_ms"], 200, True)],
        ["– p50, and p50 of the call / writes per second beside it",
         f"{suspension['until_refused']['p50_ms']:.0f}, {suspension['call']['p50_ms']:.0f} ms / "
         f"{thousands(suspension['writes_per_second'])}", "–", "–"],
    ]


def size_rows(title, found):
    if not found:
        return []
    cold, busy, limit = found["cold"], found["coming_and_going"], found["limit_mib"] * 1.048576
    grown = busy["resident_mb"] - busy["idle_mb"]
    return [
        [f"TenancyService with {thousands(found['entities'])} entities and {thousands(found['roles'])} roles {title} "
         f"({found['store_gb']:g} GB): start to ready", f"{found['ready_ms']['max']} ms", "1 s",
         verdict(found["ready_ms"]["max"], 1000, True)],
        ["– the first check of all / the first of a tree, p50, p99",
         f"{cold['very_first_ms']:.0f} / {cold['p50_us'] / 1000:.0f}, {cold['p99_us'] / 1000:.0f} ms", "–", "–"],
        ["– checks whose trees come and go, a quarter of them in memory: per second, p50, p99, processor time",
         f"{thousands(busy['rate'])}, {busy['p50_us'] / 1000:.0f}, {busy['p99_us'] / 1000:.0f} ms, "
         f"{busy['us'] / 1000:.1f} ms", "–", "–"],
        ["– memory that trees take, as counted", f"{busy['counted_mb']:.0f} MB",
         f"110 % of {limit:.0f} MB (`memory_limit_mib`)", verdict(busy["counted_mb"], 1.1 * limit, True)],
        ["– by which the process has grown with them / at most",
         f"{grown:.0f} / {busy['peak_mb'] - busy['idle_mb']:.0f} MB", f"110 % of {limit:.0f} MB",
         verdict(grown, 1.1 * limit, True)],
    ]


def rows(results):
    """Those of all parts that were measured."""
    return (check_rows(results.get("replica_checks")) + write_rows(results.get("replica_writes"))
            + change_rows(results.get("replica_changes")) + size_rows("in a file", results.get("sizes_file"))
            + size_rows("on PostgreSQL", results.get("sizes_server")))
