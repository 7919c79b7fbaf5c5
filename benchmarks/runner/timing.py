"""Medians of what AuthService must not take different times for."""

import asyncio
import json
import random
import re
import statistics
import tempfile
import time

from attacks import wire
from attacks.connection import CallFailed, Connection

from . import hashing, imports, processes
from .suite import Suite

# How far medians of one group may be apart.
TOLERANCE = 0.05
PASSWORD = "correct horse battery staple"
WRONG = "wrong horse battery staple"
SETTINGS = {"auth": {
    # What is spent on a hash would hide what is spent on anything else.
    "password_hash": {"memory_kib": 8, "passes": 1},
    "mail": {"queue": 1_000_000, "spool_files": 1_000_000},
}}
# Wrong passwords until the next attempt has to wait for seconds, not tries.
FAILURES = 5


# What answers to sign-ins have in them.
USER = re.compile(rb"usr_[0-9a-z]+")
ACCESS_TOKEN = re.compile(rb"eyJ[\w-]+\.[\w-]+\.[\w-]+")
# Kinds of accounts that are signed up, and those of them that an operator disables.
SIGNED_UP = ("wrong", "locked", "reset", "disabled")
WITHOUT_PASSWORD = "passwordless"


async def expect(code, connection, method, payload):
    """The seconds until a call was answered with this code."""
    began = time.perf_counter()
    try:
        await connection.call(method, payload, seconds=30)
        found = "OK"
    except CallFailed as failure:
        found = failure.code
    took = time.perf_counter() - began
    if found != code:
        raise RuntimeError(f"{method}: {found} instead of {code}")
    return took


async def sign_up(connection, email):
    """The user's identifier."""
    answer = await connection.call("auth.v1.Authentication/SignUp",
                                   wire.message(email, PASSWORD, "Load", None, None, None, 1), seconds=30)
    return USER.search(answer)[0].decode()


async def disable(connection, users):
    """Has an operator disable accounts."""
    answer = await connection.call("auth.v1.Authentication/SignIn",
                                   wire.message("operator@example.com", hashing.PASSWORD, None, 1), seconds=30)
    proof = [wire.bearer(ACCESS_TOKEN.search(answer)[0].decode())]
    for user in users:
        await connection.call("auth.v1.Operators/DisableUser", wire.message(user, "timing"), proof, seconds=30)


def import_without_passwords(suite, count):
    """Makes accounts that nobody signs in to with a password, as sign-ins with another provider do."""
    path = suite.folder / "passwordless.ndjson"
    with open(path, "w") as file:
        for number in range(count):
            file.write(json.dumps({"sourceId": str(number),
                                   "email": f"{WITHOUT_PASSWORD}{number}@example.com"}) + "\n")
    imports.operator(suite)
    imports.client(suite, "import", "timing", str(path))


def sign_in(connection, email, password):
    return expect("UNAUTHENTICATED", connection, "auth.v1.Authentication/SignIn",
                  wire.message(email, password))


def reset(connection, email):
    return expect("OK", connection, "auth.v1.Accounts/RequestPasswordReset", wire.message(email))


async def locked_try(connection, number):
    """A try of an account that has just had too many; the failures before are not timed."""
    for _ in range(FAILURES):
        await sign_in(connection, f"locked{number}@example.com", WRONG)
    return await sign_in(connection, f"locked{number}@example.com", WRONG)


async def measure(address, tries):
    """Seconds of every try, by group and kind; each kind has an account of its own for each try."""
    connection = await Connection.open((*address, None))
    users = {kind: [await sign_up(connection, f"{kind}{number}@example.com") for number in range(tries)]
             for kind in SIGNED_UP}
    await disable(connection, users["disabled"])
    groups = {
        "failing sign-ins": {
            "unknown address": lambda number: sign_in(connection, f"nobody{number}@example.com", WRONG),
            "wrong password": lambda number: sign_in(connection, f"wrong{number}@example.com", WRONG),
            "has to wait": lambda number: locked_try(connection, number),
            "disabled": lambda number: sign_in(connection, f"disabled{number}@example.com", PASSWORD),
            "no password": lambda number: sign_in(
                connection, f"{WITHOUT_PASSWORD}{number}@example.com", WRONG),
        },
        "requests for resets": {
            "known address": lambda number: reset(connection, f"reset{number}@example.com"),
            "unknown address": lambda number: reset(connection, f"stranger{number}@example.com"),
            "disabled": lambda number: reset(connection, f"disabled{number}@example.com"),
            "no password": lambda number: reset(connection, f"{WITHOUT_PASSWORD}{number}@example.com"),
        },
    }
    found = {group: {kind: [] for kind in kinds} for group, kinds in groups.items()}
    for group, kinds in groups.items():
        for number in range(tries):
            # In changing order, so that nothing always comes after the same.
            for kind, attempt in random.sample(list(kinds.items()), len(kinds)):
                found[group][kind].append(await attempt(number))
    connection.close()
    return found


def main(programs, tries):
    processes.prepare()
    try:
        with tempfile.TemporaryDirectory() as folder:
            with Suite(programs, folder, settings=SETTINGS,
                       cores={"auth": processes.SERVER_CORE}) as suite:
                import_without_passwords(suite, tries)
                found = asyncio.run(measure(("127.0.0.1", suite.ports["auth"]), tries))
    finally:
        processes.end_all()
    is_even = True
    for group, kinds in found.items():
        medians = {kind: statistics.median(times) for kind, times in kinds.items()}
        first = next(iter(medians.values()))
        for kind, median in medians.items():
            difference = median / first - 1
            is_even = is_even and abs(difference) <= TOLERANCE
            print(f"{group:20} {kind:16} {median * 1e6:9.1f} us  {difference * 100:+5.1f} %")
    return 0 if is_even else 1
