"""Writes whose effect can be found afterwards by its name, each answered or not."""

import asyncio
import socket

from . import wire, world
from .slow_socket import slow_socket

REGISTER = "tenancy.v1.Devices/Register"
CONNECTIONS = 20
# Writes a second on each connection: steady, or the service would refuse most of them.
RATE = 25
# As many as the service could have done by the time that it has ended.
COUNT = 500
# How long the readers continue when nothing is asked: what was answered before takes them seconds,
# and one that gave up would say nothing about the service.
READING_SECONDS = 15
# Devices on a page of a list, which is one message.
PAGE = 200


async def register(scene, answer_bytes, bytes_per_read, pause):
    """Registers devices and notes those that were acknowledged; reads so many bytes and then pauses,
    until the service ends the connection. Answers have about `answer_bytes`."""
    # What a device is registered with comes back in the answer.
    attributes = wire.field(1, wire.message("note", wire.field(3, "n" * answer_bytes)))

    async def one(number):
        connection = scene.socket(scene.sources(4)[number % 4])
        # Answers are to wait at the service, and not in this kernel buffer. Said before connecting, or
        # the window is larger by then.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await asyncio.get_running_loop().sock_connect(connection, scene.address)
        stream = slow_socket(connection, bytes_per_read, pause, scene.certificate)
        await stream.start()
        names = {2 * turn + 1: f"Named {number}-{turn}" for turn in range(COUNT)}
        asking = asyncio.ensure_future(ask(scene, stream, names, attributes))
        try:
            await read(scene, stream, names)
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            connection.close()

    await asyncio.gather(*(one(number) for number in range(CONNECTIONS)))


async def ask(scene, connection, names, attributes):
    metadata = [wire.bearer(scene.user["token"])]
    for stream, name in names.items():
        request = wire.request(
            stream, REGISTER,
            wire.message(scene.user["property"], None, name, "lock", attributes), metadata)
        if scene.is_over:
            return
        try:
            await connection.send(request)
        except OSError:
            return
        scene.count("writes asked for")
        await asyncio.sleep(1 / RATE)


async def read(scene, connection, names):
    received = bytearray()
    while True:
        try:
            more = await asyncio.wait_for(
                connection.receive(), scene.seconds_left() + READING_SECONDS)
        except TimeoutError:
            scene.count("connections never ended")
            return
        except OSError:
            scene.count("connections reset")
            return
        if not more:
            scene.count("connections ended")
            return
        received += more
        while len(received) >= wire.HEADER.size:
            length, stream, kind, _ = wire.HEADER.unpack_from(received)
            end = wire.HEADER.size + length
            if len(received) < end:
                break
            if kind == wire.RESPONSE:
                code, _ = wire.outcome(bytes(received[wire.HEADER.size:end]))
                scene.count(code)
                if code == "OK":
                    scene.acknowledged.append(names[stream])
            del received[:end]


async def found(addresses, user):
    """The names of all devices that `register` made."""
    client = world.Client(addresses)
    client.token, names, token = user["token"], set(), ""
    while True:
        page = await client.call("tenancy", "tenancy.v1.Devices/List", wire.message(
            None, None, None, None, None, PAGE, token))
        names |= {wire.text(device, 2) for number, device in wire.fields(page) if number == 1}
        token = wire.text(page, 2)
        if not token:
            client.close()
            return {name for name in names if name.startswith("Named ")}
