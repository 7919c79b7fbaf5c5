"""Calls by REST that tell what is known from what is not: done, refused, or neither."""

import http.client
import json
import threading
import time

from .probe import longest_gap

# An answer with one of these says nothing about whether the call was carried out, or will be by a repetition.
UNDECIDED = {429, 499, 500, 502, 503, 504}
# What only reads although it is a POST.
CHECK = "permissions/check"


class Unknown(Exception):
    """No answer that decides: the call may have been carried out, or may be still."""


class Refused(Exception):
    """An answer that says that nothing was done."""

    def __init__(self, status, reason, text):
        super().__init__(f"{status} {reason}: {text[:300]}")
        self.status, self.reason = status, reason


class Connections(threading.local):
    """Connections of one thread, by port."""

    def __init__(self):
        self.by_port = {}

    def take(self, port, seconds):
        connection = self.by_port.pop(port, None)
        if connection is None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
        elif connection.sock:
            connection.sock.settimeout(seconds)
        return connection

    def keep(self, port, connection):
        self.by_port[port] = connection


_connections = Connections()


def send(port, method, path, body=None, token=None, seconds=6, request=None):
    """The `data` of an answer; `Refused`, or `Unknown`. `request` is a name for the request, which its events have."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    if request:
        headers["x-request-id"] = request
    content = None
    if body is not None:
        content, headers["content-type"] = json.dumps(body).encode(), "application/json"
    connection = _connections.take(port, seconds)
    try:
        connection.request(method, f"/api/v1/{path}", content, headers)
        response = connection.getresponse()
        status, text = response.status, response.read()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        raise Unknown(f"{type(error).__name__}: {error}") from None
    _connections.keep(port, connection)
    if status < 300:
        return json.loads(text)["data"]
    try:
        reason = json.loads(text)["details"]["reason"]
    except (ValueError, KeyError):
        reason = ""
    if status in UNDECIDED:
        raise Unknown(f"{status} {reason}: {text.decode(errors='replace')[:300]}")
    raise Refused(status, reason, text.decode(errors="replace"))


class Ended(Exception):
    """The run is over, and no answer was had in time."""


class Answered:
    """A call as its caller saw it: when it began, when the answer was there, who gave it, after how many attempts."""

    def __init__(self, start, end, program, attempts, data=None, refusal=None):
        self.start, self.end, self.program, self.attempts = start, end, program, attempts
        self.data, self.refusal = data, refusal

    def __repr__(self):
        what = f"refused {self.refusal}" if self.refusal else f"{json.dumps(self.data)[:200]}"
        return f"[{self.start:.3f}…{self.end:.3f} {self.program} ×{self.attempts}: {what}]"


class Installation:
    """The programs of the services as a caller knows them. Calls are repeated until an answer decides."""

    # Longer than any fault lasts, with what comes after it.
    SECONDS_MAX = 90

    def __init__(self, ports):
        # {"tenancy": {"tenancy-1": 7402, …}}
        self.ports = ports
        self.surprises = []
        self.counts = {"answered": 0, "undecided": 0}
        # When calls of a service that are not reads were carried out.
        self.writes = {service: [] for service in ports}
        self._lock = threading.Lock()

    def names(self, service):
        return list(self.ports[service])

    def once(self, service, program, method, path, body=None, token=None, seconds=6, request=None):
        """One attempt at one program."""
        start = time.monotonic()
        try:
            data = send(self.ports[service][program], method, path, body, token, seconds, request)
            self._count("answered")
            if method != "GET" and path != CHECK:
                self.writes[service].append(time.monotonic())
            return Answered(start, time.monotonic(), program, 1, data)
        except Refused as refusal:
            self._count("answered")
            return Answered(start, time.monotonic(), program, 1, refusal=refusal)
        except Unknown as unknown:
            self._count("undecided")
            if str(unknown).startswith("500"):
                self.surprises.append(f"{method} {path} at {program}: {unknown}")
            raise

    def call(self, random, service, method, path, body=None, token=None, program=None, request=None):
        """Repeats a call at any of the programs until one decides; it needs an idempotency key if it writes.

        `token` may be a function, for tokens that run out. The first attempt goes to `program`, if one is named.
        """
        start = time.monotonic()
        attempts = 0
        while True:
            attempts += 1
            at = program if program and attempts == 1 else random.choice(self.names(service))
            try:
                shown = token() if callable(token) else token
                answer = self.once(service, at, method, path, body, shown, request=request)
                return Answered(start, answer.end, at, attempts, answer.data, answer.refusal)
            except Unknown as unknown:
                if time.monotonic() - start > self.SECONDS_MAX:
                    raise Ended(f"{method} {path}: nothing decided within {self.SECONDS_MAX} s: {unknown}") from None
                time.sleep(0.1 + 0.2 * random.random())

    def silences(self, since, until):
        """For each service the longest time between two writes that it carried out, of those around a span."""
        return {service: longest_gap(ends, since, until) for service, ends in self.writes.items()}

    def _count(self, what):
        with self._lock:
            self.counts[what] += 1
