"""Measures the services and writes the second section of RESULTS.md."""

import ctypes
import json
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import (hashing, imports, large_store, machine, mails, members, peers, postgres, processes, products,
               replica_changes, replica_checks, replica_writes, sizes)
from .service_load import BENCHMARK, accept, loaded, rpcload, service_credential
from .suite import POLICY, SERVICES, Suite

BUILT = peers.BUILT
PROGRAMS = ("auth-service", "tenancy-service", "entitlement-service", "gatehouse", "rpcload")
# Windows of checks with a large store, by a service and by a user each.
LARGE_WINDOWS = 7
# Windows of each question that has a long answer.
BROAD_WINDOWS = 3
# Windows at most until all trees that are asked for are in memory.
WARMING_WINDOWS = 20
# Parts with stores on PostgreSQL; "replicas" means all of them.
ON_SERVER = {"replica_checks": replica_checks.measure, "replica_writes": replica_writes.measure,
             "replica_changes": replica_changes.measure, "sizes_file": sizes.in_file, "sizes_server": sizes.on_server}
# One measurement of a service takes no longer than this.
SECONDS_MAX = 2


def program(name):
    return str(BUILT / name)


def build(with_benchmark=True):
    """Builds the programs, and the benchmark that runs inside one process."""
    for what in [["--target", "MeasuredPrograms"]] + [["--product", "service-benchmark"]] * with_benchmark:
        subprocess.run(["swift", "build", "-c", "release", "--static-swift-stdlib",
                        "--scratch-path", str(peers.SCRATCH), "--package-path", str(peers.BENCHMARKS), *what],
                       check=True, timeout=3600)


def benchmark(*arguments, core=None, **options):
    """Runs service-benchmark, which prints one line of JSON."""
    words = [str(BENCHMARK), *map(str, arguments)]
    if core is not None:
        words = ["taskset", "-c", str(core), *words]
    before, began = processes.busy_seconds(), time.monotonic()
    own = os.times()
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout.strip()} {done.stderr.strip()}")
    after, used = processes.busy_seconds(), os.times()
    took = time.monotonic() - began
    children = used.children_user + used.children_system - own.children_user - own.children_system
    found = json.loads(done.stdout.splitlines()[-1])
    found["other_cores"] = round(max(0.0, (after[0] - before[0] - children) / took), 2)
    found["_errors"] = done.stderr
    return found


# --- inside one process ------------------------------------------------------------------------


def refuse_large_pages():
    """This process and what it becomes get none (prctl(2), PR_SET_THP_DISABLE)."""
    ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)


def engine(options):
    size = ("--devices", options.entities, "--associations", options.entities, "--count", 200_000)
    with open(POLICY) as policy:
        found = benchmark("engine", *size, stdin=policy, core=processes.SERVER_CORE)
    with open(POLICY) as policy:
        huge = benchmark("engine", *size, stdin=policy, core=processes.SERVER_CORE,
                         env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"})
    huge.pop("_errors")
    found["huge_pages"] = huge
    with open(POLICY) as policy:
        small = benchmark("engine", *size, stdin=policy, core=processes.SERVER_CORE,
                          preexec_fn=refuse_large_pages)
    small.pop("_errors")
    found["small_pages"] = small
    if peers.is_there(str(peers.COUNTER)):
        with open(POLICY) as policy:
            counted = benchmark("engine", "--devices", 10_000, "--associations", 10_000,
                                "--signal-allocations", stdin=policy,
                                env={**os.environ, "LD_PRELOAD": str(peers.COUNTER)})
        first, last = (int(line) for line in counted["_errors"].split()[-2:])
        found["allocations_per_decision"] = round((last - first) / 100_000, 4)
    return found


def openssl_verifications():
    """What OpenSSL does in a second with one key, on the core of the servers."""
    done = subprocess.run(["taskset", "-c", str(processes.SERVER_CORE), "openssl", "speed",
                           "-seconds", "2", "ecdsap256"], capture_output=True, text=True, timeout=60)
    line = [line for line in done.stdout.splitlines() if "nistp256" in line][-1]
    return float(line.split()[-1])


def tokens(options):
    found = benchmark("tokens", "--seconds", options.seconds, core=processes.SERVER_CORE)
    found["openssl_verify_per_second"] = openssl_verifications()
    return found


def passkeys(options):
    found = benchmark("passkeys", "--seconds", options.seconds, core=processes.SERVER_CORE)
    found["openssl_verify_per_second"] = openssl_verifications()
    return found


def permissions(options):
    return benchmark("permissions", "--seconds", options.seconds)


# --- the store ---------------------------------------------------------------------------------


def writes(options, folder):
    found = benchmark("writes", "--seconds", options.seconds, "--folder", folder)
    connection = sqlite3.connect(os.path.join(folder, "plain.db"), isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
    count, began = 0, time.monotonic()
    while time.monotonic() - began < options.seconds:
        connection.execute("INSERT INTO note (text) VALUES ('a row of forty bytes, give or take')")
        count += 1
    found["sqlite_per_second"] = count / (time.monotonic() - began)
    connection.close()
    found["ratio"] = found["callers_64_per_second"] / found["sqlite_per_second"]
    return found


# --- services that run -------------------------------------------------------------------------


def built_suite(folder, **options):
    """The built services in a folder."""
    return Suite(BUILT, folder, **options)


def start_up(folder):
    """Seconds to readiness with an empty store and again with one, and memory when idle."""
    found = {}
    with Suite(BUILT, folder) as suite:
        found["first_ms"] = {name: round(suite.started[name] * 1000) for name in SERVICES}
    with Suite(BUILT, folder) as suite:
        found["again_ms"] = {name: round(suite.started[name] * 1000) for name in SERVICES}
        time.sleep(2)
        found["idle_mb"] = {name: round(suite.resident_bytes(name) / 1e6, 1) for name in SERVICES}
    return found


def refreshes(options, folder):
    # Cheap hashes, because the accounts are not what is measured.
    cheap = {"auth": {"password_hash": {"memory_kib": 8, "passes": 1}}}
    with Suite(BUILT, folder, settings=cheap) as suite:
        return benchmark("refreshes", "--target", f"127.0.0.1:{suite.ports['auth']}",
                         "--seconds", options.seconds)


def question(suite):
    """A user's credential and a check that is allowed."""
    suite.client("signup", "load@example.com", "Load")
    session = json.loads((suite.folder / "session.json").read_text())
    made = json.loads(suite.client("call", "Portfolios/Create", '{"name": "Load"}'))
    return (f"authorization=Bearer {session['access_token']}",
            f'2: "portfolio.view" 3: "{made["id"]}"')


def checks(options, folder):
    """Checks per second of TenancyService on one core with one event loop."""
    with Suite(BUILT, folder, loops=1, core=processes.SERVER_CORE) as suite:
        credential, message = question(suite)
        return loaded(suite, message, credential, options)


def median_window(windows):
    """The window in the middle by the service's time per call, and that time of every window."""
    ordered = sorted(windows, key=lambda window: window["server_us_per_call"])
    return {**ordered[len(ordered) // 2],
            "server_us_per_call_of_windows": [window["server_us_per_call"] for window in windows]}


def filled(options, folder):
    """A folder of services with a large store; a user's identifier and credential, and what is there."""
    with Suite(BUILT, folder, loops=1) as suite:
        credential, _ = question(suite)
        user = json.loads((suite.folder / "session.json").read_text())["user_id"]
    world = large_store.fill(str(suite.store("tenancy")), options.entities, user)
    accept(suite, "tenancy")
    return suite.folder, user, credential, world


def warm(suite, requests, options, method="Check"):
    """Asks until no more trees come into memory: a question about one that is not there waits for it, and when more
    wait than the service takes at once, they are refused."""
    trees = -1
    for _ in range(WARMING_WINDOWS):
        loaded(suite, requests, service_credential(suite), options, method=f"tenancy.v1.Permissions/{method}")
        trees, before = suite.metric("tenancy", "gatehouse_tenancy_trees"), trees
        if trees == before:
            return


def checks_large(options, folder):
    """The same with a large store: a service asks about anybody, a user about its own."""
    path, user, credential, world = filled(options, folder)
    everybody, own = path / "everybody.bin", path / "own.bin"
    large_store.write_questions(everybody, 200_000, world.devices, world.reached)
    large_store.write_questions(own, 200_000, world.devices, world.reached, subject=user)
    del world
    with Suite(BUILT, folder, loops=1, core=processes.SERVER_CORE) as suite:
        time.sleep(1)
        warm(suite, everybody, options)
        # What a decision looks at comes from far apart in memory, whose speed other machines on the
        # same processor change from second to second: windows in turn, of which the median counts.
        by_service, by_user = [], []
        for _ in range(LARGE_WINDOWS):
            by_service.append(loaded(suite, everybody, service_credential(suite), options))
            by_user.append(loaded(suite, own, credential, options))
        return {"entities": options.entities, "windows": LARGE_WINDOWS,
                "start_ms": round(suite.started["tenancy"] * 1000),
                "resident_mb": round(suite.resident_bytes("tenancy") / 1e6),
                "service": median_window(by_service), "user": median_window(by_user)}


def broad_large(options, folder):
    """Questions with long answers to a service with a large store, by another one: one at a time, and
    explanations also as checks are, because each call that comes alone wakes the service up."""
    path, _, _, world = filled(options, folder)
    requests = large_store.write_broad_questions(path, 20_000, world)
    del world
    found = {"entities": options.entities, "windows": BROAD_WINDOWS}
    with Suite(BUILT, folder, loops=1, core=processes.SERVER_CORE) as suite:
        time.sleep(1)

        def asked(method, *shape):
            # A service's proof lives for a minute.
            windows = [loaded(suite, requests[method], service_credential(suite), options, *shape,
                              method=f"tenancy.v1.Permissions/{method}")
                       for _ in range(BROAD_WINDOWS)]
            if failed := [window["errors_by_code"] for window in windows if window["errors"]]:
                raise RuntimeError(f"{method}: calls failed: {failed}")
            return median_window(windows)

        warm(suite, requests["Explain"], options, "Explain")
        found.update({method: asked(method, 1, 1) for method in requests})
        found["explain_at_once"] = asked("Explain")
    return found


def report(options, folder):
    """Compliance reports of a tenth of `--entities` lines, and of all of them, each by a service that
    has just started: how fast they come, and what memory that takes."""
    # Nobody can buy what readers need from a service without Apple's keys.
    policy = json.loads(POLICY.read_text())
    del policy["types"]["portfolio"]["lifecycle"]["report_feature"]
    path = os.path.join(folder, "policy.json")
    with open(path, "w") as file:
        json.dump(policy, file)
    settings = {"tenancy": {"policy": path}}
    with Suite(BUILT, folder, settings=settings, loops=1) as suite:
        suite.client("signup", "report@example.com", "Report")
        user = json.loads((suite.folder / "session.json").read_text())["user_id"]
        root = json.loads(suite.client("call", "Portfolios/Create", '{"name": "Report"}'))["id"]
    found, held = {}, 0
    for name, count in (("small", options.entities // 10), ("large", options.entities)):
        large_store.add_history(str(suite.store("tenancy")), root, user, count - held)
        accept(suite, "tenancy")
        held = count
        with Suite(BUILT, folder, settings=settings, loops=1) as suite:
            suite.client("login", "report@example.com")
            idle = suite.resident_bytes("tenancy", "VmHWM")
            lines, began = suite.folder / "report.json", time.monotonic()
            suite.client("report", root, "--from", "1970-01-01", "--format", "json",
                         "--output", str(lines))
            took = time.monotonic() - began
            with open(lines, "rb") as file:
                line_count = sum(1 for _ in file)
            found[name] = {"lines": line_count, "seconds": round(took, 2),
                           "lines_per_second": round(line_count / took),
                           "peak_mb_more": round((suite.resident_bytes("tenancy", "VmHWM") - idle)
                                                 / 1e6, 1)}
    return found


class Flood:
    """What keeps a core busy for as long as it is let; it stands still until then."""

    def __init__(self, words, core=None):
        pinned = [] if core is None else ["taskset", "-c", str(core)]
        self.process = subprocess.Popen([*pinned, *words], stdout=subprocess.PIPE, text=True)
        processes._running.add(self.process)

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.go_on()
        processes.end(self.process)


# Its callers have an account each and sign in for as long as they are let, which nobody else does.
MANY_SIGN_INS = {"auth": {"source_limits": {"account_sign_ins": 1_000_000}}}


def sign_in_words(suite, seconds):
    """The command of 16 callers who sign in."""
    return [str(BENCHMARK), "sign-ins", "--callers", "16", "--seconds", str(seconds),
            "--target", f"127.0.0.1:{suite.ports['auth']}"]


def sign_ins(options, folder):
    """The rate of sign-ins beside that of bare hashes."""
    with Suite(BUILT, folder, settings=MANY_SIGN_INS) as suite:
        before = hashing.rate(3)
        flood = Flood(sign_in_words(suite, max(6.0, 3 * options.seconds)))
        found = json.loads(flood.process.communicate(timeout=300)[0].splitlines()[-1])
        processes._running.discard(flood.process)
        raw = (before + hashing.rate(3)) / 2
        return {"per_second": found["per_second"], "p99_us": found["p99_us"],
                "raw_hashes_per_second": raw, "share": found["per_second"] / raw}


def moved_in(options, folder):
    """Imports of accounts, alone and beside checks and sign-ins."""
    limits = {"account_sign_ins": 1_000_000, "sign_ups": 1_000_000}
    with Suite(BUILT, folder, settings={"auth": {"source_limits": limits}}) as suite:
        credential, message = question(suite)

        def checks_p99():
            return rpcload(suite.targets["tenancy"], message, credential, options, "--rate", 1000,
                           "--in-flight", 64)["p99_us"]

        def rate():
            done = subprocess.run(sign_in_words(suite, 5), check=True, capture_output=True, text=True,
                                  timeout=300)
            return json.loads(done.stdout.splitlines()[-1])["per_second"]

        return imports.measure(suite, checks_p99, rate)


def quartiles(values):
    return [round(value, 3) for value in statistics.quantiles(values, n=4)]


def flood(options, folder):
    """What sign-ins do to the p99 of checks.

    TenancyService and its load have one core, AuthService, its hashes and those who sign in the
    other: what is left is what the two services share, which is the machine's memory and AuthService's
    calls. Windows come in fours, in changing order: two quiet ones, which show how much a p99 differs
    without a reason, one with sign-ins, and one in which the other core does nothing but Argon2id, which
    shows what of the difference is the machine's.
    """
    other = processes.LOAD_CORE
    cores = {"tenancy": processes.SERVER_CORE, "auth": other, "entitlement": other}
    with Suite(BUILT, folder, settings=MANY_SIGN_INS, loops=1, cores=cores) as suite:
        credential, message = question(suite)
        floods = {"busy": Flood(sign_in_words(suite, 2000), core=other),
                  "hashing": Flood([sys.executable, hashing.__file__], core=other)}
        # The accounts of those who sign in are made first.
        time.sleep(4)
        windows = []
        kinds = ["quiet", "busy", "again", "hashing"]
        for number in range(options.windows):
            first = number % len(kinds)
            found = {}
            for kind in kinds[first:] + kinds[:first]:
                for name, flood in floods.items():
                    flood.go_on() if name == kind else flood.stop()
                # What was begun before is done by then.
                time.sleep(1.0)
                found[kind] = rpcload(
                    suite.targets["tenancy"], message, credential, options, "--rate", 1000,
                    "--in-flight", 64, core=processes.SERVER_CORE)
            windows.append(found)
        for flood in floods.values():
            flood.end()

    def p99(kind):
        return [found[kind]["p99_us"] for found in windows]

    def multiples(kind, of):
        return quartiles([one / other for one, other in zip(p99(kind), p99(of))])

    return {"windows": len(windows),
            "quiet_p99_us": quartiles(p99("quiet") + p99("again")),
            "busy_p99_us": quartiles(p99("busy")),
            "hashing_p99_us": quartiles(p99("hashing")),
            "busy_to_quiet": multiples("busy", "quiet"),
            "hashing_to_quiet": multiples("hashing", "quiet"),
            "busy_to_hashing": multiples("busy", "hashing"),
            "quiet_to_quiet": multiples("again", "quiet"),
            "errors": sum(found[kind]["errors"] for found in windows for kind in found)}


def has_server(name, is_wanted):
    """Whether a part can be measured that needs PostgreSQL and the programs in C before it."""
    missing = [] if postgres.programs() else ["PostgreSQL (scripts/setup --postgresql)"]
    peers.build_server_programs()
    missing += [f"{program} (scripts/setup --benchmarks)" for program in ("relay", "postgres-writes")
                if not peers.is_there(str(peers.BIN / program))]
    if missing and is_wanted:
        raise SystemExit(f"benchmarks/run: {name} needs {', '.join(missing)}")
    if missing:
        print(f"services: {name} is left out: it needs {', '.join(missing)}")
    return not missing


def measure(options, document):
    """Measures every part, or those wanted, into `document`; what is there of others stays."""
    options.seconds = min(options.seconds, SECONDS_MAX)
    if options.only_postgresql:
        return products.measure_alone(options, document.setdefault("services", {"results": {}})["results"])
    if not options.skip_build:
        build()
    missing = [name for name in ("service-benchmark", *PROGRAMS) if not peers.is_there(program(name))]
    if missing:
        raise SystemExit(f"benchmarks/run: not built: {', '.join(missing)}")
    if not shutil.which("openssl"):
        raise SystemExit("benchmarks/run: needs openssl")
    parts = {
        "engine": lambda _: engine(options), "tokens": lambda _: tokens(options),
        "passkeys": lambda _: passkeys(options),
        "permissions": lambda _: permissions(options),
        "writes": lambda folder: writes(options, folder),
        "refreshes": lambda folder: refreshes(options, folder),
        "checks": lambda folder: checks(options, folder),
        "checks_large": lambda folder: checks_large(options, folder),
        "broad_large": lambda folder: broad_large(options, folder),
        "members": lambda folder: members.measure(lambda: built_suite(folder, loops=1), accept),
        "points": lambda folder: products.points(built_suite, rpcload, options, folder),
        "documents": lambda folder: products.documents(built_suite, rpcload, options, folder),
        "mails": lambda folder: mails.measure(built_suite, folder),
        "report": lambda folder: report(options, folder),
        "sign_ins": lambda folder: sign_ins(options, folder),
        "imports": lambda folder: moved_in(options, folder),
        "flood": lambda folder: flood(options, folder), "start_up": start_up,
        **{name: lambda folder, part=part: part(BUILT, options, Path(folder))
           for name, part in ON_SERVER.items()},
    }
    wanted = [part for name in (options.parts.split(",") if options.parts else parts)
              for part in (ON_SERVER if name == "replicas" else [name])]
    for name in wanted:
        if name not in parts:
            raise SystemExit(f"benchmarks/run: no part {name}; there are: {', '.join(parts)}, and replicas: "
                             f"{', '.join(ON_SERVER)}")
    wanted = [name for name in wanted if name not in ON_SERVER or has_server(name, bool(options.parts))]
    section = document.get("services") or {"results": {}}
    document["services"] = section
    section.update(date=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
                   machine=machine.describe(), seconds=options.seconds)
    for name in wanted:
        print(f"services: {name}", flush=True)
        with tempfile.TemporaryDirectory(dir=peers.WORK) as folder:
            load = os.getloadavg()[0]
            found = parts[name](folder)
            found.pop("_errors", None)
            found["load_average"] = round(max(load, os.getloadavg()[0]), 1)
            section["results"][name] = found
