"""200 connections to the admin port that ask nothing or half a question."""

import asyncio

SERVICE = "tenancy"
CONNECTIONS = 200


async def attack(scene):
    async def one(number):
        loop = asyncio.get_running_loop()
        while not scene.is_over:
            connection = await scene.connect(scene.sources(1)[0], scene.admin)
            if connection is None:
                continue
            try:
                if number % 2:
                    await loop.sock_sendall(connection, b"GET /metr")
                while await loop.sock_recv(connection, 4096):
                    pass
            except OSError:
                pass
            finally:
                connection.close()
            scene.count("connections lost")
            await scene.pause(0.02)

    await scene.together(one(number) for number in range(CONNECTIONS))
