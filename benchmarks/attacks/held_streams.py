"""Streams that are opened and held, and opened again when they are refused or lost."""

import asyncio

from . import wire

HEALTH_WATCH = "grpc.health.v1.Health/Watch"


async def hold(scene, connections, streams, sources=1, method=HEALTH_WATCH, payload=b"",
               metadata=(), again=0.1):
    """Holds `streams` streams on each of the connections; tries `again` after so many seconds."""
    addresses = scene.sources(sources)
    await scene.together(
        hold_on_one(scene, addresses[number % sources], streams, method, payload, metadata, again)
        for number in range(connections))


async def hold_on_one(scene, source, streams, method, payload, metadata, again):
    while not scene.is_over:
        connection = await scene.open(source)
        if connection is None:
            continue
        loop = asyncio.get_running_loop()

        def begin():
            if connection.is_lost or scene.is_over:
                return
            is_new = True

            def hear(kind, envelope):
                nonlocal is_new
                if kind == wire.DATA:
                    if is_new:
                        scene.count("streams opened")
                    is_new = False
                    return
                connection.listeners.pop(stream, None)
                if kind is not None:
                    scene.count(wire.outcome(envelope)[0])
                    loop.call_later(again, begin)

            stream = connection.start(method, payload, metadata, flags=wire.REMOTE_CLOSED,
                                      listener=hear)

        for _ in range(streams):
            begin()
            # Others must get a turn, and large requests must not pile up here.
            await asyncio.sleep(0)
            while connection.transport.get_write_buffer_size() > 1 << 20 and not connection.is_lost:
                await asyncio.sleep(0.01)
        await connection.lost
        scene.count("connections lost")
