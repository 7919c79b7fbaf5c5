"""One attack: new services, a good client, an attacker, and what came of it."""

import asyncio
import collections
import json
import shutil
import subprocess
import time
from dataclasses import dataclass

from runner import peers, processes
from runner.suite import SERVICES, Suite, is_ready

from . import good_client, kinds, restart, world
from .connection import CallFailed
from .helper import Helper

# Above this a service is stopped, so that what is attacked is not the machine.
MEMORY_STOP_BYTES = 4 << 30
# The good client has its connections and the caches are filled by then.
WARM_UP_SECONDS = 0.5
# How long helpers may take to prepare.
READY_SECONDS = 60
# How long the services have after an attack to give back what it cost.
SETTLE_SECONDS = 2
# Loopback addresses count like all others, because all attackers here have one.
SETTINGS = {"auth": {"source_limits": {"loopback": True}}}
# The default: attacks meet what an installation has.
LOG_BUDGET = 64


@dataclass
class Outcome:
    """What one attack did to the services and the good client."""

    name: str
    title: str
    service: str
    # By kind of call: seconds from when it was due, and the code, "OK" included.
    records: dict
    # By service, in bytes.
    peak: dict
    end: dict
    growth: dict
    # Lines that each service wrote to its log, at level warning or above.
    log_lines: dict
    # What the attackers counted.
    tally: dict
    # What no bound says: services that crashed or did not recover, writes that were lost.
    wrong: list
    # How long the attack was.
    seconds: float
    # Whether the attacked service was stopped on purpose, so that calls had to fail.
    is_stopped: bool


def store_bytes(suite, name):
    return sum(path.stat().st_size for path in suite.folder.glob(f"{name}.db*"))


def make_template(programs, folder):
    """Stores with accounts and homes, which every trial gets a copy of, and a signing authority."""
    subprocess.run([peers.REPOSITORY / "scripts/test-store", "authority", folder / "authority"],
                   check=True, capture_output=True)
    make_certificate(folder / "tls")
    with Suite(programs, folder, settings=SETTINGS, log_budget=LOG_BUDGET) as suite:
        world.prepare(suite)


def make_certificate(folder):
    """One certificate for all services, which signed itself."""
    folder.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
         "-addext", "extendedKeyUsage=serverAuth",
         "-keyout", folder / "server.key", "-out", folder / "server.pem"],
        check=True, capture_output=True)


def settings(template):
    """`SETTINGS`, and an authority that stands for Apple's."""
    apple = {"bundle_id": "com.unifiedsmarthome.app", "apple_id": 1,
             "test_roots": [str(template / "authority/root.der")]}
    return {**SETTINGS, "entitlement": {"apple": apple}}


def reset_peaks(suite):
    """Lets the kernel count the most memory from now on (proc_pid_clear_refs(5))."""
    for process in suite.running.values():
        with open(f"/proc/{process.pid}/clear_refs", "w") as counters:
            counters.write("5")


def watch(suite, attackers, seconds):
    """Waits for the attackers to end, and stops a service that takes too much memory."""
    end = time.monotonic() + seconds
    while (any(attacker.process.poll() is None for attacker in attackers)
           and time.monotonic() < end):
        for name, process in suite.running.items():
            if process.poll() is None and suite.resident_bytes(name) > MEMORY_STOP_BYTES:
                process.kill()
        time.sleep(0.05)


def run(name, programs, template, folder, seconds, descriptors):
    """Runs the attack `name` on services in `folder`, each with so many descriptors."""
    kind = kinds.load(name)
    shutil.copytree(template, folder)
    with Suite(programs, folder, settings=settings(template), descriptors=descriptors,
               log_budget=LOG_BUDGET,
               tls=folder / "tls" if hasattr(kind, "TLS") else None) as suite:
        there = world.enter(suite)
        plan = {"kind": name, "service": kind.SERVICE, "descriptors": descriptors,
                "seconds": seconds * getattr(kind, "LONGER", 1),
                "addresses": world.addresses(suite), "admin": suite.admins[kind.SERVICE]}
        good = Helper("good_client", {**plan, "good": there["good"], "visitors": there["visitors"]})
        attackers = [
            Helper("attacker", {
                **plan, "index": index, "mallory": there["mallory"],
                "victims": [visitor["email"] for visitor in there["visitors"]],
                "keys": str(suite.folder / "keys"), "authority": str(suite.folder / "authority")})
            for index in range(getattr(kind, "PROCESSES", 1))]
        try:
            for helper in (good, *attackers):
                helper.answer(READY_SECONDS)
            time.sleep(WARM_UP_SECONDS)
            return attacked(kind, suite, good, attackers, plan, there)
        finally:
            for helper in (good, *attackers):
                helper.end()


def attacked(kind, suite, good, attackers, plan, there):
    """Has the attackers attack while the good client is measured, and looks at what is left."""
    before = {name: store_bytes(suite, name) for name in SERVICES}
    logged = {name: log_lines(suite, name) for name in SERVICES}
    reset_peaks(suite)
    good.tell("begin")
    for attacker in attackers:
        attacker.tell("begin")
    wrong = restart.stop_and_start(kind, suite) if kinds.stops(kind) else []
    watch(suite, attackers, plan["seconds"] + 20)
    good.tell("end")
    records = json.loads(good.answer(60))
    tally, acknowledged = collections.Counter(), []
    for attacker in attackers:
        try:
            met = json.loads(attacker.answer(1))
            tally.update(met["tally"])
            acknowledged += met["acknowledged"]
        except RuntimeError:
            wrong.append("the attacker failed")
        attacker.end()
    alive = [name for name, process in suite.running.items() if process.poll() is None]
    wrong += [f"{name} crashed" for name in SERVICES if name not in alive]
    peak = {name: suite.resident_bytes(name, "VmHWM") for name in alive}
    growth = {name: store_bytes(suite, name) - before[name] for name in SERVICES}
    time.sleep(SETTLE_SECONDS)
    wrong += [f"{name} did not recover" for name in alive if not recovered(suite, name, there)]
    if kinds.stops(kind):
        wrong += restart.losses(kind, suite, there["mallory"], acknowledged)
    return Outcome(
        name=plan["kind"].replace("_", "-"), title=kinds.title(kind), service=kind.SERVICE,
        records=records, peak=peak, end={name: suite.resident_bytes(name) for name in alive},
        growth=growth, tally=tally, wrong=wrong, seconds=plan["seconds"], is_stopped=kinds.stops(kind),
        log_lines={name: log_lines(suite, name) - logged[name] for name in SERVICES})


def recovered(suite, name, there):
    """Whether a service answers somebody new after the attack."""
    client = world.Client(world.addresses(suite))
    client.token = there["good"]["token"]

    async def ask():
        try:
            await client.call(name, good_client.ORDINARY[name][-1], seconds=5)
            return is_ready(suite.admins[name], seconds=5)
        except (CallFailed, OSError):
            return False
        finally:
            client.close()

    return asyncio.run(ask())


def log_lines(suite, name):
    with open(suite.log(name), "rb") as log:
        return sum(1 for _ in log)
