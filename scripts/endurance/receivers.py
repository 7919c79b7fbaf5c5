"""Receivers of webhooks in a process of their own, which fail in many ways by a seed, and write down what came.

Run as a program, it takes objects of JSON from its input, a line each: `path` and `secret` of a receiver, or `path` and
the seconds for which it is `away`. It answers each with `ok`. Each request is a line of the file named.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import subprocess
import sys
import time

try:
    import standardwebhooks
except ImportError:
    standardwebhooks = None

# How a receiver treats an event that it sees for the first time: one of ten thousand, by the digest of its id.
FAILURES = (
    (60, "500"), (20, "redirect"), (20, "garbage"), (20, "reset"), (20, "taken, no answer"), (5, "wait"), (2, "hang"),
)
# Longer than a webhook waits for an answer.
HANG_SECONDS = 20
# What is old is refused by receivers, as Standard Webhooks recommend.
TOLERANCE = 300


def verify(secret, headers, body):
    """Standard Webhooks 1.0: one of the signatures is the HMAC-SHA256 of id, time and body, joined by dots."""
    if abs(time.time() - int(headers["webhook-timestamp"])) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = b".".join((headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body))
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = [one.split(",", 1) for one in headers["webhook-signature"].split(" ")]
    return any(version == "v1" and hmac.compare_digest(wanted, code) for version, code in given)


def verify_by_library(secret, headers, body):
    """The same by the library of Standard Webhooks themselves."""
    try:
        standardwebhooks.Webhook(secret).verify(body, headers, json_parse=False)
        return True
    except standardwebhooks.webhooks.WebhookVerificationError:
        return False


# Each has to accept a request.
VERIFIERS = [verify, *([verify_by_library] if standardwebhooks else [])]


def treatment(seed, path, event):
    number = int.from_bytes(hashlib.sha256(f"{seed} {path} {event}".encode()).digest()[:4], "big") % 10_000
    for weight, name in FAILURES:
        if number < weight:
            return name
        number -= weight
    return "200"


class Receivers:
    """All receivers; they differ by their paths."""

    def __init__(self, seed, record):
        self.seed, self.record = seed, record
        self.secrets, self.away, self.seen = {}, {}, set()

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path, headers = self._parse(head)
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                if not await self._answer(path, headers, body, writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.transport.abort() if writer.is_closing() else writer.close()

    @staticmethod
    def _parse(head):
        lines = head.decode("latin-1").split("\r\n")
        fields = (line.split(":", 1) for line in lines[1:] if line)
        return lines[0].split(" ")[1], {name.lower(): value.strip() for name, value in fields}

    async def _answer(self, path, headers, body, writer):
        """Whether the connection goes on."""
        now = time.monotonic()
        secret = self.secrets.get(path)
        is_signed = bool(secret) and all(verifier(secret, headers, body) for verifier in VERIFIERS)
        event = headers.get("webhook-id", "")
        is_ping = b'"gatehouse.webhook.ping"' in body
        how = "200"
        if not is_ping and now < self.away.get(path, 0):
            how = "500"
        elif not is_ping and (path, event) not in self.seen:
            how = treatment(self.seed, path, event)
        self.seen.add((path, event))
        # What is written down before it is answered cannot be answered and forgotten.
        line = {"path": path, "id": event, "how": how, "signed": is_signed, "at": now,
                "attempt": headers.get("webhook-attempt"), "replay": headers.get("webhook-replay"),
                "digest": hashlib.sha256(body).hexdigest(), "type": headers.get("content-type")}
        if is_signed and not is_ping:
            content = json.loads(body)
            line |= {"event": content["type"], "source": content["source"], "subject": content.get("subject", ""),
                     "sequence": int(content["sequence"]), "request": content["data"].get("requestId", ""),
                     "same": content["id"] == event}
        self.record.write(json.dumps(line) + "\n")
        if how == "hang":
            await asyncio.sleep(HANG_SECONDS)
        elif how in ("reset", "taken, no answer"):
            writer.transport.abort()
        elif how == "garbage":
            writer.write(b"\x16\x03garbage 200 OK\r\n\r\n")
            await writer.drain()
        else:
            status, more = {"500": ("500 Oh no", ""), "redirect": ("302 Found", "location: /elsewhere\r\n"),
                            "wait": ("503 Later", "retry-after: 1\r\n")}.get(how, ("200 OK", ""))
            writer.write(f"HTTP/1.1 {status}\r\n{more}content-length: 0\r\n\r\n".encode())
            await writer.drain()
            return True
        return False


async def _main(seed, port, file):
    with open(file, "a", buffering=1 << 16) as record:
        receivers = Receivers(seed, record)
        await asyncio.start_server(receivers.serve, "127.0.0.1", port)
        print("ok", flush=True)
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            order = json.loads(line)
            if "secret" in order:
                receivers.secrets[order["path"]] = order["secret"]
            if "away" in order:
                receivers.away[order["path"]] = time.monotonic() + order["away"]
            record.flush()
            print("ok", flush=True)


class ReceiverProcess:
    def __init__(self, seed, port, file):
        self.port, self.file = port, file
        self._process = subprocess.Popen([sys.executable, __file__, str(seed), str(port), file],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout.readline() == "ok\n", "the receivers did not start"

    def tell(self, **order):
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "ok\n", "the receivers have ended"

    def lines(self):
        """What came until now."""
        self.tell()
        with open(self.file) as record:
            return [json.loads(line) for line in record]

    def close(self):
        self._process.kill()
        self._process.wait()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
