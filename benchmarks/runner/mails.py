"""Mails that leave the outbox: into the spool folder, and to an SMTP server beside smtplib."""

import asyncio
import json
import os
import smtplib
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from attacks import wire
from attacks.connection import Connection

from . import processes

COUNT = 20_000
SMTP_COUNT = 5_000
CALLERS = 64
CHEAP = {"password_hash": {"memory_kib": 8, "passes": 1}}
# Takes a mail and its time, so that all others wait.
STUCK = {"transport": "command", "command": ["/bin/sh", "-c", "exec sleep 30"]}


async def sign_up(address, count):
    """Accounts, each of which is sent a mail."""
    connections = [await Connection.open((*address, None)) for _ in range(8)]
    numbers = iter(range(count))

    async def caller(connection):
        for number in numbers:
            await connection.call(
                "auth.v1.Authentication/SignUp",
                wire.message(f"user{number}@example.com", "correct horse battery staple", "Load",
                             None, None, None, 1), seconds=60)

    await asyncio.gather(*(caller(connections[number % 8]) for number in range(CALLERS)))
    for connection in connections:
        connection.close()


def with_waiting_mails(suite, count, mail):
    """Has so many mails wait, and restarts AuthService with these settings of mail."""
    asyncio.run(sign_up(("127.0.0.1", suite.ports["auth"]), count))
    # An orderly end would wait for the command.
    suite.running["auth"].kill()
    suite.running["auth"].wait()
    path = suite.folder / "auth.json"
    settings = json.loads(path.read_text())
    settings["mail"] = {"queue": 1_000_000, "spool_files": 1_000_000, **mail}
    path.write_text(json.dumps(settings))
    suite.start("auth")


def rate(seen, count):
    """Mails per second between a tenth of them and all; `seen` says how many there are."""
    first, limit = None, time.monotonic() + 120
    while time.monotonic() < limit:
        number, now = seen(), time.monotonic()
        if first is None and number >= count // 10:
            first = (number, now)
        if number >= count:
            return (number - first[0]) / (now - first[1])
        time.sleep(0.01)
    raise RuntimeError(f"{seen()} of {count} mails left within two minutes")


def spool(suite_of, folder):
    """Mails per second into the spool folder, each on the disk before it counts as sent."""
    mail = {"queue": 1_000_000, **STUCK}
    with suite_of(folder, settings={"auth": {**CHEAP, "mail": mail}},
                  cores={"auth": processes.SERVER_CORE}) as suite:
        with_waiting_mails(suite, COUNT, {"spool": str(suite.folder / "mails")})

        def seen():
            try:
                return sum(name.endswith(".eml") for name in os.listdir(suite.folder / "mails"))
            except FileNotFoundError:
                return 0

        return rate(seen, COUNT)


class Sink(asyncio.Protocol):
    """An SMTP server that takes everything and keeps nothing."""

    count = 0

    def connection_made(self, transport):
        self.transport, self.input, self.takes_mail = transport, b"", False
        transport.write(b"220 sink ESMTP\r\n")

    def data_received(self, received):
        self.input += received
        while True:
            end = b"\r\n.\r\n" if self.takes_mail else b"\r\n"
            line, found, rest = self.input.partition(end)
            if not found:
                return
            self.input = rest
            if self.takes_mail:
                self.takes_mail = False
                Sink.count += 1
            elif line.upper().startswith(b"DATA"):
                self.takes_mail = True
                self.transport.write(b"354 go on\r\n")
                continue
            elif line.upper().startswith(b"QUIT"):
                self.transport.write(b"221 bye\r\n")
                self.transport.close()
                return
            self.transport.write(b"250 OK\r\n")


def serve_sink():
    """Writes the port, and then the number of mails to each empty line of input."""
    async def main():
        server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    def tell():
        for _ in sys.stdin:
            print(Sink.count, flush=True)
        os._exit(0)

    threading.Thread(target=tell, daemon=True).start()
    asyncio.run(main())


def start_sink():
    sink = subprocess.Popen(
        ["taskset", "-c", str(processes.LOAD_CORE), sys.executable, "-m", "runner.mails", "sink"],
        # As a module, since it imports its neighbours by the folder that benchmarks/run stands in.
        cwd=Path(__file__).resolve().parent.parent,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    processes._running.add(sink)
    return sink, int(sink.stdout.readline())


def received(sink):
    sink.stdin.write("\n")
    sink.stdin.flush()
    return int(sink.stdout.readline())


def smtp(suite_of, folder):
    """Mails per second to an SMTP server on this host, without TLS, over four connections at a time."""
    sink, port = start_sink()
    mail = {"queue": 1_000_000, **STUCK}
    server = {"transport": "smtp", "smtp_server": "127.0.0.1", "smtp_port": port, "smtp_tls": "none"}
    with suite_of(folder, settings={"auth": {**CHEAP, "mail": mail}},
                  cores={"auth": processes.SERVER_CORE}) as suite:
        with_waiting_mails(suite, SMTP_COUNT, server)
        found = rate(lambda: received(sink), SMTP_COUNT)
    processes.end(sink)
    return found


def smtplib_rate():
    """The same of Python's smtplib, over one connection, with a mail as long."""
    sink, port = start_sink()
    text = "From: a@example.com\r\nTo: b@example.com\r\n\r\n" + "x" * 70 + "\r\n" * 30
    with smtplib.SMTP("127.0.0.1", port) as client:
        began = time.monotonic()
        for _ in range(SMTP_COUNT):
            client.sendmail("a@example.com", ["b@example.com"], text)
        found = SMTP_COUNT / (time.monotonic() - began)
    processes.end(sink)
    return found


def measure(suite_of, folder):
    """Medians of three runs."""
    def median(measured):
        return statistics.median(measured(number) for number in range(3))

    def fresh(name, number):
        place = os.path.join(folder, f"{name}{number}")
        os.mkdir(place)
        return place

    return {
        "spool_per_second": median(lambda number: spool(suite_of, fresh("spool", number))),
        "smtp_per_second": median(lambda number: smtp(suite_of, fresh("smtp", number))),
        "smtplib_per_second": median(lambda _: smtplib_rate()),
    }


if __name__ == "__main__":
    serve_sink()
