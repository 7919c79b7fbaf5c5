"""Calls whose header fields differ from one to the next, as those of clients that send traces do.

h2load sends the same fields with each call, and a server may remember those. These calls have another `traceparent`
and `x-request-id` each, behind fields that stay.
"""

import json
import re
import socket
import struct
from pathlib import Path

from attacks import http2

from . import http_wire, load

REST_PATH = "/v1/check"
AGENT = "benchmark/1"
# Calls of gRPC that are sent together.
IN_FLIGHT = 4
DATA, RST_STREAM, GOAWAY, WINDOW_UPDATE = 0, 3, 7, 8
# Places of the static table (RFC 7541, appendix A).
CONTENT_TYPE, USER_AGENT = 31, 58
# Fields that all calls have, each of which the first one puts into the dynamic table.
KEPT = ((http2.PATH, http_wire.METHOD), (http2.AUTHORITY, "localhost"), (USER_AGENT, AGENT),
        (CONTENT_TYPE, "application/grpc"), ("te", "trailers"))
# The head of an answer of success, with the length of its content.
ANSWER = re.compile(rb"HTTP/1.1 200 OK\r\n.*?content-length: (\d+).*?\r\n\r\n", re.S)
# Room for all answers of a connection, so that none waits for more of it.
WINDOW = (1 << 31) - 1


def connected(address):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=60)


def varied(number):
    """The fields that only one call has."""
    return (("traceparent", f"00-{number:032x}-{number:016x}-01"), ("x-request-id", f"call-{number:016x}"))


def rest(address, count):
    """Makes so many calls by REST and HTTP/1.1, one after another; every one has to succeed."""
    body = json.dumps(http_wire.QUESTION)
    with connected(address) as connection:
        for number in range(1, count + 1):
            connection.sendall(rest_call(number, address, body))
            await_answer(connection)


def rest_call(number, host, body):
    """The bytes of one call, in one piece as most clients send it."""
    fields = (("host", host), ("user-agent", AGENT), ("content-type", "application/json"),
              ("content-length", str(len(body))), *varied(number))
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"POST {REST_PATH} HTTP/1.1\r\n{head}\r\n{body}".encode()


def await_answer(connection):
    """Reads one answer, which must be one of success."""
    answer = b""
    while not (found := ANSWER.match(answer)) or len(answer) < found.end() + int(found[1]):
        more = connection.recv(1 << 16)
        if not more:
            raise RuntimeError(f"the server ended the connection: {answer}")
        answer += more


def grpc(address, count):
    """Makes so many calls by gRPC, four at a time; every one has to succeed."""
    message = Path(load.request_file()).read_bytes()
    with connected(address) as connection:
        connection.sendall(http2.settings() + http2.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", WINDOW - 0xFFFF)))
        waiting = b""
        for first in range(1, count + 1, IN_FLIGHT):
            numbers = range(first, min(first + IN_FLIGHT, count + 1))
            connection.sendall(b"".join(grpc_call(number, message) for number in numbers))
            waiting = await_answers(connection, waiting, len(numbers))


def grpc_call(number, message):
    """The frames of one call."""
    block = http2.indexed(http2.METHOD_POST) + http2.indexed(http2.SCHEME_HTTP)
    for place, (name, value) in enumerate(KEPT):
        # The table has the newest field first.
        block += (http2.literal(name, value, is_kept=True) if number == 1
                  else http2.indexed(http2.NEWEST + len(KEPT) - 1 - place))
    # Not kept, as by gRPC's core in C: no other call has them.
    for name, value in varied(number):
        block += http2.literal(name, value)
    stream = 2 * number - 1
    return (http2.frame(http2.HEADERS, http2.END_HEADERS, stream, block)
            + http2.frame(DATA, http2.END_STREAM, stream, message))


def await_answers(connection, waiting, count):
    """Reads until so many answers have come whole; returns the bytes behind them."""
    while count > 0:
        while len(waiting) < 9 or len(waiting) < 9 + int.from_bytes(waiting[:3], "big"):
            more = connection.recv(1 << 16)
            if not more:
                raise RuntimeError("the server ended the connection")
            waiting += more
        end = 9 + int.from_bytes(waiting[:3], "big")
        kind, flags, content, waiting = waiting[3], waiting[4], waiting[9:end], waiting[end:]
        if kind in (RST_STREAM, GOAWAY) or (kind == DATA and content != http_wire.GRPC_ANSWER):
            raise RuntimeError(f"the server answers with a frame of type {kind}: {content}")
        if kind == http2.SETTINGS and not flags & http2.ACKNOWLEDGEMENT:
            connection.sendall(http2.frame(http2.SETTINGS, http2.ACKNOWLEDGEMENT, 0))
        if kind in (DATA, http2.HEADERS) and flags & http2.END_STREAM:
            count -= 1
    return waiting
