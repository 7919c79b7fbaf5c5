"""Imports of accounts, and what they do to checks and sign-ins beside them."""

import json
import re
import subprocess
import threading
import time

# Accounts in a file: enough for some seconds.
ROWS = 200_000
# Nobody verifies it here; every account has one, because reading and sealing it is part of an import.
HASH = "$2b$12$kGDkS5MU.w/xTPR4KY/HgeqQ/M3C4KBaqM.ncDBuB5/hRKsijgGlS"


def write_rows(path, source, count):
    with open(path, "w") as file:
        for number in range(count):
            file.write(json.dumps({
                "sourceId": str(number), "email": f"{source}.user{number}@example.com",
                "displayName": f"User {number}", "firstName": "Ada", "lastName": f"Number {number}",
                "passwordHash": HASH}) + "\n")


def client(suite, *arguments):
    """Runs gatehouse with the operator's session, which is another one than that of the checks; what it prints."""
    return suite.client("--session", str(suite.folder / "operator.json"), *arguments)


def operator(suite):
    """Signs an operator up and in."""
    user = re.search(r"usr_\w+", client(suite, "signup", "operator@example.com", "Operator")).group()
    subprocess.run([*suite.command("auth"), "grant-super-admin", user,
                    "--config", str(suite.folder / "auth.json")], check=True, capture_output=True, timeout=60)


def imported(suite, source, count):
    """Seconds that an import of as many accounts takes."""
    path = suite.folder / f"{source}.ndjson"
    write_rows(path, source, count)
    began = time.monotonic()
    client(suite, "import", source, str(path))
    return time.monotonic() - began


class Beside(threading.Thread):
    """Imports file after file until it is ended."""

    def __init__(self, suite, count):
        super().__init__()
        self.suite, self.count = suite, count
        self.is_over, self.rows, self.seconds = False, 0, 0.0

    def run(self):
        while not self.is_over:
            self.seconds += imported(self.suite, f"beside{self.rows}", self.count)
            self.rows += self.count

    def end(self):
        self.is_over = True
        self.join()


def measure(suite, checks_p99, sign_ins):
    """The rate of an import alone, and those of checks and sign-ins alone and beside one.

    `checks_p99` and `sign_ins` measure what they are called, each for a while.
    """
    operator(suite)
    found = {"rows": ROWS, "per_second": ROWS / imported(suite, "alone", ROWS)}
    for name, figure in {"checks_p99_us": checks_p99, "sign_ins_per_second": sign_ins}.items():
        quiet = figure()
        beside = Beside(suite, ROWS // 4)
        beside.start()
        # Until it has begun to send.
        time.sleep(1)
        found[name] = {"quiet": quiet, "beside": figure()}
        beside.end()
        found[f"{name}_import_per_second"] = beside.rows / beside.seconds
    return found
