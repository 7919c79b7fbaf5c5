"""Measures the services and writes the second section of RESULTS.md."""

import ctypes
import ctypes.util
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from . import machine, peers, processes

BENCHMARK = peers.BENCHMARKS / ".build/release/service-benchmark"
PROGRAMS = ("auth-service", "tenancy-service", "entitlement-service", "gatehouse", "rpcload")
PRODUCTS = ("service-benchmark", *PROGRAMS)
POLICY = peers.REPOSITORY / "policies/smart-home.json"
CATALOG = peers.REPOSITORY / "tiers/default.json"
PASSWORD = "a long pass phrase for everybody"
SERVICES = ("auth", "tenancy", "entitlement")
# Argon2id as the service does it by default: kibibytes and passes.
MEMORY_KIB, PASSES = 19456, 2
# One measurement of a service takes no longer than this.
SECONDS_MAX = 2


def program(name):
    return str(peers.BENCHMARKS / ".build/release" / name)


def build():
    for product in PRODUCTS:
        subprocess.run(["swift", "build", "-c", "release", "--static-swift-stdlib",
                        "--package-path", str(peers.BENCHMARKS), "--product", product],
                       check=True, timeout=1800)


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


def engine(options):
    size = ("--devices", options.entities, "--associations", options.entities, "--count", 200_000)
    with open(POLICY) as policy:
        found = benchmark("engine", *size, stdin=policy, core=processes.SERVER_CORE)
    with open(POLICY) as policy:
        huge = benchmark("engine", *size, stdin=policy, core=processes.SERVER_CORE,
                         env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"})
    huge.pop("_errors")
    found["huge_pages"] = huge
    if peers.is_there(str(peers.COUNTER)):
        with open(POLICY) as policy:
            counted = benchmark("engine", "--devices", 10_000, "--associations", 10_000,
                                "--signal-allocations", stdin=policy,
                                env={**os.environ, "LD_PRELOAD": str(peers.COUNTER)})
        first, last = (int(line) for line in counted["_errors"].split()[-2:])
        found["allocations_per_decision"] = round((last - first) / 100_000, 4)
    return found


def tokens(options):
    found = benchmark("tokens", "--seconds", options.seconds, core=processes.SERVER_CORE)
    done = subprocess.run(["taskset", "-c", str(processes.SERVER_CORE), "openssl", "speed",
                           "-seconds", "2", "ecdsap256"], capture_output=True, text=True, timeout=60)
    line = [line for line in done.stdout.splitlines() if "nistp256" in line][-1]
    found["openssl_verify_per_second"] = float(line.split()[-1])
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


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Suite:
    """The three services in a folder of their own, on ports that were free."""

    def __init__(self, folder, auth=None, loops=2, core=None):
        self.folder, self.core = Path(folder), core
        self.extra = auth or {}
        self.loops = loops
        self.running = {}

    def __enter__(self):
        keys = self.folder / "keys"
        if not keys.exists():
            subprocess.run([program("gatehouse"), "keys", str(keys)], check=True, capture_output=True)
        self.ports = {name: free_port() for name in SERVICES}
        self.targets = {name: f"tcp://127.0.0.1:{port}" for name, port in self.ports.items()}
        own = {
            "auth": {"secrets": str(keys / "auth.secrets.json"), **self.extra},
            "tenancy": {"policy": str(POLICY)},
            "entitlement": {"catalog": str(CATALOG),
                            "apple": {"bundle_id": "com.unifiedsmarthome.app", "apple_id": 1}},
        }
        self.started = {}
        for name in SERVICES:
            settings = {
                "listen": [f"127.0.0.1:{self.ports[name]}"], "admin": f"127.0.0.1:{free_port()}",
                "loops": self.loops, "database": str(self.folder / f"{name}.db"),
                "log": {"level": "warning"},
                "peers": {other: self.targets[other] for other in SERVICES if other != name},
                "service_keys": {
                    "private_key": str(keys / f"{name}.private.pem"),
                    "trusted": {other: str(keys / f"{other}.public.pem")
                                for other in SERVICES if other != name}},
                **own[name],
            }
            if name == "tenancy":
                del settings["peers"]["entitlement"]
            path = self.folder / f"{name}.json"
            path.write_text(json.dumps(settings))
            self.started[name] = self.start(name, path, settings["admin"])
        return self

    def start(self, name, path, admin):
        """Starts a service; returns the seconds until its probe for readiness says yes."""
        began = time.monotonic()
        process = subprocess.Popen(
            ([] if self.core is None else ["taskset", "-c", str(self.core)])
            + [program(f"{name}-service"), "--config", str(path)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(self.folder / f"{name}.log", "w"))
        processes._running.add(process)
        self.running[name] = process
        host, _, port = admin.rpartition(":")
        while time.monotonic() - began < 30:
            if process.poll() is not None:
                raise RuntimeError((self.folder / f"{name}.log").read_text()[-600:])
            try:
                with socket.create_connection((host, int(port)), timeout=1) as probe:
                    probe.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    if b" 200 " in probe.recv(200).split(b"\r\n")[0]:
                        return time.monotonic() - began
            except OSError:
                pass
            time.sleep(0.002)
        raise RuntimeError(f"{name} is not ready after 30 s")

    def resident_bytes(self, name):
        with open(f"/proc/{self.running[name].pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) * 1024

    def client(self, *arguments):
        words = [program("gatehouse"), "--session", str(self.folder / "session.json")]
        for name in SERVICES:
            words += ["--target", f"{name}={self.targets[name]}"]
        done = subprocess.run([*words, *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "GATEHOUSE_PASSWORD": PASSWORD})
        if done.returncode != 0:
            raise RuntimeError(f"gatehouse {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def __exit__(self, *_):
        for process in self.running.values():
            processes.end(process)


def start_up(folder):
    """Seconds to readiness with an empty store and again with one, and memory when idle."""
    found = {}
    with Suite(folder) as suite:
        found["first_ms"] = {name: round(suite.started[name] * 1000) for name in SERVICES}
    with Suite(folder) as suite:
        found["again_ms"] = {name: round(suite.started[name] * 1000) for name in SERVICES}
        time.sleep(2)
        found["idle_mb"] = {name: round(suite.resident_bytes(name) / 1e6, 1) for name in SERVICES}
    return found


def refreshes(options, folder):
    # Cheap hashes, because the accounts are not what is measured.
    with Suite(folder, auth={"password_hash": {"memory_kib": 8, "passes": 1}}) as suite:
        return benchmark("refreshes", "--target", f"127.0.0.1:{suite.ports['auth']}",
                         "--seconds", options.seconds)


def rpcload(target, message, token, options, *shape):
    done = subprocess.run(
        ["taskset", "-c", str(processes.LOAD_CORE), program("rpcload"), "--target", target,
         "--service", "tenancy.v1.Permissions", "--method", "Check", "--template", message,
         "--metadata", f"authorization=Bearer {token}", "--seconds", str(options.seconds),
         "--warmup", "0.5", "--json", *map(str, shape)],
        capture_output=True, text=True, timeout=120)
    if not done.stdout.strip():
        raise RuntimeError(f"rpcload: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def question(suite):
    """A user with a token and a check that is allowed."""
    suite.client("signup", "load@example.com", "Load")
    token = json.loads((suite.folder / "session.json").read_text())["access_token"]
    made = json.loads(suite.client("call", "Portfolios/Create", '{"name": "Load"}'))
    return token, f'2: "portfolio.view" 3: "{made["id"]}"'


def checks(options, folder):
    """Checks per second of TenancyService on one core with one event loop."""
    with Suite(folder, loops=1, core=processes.SERVER_CORE) as suite:
        token, message = question(suite)
        process = suite.running["tenancy"].pid
        before, began = processes.cpu_seconds(process), time.monotonic()
        found = rpcload(suite.targets["tenancy"], message, token, options,
                        "--connections", 8, "--in-flight", 16)
        found["server_cores"] = round(
            (processes.cpu_seconds(process) - before) / (time.monotonic() - began), 2)
        found["server_us_per_call"] = round(
            (processes.cpu_seconds(process) - before) / max(1, found["calls_total"]) * 1e6, 2)
        return found


def raw_hashes(seconds):
    """Argon2id by libsodium on both cores, with the service's default cost, per second."""
    sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))
    sodium.sodium_init()
    counts = [0] * len(os.sched_getaffinity(0))
    end = time.monotonic() + seconds

    def hashing(index):
        # The service hashes at this priority too, so that other work takes as much from both.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
        tag = ctypes.create_string_buffer(32)
        while time.monotonic() < end:
            sodium.crypto_pwhash(tag, ctypes.c_ulonglong(32), PASSWORD.encode(),
                                 ctypes.c_ulonglong(len(PASSWORD)), b"0123456789abcdef",
                                 ctypes.c_ulonglong(PASSES), ctypes.c_size_t(MEMORY_KIB * 1024), 2)
            counts[index] += 1

    threads = [threading.Thread(target=hashing, args=(index,)) for index in range(len(counts))]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - began)


def sign_ins(options, folder):
    with Suite(folder) as suite:
        token, message = question(suite)
        load = lambda: rpcload(suite.targets["tenancy"], message, token, options,
                               "--rate", 1000, "--in-flight", 64)
        quiet = load()
        seconds = max(6.0, 3 * options.seconds)
        before = raw_hashes(3)
        flood = subprocess.Popen(
            [str(BENCHMARK), "sign-ins", "--callers", "16", "--seconds", str(seconds), "--target",
             f"127.0.0.1:{suite.ports['auth']}"], stdout=subprocess.PIPE, text=True)
        alone = json.loads(flood.communicate(timeout=300)[0].splitlines()[-1])
        after = raw_hashes(3)
        flood = subprocess.Popen(
            [str(BENCHMARK), "sign-ins", "--callers", "16", "--seconds", str(seconds), "--target",
             f"127.0.0.1:{suite.ports['auth']}"], stdout=subprocess.PIPE, text=True)
        # Its accounts are made first, which floods as much.
        time.sleep(1)
        busy = load()
        flood.communicate(timeout=300)
        raw = (before + after) / 2
        return {"per_second": alone["per_second"], "p99_us": alone["p99_us"],
                "raw_hashes_per_second": raw, "share": alone["per_second"] / raw,
                "checks_quiet": quiet, "checks_busy": busy}


def measure(options, document):
    """Measures every part, or those wanted, into `document`; what is there of others stays."""
    if not options.skip_build:
        build()
    missing = [name for name in PRODUCTS if not peers.is_there(program(name))]
    if missing:
        raise SystemExit(f"benchmarks/run: not built: {', '.join(missing)}")
    if not shutil.which("openssl"):
        raise SystemExit("benchmarks/run: needs openssl")
    parts = {
        "engine": lambda _: engine(options), "tokens": lambda _: tokens(options),
        "permissions": lambda _: permissions(options),
        "writes": lambda folder: writes(options, folder),
        "refreshes": lambda folder: refreshes(options, folder),
        "checks": lambda folder: checks(options, folder),
        "sign_ins": lambda folder: sign_ins(options, folder), "start_up": start_up,
    }
    wanted = options.parts.split(",") if options.parts else list(parts)
    for name in wanted:
        if name not in parts:
            raise SystemExit(f"benchmarks/run: no part {name}; there are: {', '.join(parts)}")
    options.seconds = min(options.seconds, SECONDS_MAX)
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
