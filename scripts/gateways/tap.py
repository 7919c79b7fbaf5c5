"""A way to a service by which one sees what a gateway hands on: each request, and whether it has a cookie."""

import socket

import hpack

from .relay import relay

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# Frames of HTTP/2, and flags of theirs (RFC 9113).
HEADERS, CONTINUATION = 1, 9
END_HEADERS, PADDED, PRIORITY = 0x4, 0x8, 0x20


def tapped(port, requests):
    """A port that leads to a service; method, path and whether there is a cookie are added to `requests`."""
    return relay(lambda: socket.create_connection(("127.0.0.1", port)), lambda: _Reader(requests).read)


class _Reader:
    """Understands what one client sends, by HTTP/1.1 or HTTP/2."""

    def __init__(self, requests):
        self._requests = requests
        self._rest = b""
        # Gets what is there, and says how much of it was understood; None as long as nobody knows the protocol.
        self._step = None
        self._decoder = hpack.Decoder()
        # A service may allow more than the protocol's default.
        self._decoder.max_allowed_table_size = 1 << 20
        self._block = b""

    def read(self, data):
        self._rest += data
        if self._step is None:
            if len(self._rest) < len(PREFACE) and PREFACE.startswith(self._rest):
                return
            is_http2 = self._rest.startswith(PREFACE)
            self._step = self._frame if is_http2 else self._request
            self._rest = self._rest[len(PREFACE):] if is_http2 else self._rest
        while length := self._step(self._rest):
            self._rest = self._rest[length:]

    def _request(self, data):
        head, end, _ = data.partition(b"\r\n\r\n")
        if not end:
            return 0
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        assert "transfer-encoding" not in fields, f"{first}: how long its body is cannot be said"
        length = len(head) + len(end) + int(fields.get("content-length", 0))
        if len(data) < length:
            return 0
        method, target, _ = first.split(" ")
        self._add(method, target, "cookie" in fields)
        return length

    def _frame(self, data):
        length = 9 + int.from_bytes(data[:3], "big")
        if len(data) < max(9, length):
            return 0
        kind, flags, payload = data[3], data[4], data[9:length]
        if kind == HEADERS:
            padding = payload[0] if flags & PADDED else 0
            begin = (1 if flags & PADDED else 0) + (5 if flags & PRIORITY else 0)
            self._block = payload[begin:len(payload) - padding]
        elif kind == CONTINUATION:
            self._block += payload
        if kind in (HEADERS, CONTINUATION) and flags & END_HEADERS:
            fields = dict(self._decoder.decode(self._block))
            # Not those after a body.
            if ":path" in fields:
                self._add(fields[":method"], fields[":path"], "cookie" in fields)
        return length

    def _add(self, method, target, has_cookie):
        self._requests.append((method, target.split("?")[0], has_cookie))
