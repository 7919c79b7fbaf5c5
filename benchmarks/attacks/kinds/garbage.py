"""Random bytes, broken frames and damaged requests on 48 connections to all three services."""

import asyncio
import random

from .. import wire

SERVICE = "tenancy"
CONNECTIONS = 48
# Of these requests, damaged ones are made.
METHODS = (
    "tenancy.v1.Permissions/BatchCheck", "tenancy.v1.Devices/List", "auth.v1.Users/GetMe",
    "auth.v1.Authentication/Refresh", "entitlement.v1.Entitlements/Get",
    "entitlement.v1.Purchases/Restore", "grpc.health.v1.Health/Watch",
)


def damaged(random_source, token):
    """A few frames that are wrong somewhere, or only look right."""
    shape = random_source.randrange(4)
    if shape == 0:
        return random_source.randbytes(random_source.randrange(1, 4096))
    if shape == 1:
        return wire.frame(random_source.getrandbits(32), random_source.randrange(256),
                          random_source.randrange(256),
                          random_source.randbytes(random_source.randrange(512)))
    frame = bytearray(wire.request(
        random_source.randrange(1, 1 << 16, 2), random_source.choice(METHODS),
        random_source.randbytes(random_source.randrange(256)), [wire.bearer(token)]))
    if shape == 3:
        for _ in range(random_source.randrange(1, 8)):
            frame[random_source.randrange(len(frame))] = random_source.randrange(256)
    return bytes(frame)


async def attack(scene):
    addresses = list(scene.addresses.values())

    async def one(number):
        random_source = random.Random(number)
        while not scene.is_over:
            try:
                reader, writer = await asyncio.open_connection(
                    *addresses[number % 3][:2], local_addr=(scene.sources(16)[number % 16], 0))
            except OSError:
                scene.count("connections refused")
                await scene.pause(0.1)
                continue
            scene.count("connections")

            async def discard():
                while await reader.read(1 << 16):
                    pass

            discarding = asyncio.ensure_future(discard())
            try:
                while not discarding.done() and not scene.is_over:
                    writer.write(b"".join(
                        damaged(random_source, scene.user["token"]) for _ in range(16)))
                    scene.count("frames", 16)
                    await writer.drain()
                    await asyncio.sleep(0)
            except OSError:
                pass
            finally:
                discarding.cancel()
                await asyncio.gather(discarding, return_exceptions=True)
                writer.transport.abort()
            scene.count("connections lost")

    await scene.together(one(number) for number in range(CONNECTIONS))
