"""Calls made as fast as they are answered."""

import asyncio
import itertools

from .connection import CallFailed

# A refused attacker continues, but a busy loop of refusals would only cost this machine its cores.
REFUSED_PAUSE_SECONDS = 0.005


async def flood(scene, connections, in_flight, make_call, sources=1, calls_per_connection=None):
    """Keeps `in_flight` calls open on each connection.

    `make_call` says which: method, payload and metadata. Connections come from `sources` addresses in
    turn; one that has made its calls is closed, and the next comes from the next address.
    """
    addresses = itertools.cycle(scene.sources(sources))

    async def calls(connection, numbers):
        for _ in numbers:
            if scene.is_over or connection.is_lost:
                return
            try:
                await connection.call(*make_call(), seconds=30)
                scene.count("OK")
            except CallFailed as failure:
                scene.count(failure.code)
                await scene.pause(REFUSED_PAUSE_SECONDS)

    async def one():
        while not scene.is_over:
            connection = await scene.open(next(addresses))
            if connection is None:
                continue
            numbers = iter(range(calls_per_connection)) if calls_per_connection else (
                itertools.count())
            await asyncio.gather(*(calls(connection, numbers) for _ in range(in_flight)))
            connection.close()

    await scene.together(one() for _ in range(connections))
