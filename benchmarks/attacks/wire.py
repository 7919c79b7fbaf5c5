"""Frames and messages as docs/reference/protocol.md describes them, written by hand.

Nothing here is shared with RPCKit: an attacker sends what no library would, and a mistake that client
and server have in common must not hide.
"""

import struct

HEADER = struct.Struct(">IIBB")
REQUEST, RESPONSE, DATA = 1, 2, 3
REMOTE_CLOSED, NO_DATA = 0x01, 0x04
FRAME_BYTES_MAX = 4 << 20

CODES = (
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
    "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
)


def varint(number):
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def field(number, value):
    """One field: integers as varints, text and bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    encoded = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(encoded)) + encoded


def message(*values):
    """A message whose fields 1, 2, 3, … have these values; None leaves one out."""
    return b"".join(
        field(number, value) for number, value in enumerate(values, 1) if value is not None)


def frame(stream, kind, flags, payload=b""):
    return HEADER.pack(len(payload), stream, kind, flags) + payload


def request(stream, method, payload=b"", metadata=(), seconds=None, flags=0):
    """The frame that calls `package.Service/Method`."""
    service, _, name = method.rpartition("/")
    start = b"".join((
        field(1, service), field(2, name), b"" if seconds is None else field(4, int(seconds * 1e9)),
        *(field(5, message(key, value)) for key, value in metadata),
        varint(3 << 3 | 2), varint(len(payload))))
    # Joined once: attackers make requests of megabytes.
    return b"".join((
        HEADER.pack(len(start) + len(payload), stream, REQUEST, flags), start, payload))


def bearer(token, key="authorization"):
    """Metadata that shows a token."""
    return (key, f"Bearer {token}")


def fields(encoded):
    """Numbers and values of a message's fields, as they come."""
    offset = 0

    def number():
        nonlocal offset
        value = shift = 0
        while True:
            byte = encoded[offset]
            offset += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    while offset < len(encoded):
        tag = number()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, number()
            continue
        length = number() if kind == 2 else {1: 8, 5: 4}[kind]
        yield tag >> 3, encoded[offset:offset + length]
        offset += length


def first(encoded, *path):
    """The value at a path of field numbers, or None."""
    for step in path:
        encoded = next((value for number, value in fields(encoded) if number == step), None)
        if encoded is None:
            return None
    return encoded


def text(encoded, *path):
    """The text at a path of field numbers; empty when it is not there."""
    return (first(encoded, *path) or b"").decode()


def outcome(envelope):
    """The name of a Response's status code, and its payload."""
    code = first(envelope, 1, 1) or 0
    name = CODES[code] if code < len(CODES) else str(code)
    return name, first(envelope, 2) or b""
