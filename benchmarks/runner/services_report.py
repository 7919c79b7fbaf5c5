"""The section of the services in RESULTS.md."""

from . import replica_report
from .tables import table, thousands, verdict


def engine_rows(found):
    if not found:
        return []
    rows = [["decision in memory, p50", f"{thousands(found['p50_ns'])} ns", "< 1 µs",
             verdict(found["p50_ns"], 1000, True)]]
    huge = found.get("huge_pages")
    if huge and "small_pages" in found:
        rows.append(["– with huge pages for all memory (`GLIBC_TUNABLES=glibc.malloc.hugetlb=1`) / "
                     "where the system gives none",
                     f"{thousands(huge['p50_ns'])} / {thousands(found['small_pages']['p50_ns'])} ns",
                     "–", "–"])
    rows += [
        ["– allowed p50 / denied p50 / all p99",
         f"{thousands(found['allowed_p50_ns'])} / {thousands(found['denied_p50_ns'])} / "
         f"{thousands(found['p99_ns'])} ns", "–", "–"],
        ["– one after the other, per second of processor time",
         thousands(found["decisions_per_second"]), "–", "–"],
    ]
    if "allocations_per_decision" in found:
        rows.append(["– allocations per decision", f"{found['allocations_per_decision']:g}", "0",
                     verdict(found["allocations_per_decision"], 0, True)
                     if found["allocations_per_decision"] == 0 else "no"])
    return rows


def cache_rows(tokens, permissions):
    rows = []
    if permissions:
        rows.append(["cached permission check in another service, per second of processor time",
                     thousands(permissions["cached_per_second"]), "5,000,000",
                     verdict(permissions["cached_per_second"], 5_000_000)])
        if "known_per_second" in permissions:
            rows.append(["– the same without `await` (`Permissions.known`)",
                         thousands(permissions["known_per_second"]), "5,000,000",
                         verdict(permissions["known_per_second"], 5_000_000)])
    if tokens:
        openssl = tokens["openssl_verify_per_second"]
        rows += [
            ["access token known, per second of processor time", thousands(tokens["cached_per_second"]), "1,000,000",
             verdict(tokens["cached_per_second"], 1_000_000)],
            ["access token new, per second of processor time", thousands(tokens["cold_per_second"]),
             f"{thousands(openssl)} (`openssl speed ecdsap256`)",
             verdict(tokens["cold_per_second"], openssl)],
            ["– bare ES256 signature through our wrapper, per second of processor time",
             thousands(tokens["signatures_per_second"]), "–", "–"],
        ]
    return rows


def passkey_rows(passkeys):
    if not passkeys:
        return []
    openssl = passkeys["openssl_verify_per_second"]
    return [["signature of a passkey, key made ready for each, per second of processor time",
             thousands(passkeys["es256_per_second"]),
             f"80 % of {thousands(openssl)} (`openssl speed ecdsap256`)",
             verdict(passkeys["es256_per_second"], 0.8 * openssl)]]


def store_rows(writes, refreshes, mails):
    rows = []
    if writes:
        plain = max(writes["sqlite_per_second"], writes["callers_1_per_second"])
        rows += [
            ["durable writes of one row, 64 callers, per second",
             thousands(writes["callers_64_per_second"]),
             f"10 × {thousands(plain)} (one transaction per fsync)",
             verdict(writes["callers_64_per_second"], 10 * plain)],
            ["– one transaction per fsync: plain SQLite / our store with one caller, per second",
             f"{thousands(writes['sqlite_per_second'])} / "
             f"{thousands(writes['callers_1_per_second'])}", "–", "–"],
        ]
    if mails:
        rows += [
            ["mails into the spool folder, durable, per second", thousands(mails["spool_per_second"]),
             "5,000", verdict(mails["spool_per_second"], 5000)],
            ["– to an SMTP server on the same host, over four connections", thousands(mails["smtp_per_second"]),
             f"{thousands(mails['smtplib_per_second'])} (Python's smtplib, over one)", "–"],
        ]
    if refreshes:
        rows.append(["refreshes over RPC, durable, 64 callers, per second",
                     thousands(refreshes["per_second"]), "2,000",
                     verdict(refreshes["per_second"], 2000)])
    return rows


def beside_postgres(title, found, peer):
    """A rate beside both kinds of rows in PostgreSQL that were measured in the same run."""
    if not found.get("rate"):
        return []
    names = {"bare": "bare", "same_rows": "same rows"}
    rows = [[title if kind == "bare" else f"– beside the {name} in PostgreSQL", thousands(found["rate"]),
             f"3 × {thousands(peer[kind]['rate'])} (PostgreSQL, {name})",
             verdict(found["rate"], 3 * peer[kind]["rate"])]
            for kind, name in names.items() if kind in peer]
    return rows or [[title, thousands(found["rate"]), "PostgreSQL is not there", "not measured"]]


def alone_rows(titles, found):
    """PostgreSQL in a run without the services."""
    if not found:
        return []
    rows = []
    for name, title in titles.items():
        runs = [found[name][kind] for kind in ("bare", "same_rows") if kind in found[name]]
        rows.append([f"– PostgreSQL alone, {found['date']}, load average {found['load_average']:g}: {title}: "
                     "per second; processor time; bytes of log",
                     "; ".join(" / ".join(thousands(run[figure]) for run in runs) + unit
                               for figure, unit in (("rate", ""), ("us", " µs"), ("log_bytes", ""))), "–", "–"])
    return rows


def product_rows(points, documents):
    points, documents = points or {}, documents or {}
    peers, document_peers = points.get("postgres") or {}, documents.get("postgres") or {}
    rows = beside_postgres("redemptions of points over RPC, durable, 100 accounts, 64 callers, per second",
                           points.get("spread") or {}, peers.get("spread") or {})
    rows += beside_postgres("– the same, all of one account", points.get("hot") or {}, peers.get("hot") or {})
    rows += alone_rows({"spread": "redemptions of 100 accounts, bare / same rows",
                        "hot": "redemptions of one account, bare / same rows"}, points.get("postgres_alone"))
    rows += beside_postgres("changes of documents over RPC, durable, 64 callers, per second", documents,
                            document_peers.get("put") or {})
    if "spread" in document_peers:
        rows.append(["– the same rows in PostgreSQL, documents of 100 users",
                     thousands(document_peers["spread"]["same_rows"]["rate"]), "–", "–"])
    rows += alone_rows({"put": "documents of one user, bare / same rows",
                        "spread": "documents of 100 users, same rows"}, documents.get("postgres_alone"))
    return rows


def checks_over_rpc(title, found):
    return [
        [title, thousands(found["rate"]), "150,000", verdict(found["rate"], 150_000)],
        ["– processor time of the service per check / share of its core that it got",
         f"{found['server_us_per_call']:.1f} µs / {found['server_cores'] * 100:.0f} %",
         "6.7 µs", verdict(found["server_us_per_call"], 6.7, True)],
    ]


def call_rows(checks, large, sign_ins, flood):
    rows = []
    if checks:
        rows += checks_over_rpc("permission checks over RPC, one core, 8×16, per second", checks)
    if large:
        size = thousands(large["entities"])
        rows += checks_over_rpc(
            f"the same with {size} devices and associations, a service about anybody",
            large["service"])
        rows += checks_over_rpc("– the same, a user about its own", large["user"])
        spans = [large[who].get("server_us_per_call_of_windows", []) for who in ("service", "user")]
        if all(spans):
            rows.append([f"– least and most of these {large['windows']} windows, of which the one in "
                         "the middle is shown: service / user",
                         " / ".join(f"{min(span):.1f}–{max(span):.1f} µs" for span in spans),
                         "–", "–"])
        rows.append(["– start to ready with that store / resident",
                     f"{large['start_ms'] / 1000:.1f} s / {large['resident_mb']} MB", "–", "–"])
    if sign_ins:
        rows += [
            ["sign-ins per second", f"{sign_ins['per_second']:.1f}",
             f"90 % of {sign_ins['raw_hashes_per_second']:.1f} (bare Argon2id)",
             verdict(sign_ins["per_second"], 0.9 * sign_ins["raw_hashes_per_second"])],
        ]
    if flood:
        low, middle, high = flood["busy_to_quiet"]
        rows += [
            ["p99 of 1,000 checks per second while sign-ins flood, in multiples of that of quiet "
             f"windows beside it: median (quartiles) of {flood['windows']} pairs",
             f"{middle:.2f} ({low:.2f}–{high:.2f})", "kept: within what quiet windows differ",
             "yes" if middle <= flood["quiet_to_quiet"][2]
             else f"no: {middle:.2f} × the target"],
            ["– two quiet windows beside each other, as multiples: median (quartiles)",
             "{1:.2f} ({0:.2f}–{2:.2f})".format(*flood["quiet_to_quiet"]), "–", "–"],
        ]
        if "hashing_to_quiet" in flood:
            rows += [
                ["– windows in which the other core does nothing but Argon2id, in multiples of quiet ones: "
                 "median (quartiles)",
                 "{1:.2f} ({0:.2f}–{2:.2f})".format(*flood["hashing_to_quiet"]), "–", "–"],
                ["– flooded windows in multiples of these: median (quartiles)",
                 "{1:.2f} ({0:.2f}–{2:.2f})".format(*flood["busy_to_hashing"]), "–", "–"],
                ["– p99 quiet / beside Argon2id alone / flooded, medians",
                 " / ".join(thousands(flood[f"{kind}_p99_us"][1])
                            for kind in ("quiet", "hashing", "busy")) + " µs", "–", "–"],
            ]
    return rows


def broad_rows(found):
    if not found:
        return []
    subjects, everything, reasons = (found[name] for name in ("ListSubjects", "Fetch", "Explain"))
    at_once = found["explain_at_once"]
    size = thousands(found["entities"])
    return [
        [f"who may view a device (`ListSubjects`), page of 50, {size} devices and associations, p99",
         f"{subjects['p99_us'] / 1000:.2f} ms", "5 ms", verdict(subjects["p99_us"], 5000, True)],
        ["all that an administrator may below a portfolio of a thousand devices (`Fetch`), page of "
         "1,000, the same store, p99", f"{everything['p99_us'] / 1000:.2f} ms", "5 ms",
         verdict(everything["p99_us"], 5000, True)],
        ["why somebody may or may not (`Explain`), the same store, 8×16, processor time of the service",
         f"{at_once['server_us_per_call']:.1f} µs", "50 µs",
         verdict(at_once["server_us_per_call"], 50, True)],
        ["– p50 of the three for a caller who asks one after the other",
         " / ".join(f"{thousands(one['p50_us'])} µs" for one in (subjects, everything, reasons)),
         "–", "–"],
    ]


def report_rows(found):
    if not found:
        return []
    small, large = found["small"], found["large"]
    return [
        [f"compliance report of {thousands(large['lines'])} lines, to a file, verified, per second",
         thousands(large["lines_per_second"]), "100,000",
         verdict(large["lines_per_second"], 100_000)],
        [f"– memory that the service takes for it at most / for one of {thousands(small['lines'])}",
         f"{large['peak_mb_more']:g} / {small['peak_mb_more']:g} MB", "the same",
         "yes" if large["peak_mb_more"] <= small["peak_mb_more"] + 4
         else f"no: {large['peak_mb_more'] - small['peak_mb_more']:.1f} MB more"],
    ]


PAGES = {"by_age": "oldest first", "by_name": "by name", "far_behind": "by name, a tenth behind",
         "by_text": "found by a text"}


def member_rows(found):
    if not found:
        return []
    rows = [[f"page of 50 of {thousands(found['members'])} members, {PAGES[name]}: clock / processor",
             f"{page['median_ms']:.1f} / {page['server_cpu_ms']:.1f} ms", "–", "–"]
            for name, page in found["pages"].items()]
    grants = found["grants"]
    return rows + [[f"{grants['roles']} roles granted in a batch: clock / processor",
                    f"{grants['median_ms']:.0f} / {grants['server_cpu_ms']:.0f} ms", "–", "–"]]


def import_rows(found):
    if not found:
        return []
    checks, sign_ins = found["checks_p99_us"], found["sign_ins_per_second"]
    return [
        [f"import of {thousands(found['rows'])} accounts with foreign hashes, per second",
         thousands(found["per_second"]), "20,000", verdict(found["per_second"], 20_000)],
        ["– p99 of checks alone / beside it",
         f"{checks['quiet']:,.0f} / {checks['beside']:,.0f} µs", "–", "–"],
        ["– sign-ins per second alone / beside it",
         f"{sign_ins['quiet']:.1f} / {sign_ins['beside']:.1f}", "–", "–"],
    ]


def start_rows(found):
    rows = []
    for name in found["again_ms"] if found else ():
        first, again = found["first_ms"][name], found["again_ms"][name]
        rows += [[f"{name}: start to ready, new store / old one", f"{first} / {again} ms",
                  "< 300 ms", verdict(max(first, again), 300, True)],
                 [f"{name}: resident when idle", f"{found['idle_mb'][name]} MB", "< 30 MB",
                  verdict(found["idle_mb"][name], 30, True)]]
    return rows


def render(section):
    results = section["results"]
    rows = engine_rows(results.get("engine"))
    rows += cache_rows(results.get("tokens"), results.get("permissions"))
    rows += passkey_rows(results.get("passkeys"))
    rows += store_rows(results.get("writes"), results.get("refreshes"), results.get("mails"))
    rows += call_rows(results.get("checks"), results.get("checks_large"),
                      results.get("sign_ins"), results.get("flood"))
    rows += broad_rows(results.get("broad_large"))
    rows += product_rows(results.get("points"), results.get("documents"))
    rows += member_rows(results.get("members"))
    rows += import_rows(results.get("imports"))
    rows += report_rows(results.get("report"))
    rows += start_rows(results.get("start_up"))
    rows += replica_report.rows(results)
    loads = ", ".join(f"{name} {found['load_average']:g}" for name, found in results.items()
                      if "load_average" in found)
    engine = results.get("engine") or {}
    return [
        "# The services", "",
        f"Measured {section['date']} at commit {section['machine']['commit']}, on "
        f"{section['machine']['processor']} ({section['machine']['cores']} cores). Each "
        f"measurement took {section['seconds']:g} s. The engine held "
        f"{thousands(engine.get('devices'))} devices and "
        f"{thousands(engine.get('associations'))} associations; the services that were called had "
        "stores with little in them, unless the line says otherwise.", "",
        f"Load average of the machine's {section['machine']['cores']} cores during the run, the benchmark "
        f"included: {loads}. **Above the number of cores, what runs gets a part of a core**, and "
        "rates of one core are that much too low; compare the figures of one line.", "",
        *table(["What", "Measured", "Target", "Reached"], rows),
        "## Commands of the services", "", "```", "scripts/setup --benchmarks",
        f"benchmarks/run services --seconds {section['seconds']:g}", "```", ""]
