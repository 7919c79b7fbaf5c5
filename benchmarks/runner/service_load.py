"""Calls of services by rpcload, with what they cost the program that answers."""

import json
import os
import subprocess
import time

from . import peers, processes

BENCHMARK = peers.BUILT / "service-benchmark"


def rpcload(target, request, credential, options, *shape, core=processes.LOAD_CORE,
            method="tenancy.v1.Permissions/Check", calls=None):
    """Calls of one method; `request` is a template or the file of requests at a path.

    With `calls` as many are made and measured, however long they take.
    """
    kind = "--request-file" if os.path.exists(request) else "--template"
    service, method = method.split("/")
    done = subprocess.run(
        ["taskset", "-c", str(core), str(peers.BUILT / "rpcload"), "--target", target,
         "--service", service, "--method", method, kind, str(request),
         "--metadata", credential, "--json", *map(str, shape),
         *(["--seconds", "100", "--warmup", "0", "--calls", str(calls)] if calls
           else ["--seconds", str(options.seconds), "--warmup", "0.5"])],
        capture_output=True, text=True, timeout=120)
    if not done.stdout.strip():
        raise RuntimeError(f"rpcload: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def loaded(suite, request, credential, options, connections=8, in_flight=16, *more, name="tenancy", **method):
    """Calls, checks if nothing else is said, and what one costs the program of that name."""
    process = suite.running[name].pid
    before, began = processes.cpu_seconds(process), time.monotonic()
    found = rpcload(suite.targets[name], request, credential, options,
                    "--connections", connections, "--in-flight", in_flight, *more, **method)
    used, took = processes.cpu_seconds(process) - before, time.monotonic() - began
    found["server_cores"] = round(used / took, 2)
    found["server_us_per_call"] = round(used / max(1, found["calls_total"]) * 1e6, 2)
    return found


def without_errors(found):
    """What was measured; refused calls are cheaper, so none may be among them."""
    if found["errors"]:
        raise RuntimeError(f"rpcload: {found}")
    return found


def service_credential(suite):
    """The proof of EntitlementService, which lives for a minute."""
    with open(suite.folder / "keys/entitlement.private.pem") as key:
        done = subprocess.run([str(BENCHMARK), "service-token"], stdin=key,
                              capture_output=True, text=True, check=True, timeout=10)
    return f"service-authorization=Bearer {done.stdout.strip()}"


def accept(suite, name):
    """Has a service that is stopped accept rows that it did not write itself."""
    subprocess.run([suite.program(f"{name}-service"), "--config", str(suite.folder / f"{name}.json"),
                    "accept-store"], check=True, capture_output=True, timeout=1200)
