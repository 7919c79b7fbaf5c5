"""The process that attacks: reads a scene from standard input, says that it is ready, attacks from the
next line on until its time is over, and prints what it met.

It runs at a low priority. Real attackers have machines of their own; here everybody shares the cores,
and a good client that gets no processor time would prove nothing about the services.
"""

import asyncio
import collections
import importlib
import inspect
import json
import os
import resource
import socket
import sys
import time

from .connection import CallFailed, Connection

# getsockopt(7) has no name in Python: the port is chosen when connecting, which is faster and lets
# one port serve several targets.
IP_BIND_ADDRESS_NO_PORT = 24
DESCRIPTORS = 65_536


class Scene:
    """What an attack knows and counts."""

    def __init__(self, plan):
        self.addresses = {name: tuple(address) for name, address in plan["addresses"].items()}
        self.service = plan["service"]
        self.address = self.addresses[self.service][:2]
        self.certificate = self.addresses[self.service][2]
        self.admin = tuple(plan["admin"])
        # Mallory's account, and those that others sign in to in the meantime.
        self.user = plan["mallory"]
        self.victims = plan["victims"]
        # The services' keys, which only an attack by a service of ours reads, and certificates.
        self.keys = plan["keys"]
        self.authority = plan["authority"]
        # Which of the processes that attack together this one is.
        self.index = plan["index"]
        # How many descriptors each service may have open.
        self.descriptors = plan["descriptors"]
        self.end = time.monotonic() + plan["seconds"]
        self.tally = collections.Counter()
        # Names of writes that were acknowledged.
        self.acknowledged = []

    @property
    def is_over(self):
        return time.monotonic() >= self.end

    def seconds_left(self):
        return max(0, self.end - time.monotonic())

    async def wait(self):
        """Until the attack is over."""
        await asyncio.sleep(self.seconds_left())

    async def pause(self, seconds):
        await asyncio.sleep(min(seconds, self.seconds_left()))

    def count(self, what, number=1):
        self.tally[what] += number

    @staticmethod
    def sources(count):
        """Addresses of so many attacking machines."""
        return [f"127.0.{2 + number // 250}.{1 + number % 250}" for number in range(count)]

    @staticmethod
    def socket(source, port=0):
        made = socket.socket()
        made.setblocking(False)
        if port:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        else:
            made.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        made.bind((source, port))
        return made

    async def connect(self, source, address=None):
        """A bare socket, or None after a pause when the service would not have it."""
        made = self.socket(source)
        try:
            await asyncio.get_running_loop().sock_connect(made, address or self.address)
        except OSError:
            made.close()
            self.count("connections refused")
            await self.pause(0.1)
            return None
        self.count("connections")
        return made

    async def open(self, source):
        """A connection that makes calls, or None after a pause."""
        try:
            connection = await Connection.open(self.addresses[self.service], source)
        except CallFailed:
            self.count("connections refused")
            await self.pause(0.1)
            return None
        self.count("connections")
        return connection

    async def together(self, bodies):
        """Runs all until the attack is over, whatever they wait for."""
        tasks = [asyncio.ensure_future(body) for body in bodies]
        await self.wait()
        ended = [task for task in tasks if task.done() and task.exception()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if ended:
            raise ended[0].exception()


def main():
    os.nice(10)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, DESCRIPTORS), max(hard, DESCRIPTORS)))
    except (ValueError, PermissionError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    plan = json.loads(sys.stdin.readline())
    kind = importlib.import_module(f".kinds.{plan['kind']}", __package__)
    attack = kind.attack
    if hasattr(kind, "prepare"):
        asyncio.run(kind.prepare(Scene(plan)))
    print("ready", flush=True)
    sys.stdin.readline()
    scene = Scene(plan)
    if inspect.iscoroutinefunction(attack):
        asyncio.run(attack(scene))
    else:
        attack(scene)
    print(json.dumps({"tally": scene.tally, "acknowledged": scene.acknowledged}), flush=True)
    # Connections end with the process, all at once.
    os._exit(0)


if __name__ == "__main__":
    main()
