"""Frames of HTTP/2 as RFC 9113 describes them and fields as RFC 7541 does, written by hand.

As in `wire`, nothing is shared with the services: an attacker sends what no library would.
"""

import asyncio
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, SETTINGS = 1, 4
END_STREAM, END_HEADERS, ACKNOWLEDGEMENT = 1, 4, 1
INITIAL_WINDOW_SIZE = 4
# Places of the static table (RFC 7541, appendix A), and the newest of the dynamic one.
AUTHORITY, METHOD_GET, METHOD_POST, PATH, SCHEME_HTTP, NEWEST = 1, 2, 3, 4, 6, 62


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(*pairs):
    """The client's preface with its settings."""
    return PREFACE + frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", *pair) for pair in pairs))


def integer(number, bits, first=0):
    """An integer with a prefix of so many bits (section 5.1)."""
    limit = (1 << bits) - 1
    if number < limit:
        return bytes([first | number])
    encoded, number = bytearray([first | limit]), number - limit
    while number >= 128:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def text(value):
    return integer(len(value), 7) + value.encode()


def indexed(place):
    """A field of one of the tables (section 6.1)."""
    return integer(place, 7, 0x80)


def literal(name, value, is_kept=False):
    """A field whose name is a text or a place of the static table; `is_kept` puts it into the dynamic table."""
    bits, first = (6, 0x40) if is_kept else (4, 0)
    start = integer(name, bits, first) if isinstance(name, int) else bytes([first]) + text(name)
    return start + text(value)


def request(stream, method, path, fields=b"", is_end=True):
    """One HEADERS frame."""
    block = (indexed(method) + indexed(SCHEME_HTTP) + literal(PATH, path) + literal(AUTHORITY, "x")
             + fields)
    return frame(HEADERS, END_HEADERS | (END_STREAM if is_end else 0), stream, block)


async def hold(scene, connections, content, sources=16):
    """Sends content on each connection and reads what comes; on a new one when the service ends it."""
    addresses = scene.sources(sources)

    async def one(number):
        loop = asyncio.get_running_loop()
        while not scene.is_over:
            connection = await scene.connect(addresses[number % sources])
            if connection is None:
                continue
            try:
                await loop.sock_sendall(connection, content)
                scene.count("bytes sent", len(content))
                while await loop.sock_recv(connection, 1 << 16):
                    pass
            except OSError:
                pass
            finally:
                connection.close()
            scene.count("connections lost")
            await scene.pause(0.05)

    await scene.together(one(number) for number in range(connections))
