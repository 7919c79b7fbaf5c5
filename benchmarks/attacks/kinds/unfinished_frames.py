"""400 connections that send a request of 4 MiB up to its last bytes, and those one a second."""

import asyncio

from .. import wire

SERVICE = "tenancy"
CONNECTIONS = 400
MISSING = 64


async def attack(scene):
    # One for all connections: the attacker has no need of the memory that it costs others.
    start = wire.HEADER.pack(wire.FRAME_BYTES_MAX, 1, wire.REQUEST, 0) + bytes(
        wire.FRAME_BYTES_MAX - MISSING)
    addresses = scene.sources(16)

    async def one(source):
        loop = asyncio.get_running_loop()
        while not scene.is_over:
            connection = await scene.connect(source)
            if connection is None:
                continue
            try:
                await loop.sock_sendall(connection, start)
                scene.count("unfinished frames")
                while True:
                    await asyncio.sleep(1)
                    await loop.sock_sendall(connection, b"\0")
            except OSError:
                scene.count("connections lost")
                await scene.pause(0.1)
            finally:
                connection.close()

    await scene.together(one(addresses[number % 16]) for number in range(CONNECTIONS))
