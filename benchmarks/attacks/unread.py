"""Clients that ask and do not read."""

import asyncio
import socket

from . import wire

# Requests are made once for all connections, so many bytes at a time.
BLOCK_BYTES = 1 << 20
# After so many a connection starts over: by then the service has stopped reading long ago, or never
# will.
BLOCKS_MAX = 64


async def ask_without_reading(scene, connections, method, payload, metadata):
    """Sends requests on each connection for as long as the service takes them."""
    per_block = max(1, BLOCK_BYTES // len(wire.request(1, method, payload, metadata)))
    blocks = []

    def block(index):
        if index == len(blocks):
            first = index * per_block
            blocks.append(b"".join(
                wire.request(2 * number + 1, method, payload, metadata)
                for number in range(first, first + per_block)))
        return blocks[index]

    async def one(source):
        loop = asyncio.get_running_loop()
        while not scene.is_over:
            connection = await scene.connect(source)
            if connection is None:
                continue
            # The answers are to wait at the service, and not in this kernel buffer.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            try:
                for index in range(BLOCKS_MAX):
                    await loop.sock_sendall(connection, block(index))
                    scene.count("requests", per_block)
                    await asyncio.sleep(0)
            except OSError:
                scene.count("connections lost")
                await scene.pause(0.1)
            finally:
                connection.close()

    addresses = scene.sources(4)
    await scene.together(one(addresses[number % 4]) for number in range(connections))
