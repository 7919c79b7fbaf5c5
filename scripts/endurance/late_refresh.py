"""A refresh that a program received, that its caller gave up and repeated elsewhere, and that is carried out at last."""

import argparse
import json
import pathlib
import secrets
import shutil
import socket
import sys
import tempfile
import time

from .calls import Installation, Refused, send
from .people import PASSWORD, Person
from .postgres import Postgres
from .programs import SERVICES, Fleet, nice, programs_argument

ROUNDS = 10
PORT, FIRST_PORT = 20_500, 21_000


def refresh(port, token, attempt):
    return send(port, "POST", "auth/refresh", {"refreshToken": token, "attempt": attempt})["refreshToken"]


def give_up(port, token, attempt):
    """Sends a refresh to a program that is stopped; the connection, on which nobody waits."""
    content = json.dumps({"refreshToken": token, "attempt": attempt}).encode()
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(
        b"POST /api/v1/auth/refresh HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        + f"content-length: {len(content)}\r\n\r\n".encode() + content)
    return connection


def survives(stopped, other, email, *, closes):
    """Whether a session goes on after its owner has refreshed it twice elsewhere, and the first refresh was done late."""
    tokens = send(other.port, "POST", "auth/login", {"email": email, "password": PASSWORD})["tokens"]
    token, attempt = tokens["refreshToken"], secrets.token_urlsafe(24)
    stopped.stop()
    try:
        connection = give_up(stopped.port, token, attempt)
        if closes:
            connection.close()
        second = refresh(other.port, token, attempt)
        third = refresh(other.port, second, secrets.token_urlsafe(24))
    finally:
        stopped.go_on()
    stopped.wait()
    time.sleep(1)
    connection.close()
    try:
        refresh(other.port, third, secrets.token_urlsafe(24))
        return True
    except Refused:
        return False


def main():
    parser = argparse.ArgumentParser(prog="endurance.late_refresh", description=__doc__)
    programs_argument(parser)
    arguments = parser.parse_args()
    nice()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="late-refresh.", dir="/tmp"))
    # The server is another user's.
    folder.chmod(0o711)
    postgres = Postgres(folder / "postgresql", (PORT,), SERVICES)
    fleet = Fleet(arguments.programs, folder, 2, lambda one: {"store": postgres.address(one.service, [PORT])},
                  first_port=FIRST_PORT)
    try:
        fleet.start()
        person = Person(Installation(fleet.ports), "late")
        ended = {closes: sum(not survives(*fleet.by_service["auth"], person.email, closes=closes) for _ in range(ROUNDS))
                 for closes in (True, False)}
    finally:
        fleet.close()
        postgres.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"late refresh: of {ROUNDS} sessions {ended[True]} ended whose owner had closed the connection, and "
          f"{ended[False]} on a connection that a gateway keeps")
    return 1 if any(ended.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
