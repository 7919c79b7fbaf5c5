"""The good client: a steady open loop of ordinary calls, in a process of its own.

Calls are due at fixed times whatever the services do, and each is measured from the time it was due,
so that a stall shows in every call that it delayed. Standard input holds a line of JSON that says what
to call, then `begin`, then `end`; the answer to the last is a line of JSON with every call's time and
outcome. Until `begin` nothing is kept.
"""

import asyncio
import gc
import itertools
import json
import os
import sys
import time

from . import wire, world
from .connection import CallFailed, Connection

# How long any call may take before it counts as failed.
CALL_SECONDS = 5
# The ordinary calls. Half of them go to the attacked service, the others to all three.
ORDINARY = {
    "auth": ("auth.v1.Users/GetMe", "auth.v1.Sessions/List", "auth.v1.Keys/GetKeySet"),
    "tenancy": ("tenancy.v1.Permissions/Check", "tenancy.v1.Devices/List",
                "tenancy.v1.Devices/Get", "tenancy.v1.Portfolios/List"),
    "entitlement": ("entitlement.v1.Entitlements/Get", "entitlement.v1.Entitlements/CheckFeature",
                    "entitlement.v1.Purchases/List"),
}
# Due each second: ordinary calls, audited writes, sign-ins of known devices, calls on connections
# made for them, and probes of the attacked service's admin port.
RATES = {"calls": 200, "writes": 2, "sign_ins": 2, "connections": 5, "probes": 4}


class GoodClient:
    def __init__(self, plan):
        self.plan = plan
        self.addresses = {name: tuple(address) for name, address in plan["addresses"].items()}
        self.metadata = [wire.bearer(plan["good"]["token"])]
        self.connections = {}
        self.records = {}
        self.open = set()
        self.turns = {name: itertools.count() for name in RATES}
        good = plan["good"]
        device = good["devices"][0]
        self.payloads = {
            "tenancy.v1.Permissions/Check": wire.message(None, "device.view", device),
            "tenancy.v1.Devices/Get": wire.message(device),
            "entitlement.v1.Entitlements/Get": wire.message(wire.message(1, good["id"])),
            "entitlement.v1.Entitlements/CheckFeature": wire.message(
                wire.message(1, good["id"]), "compliancePack"),
        }
        self.services = [service for other in ORDINARY for service in (plan["service"], other)]
        self.methods = {name: itertools.cycle(methods) for name, methods in ORDINARY.items()}

    # --- one of each kind ----------------------------------------------------------------------

    async def connection(self, service):
        """The one connection to a service; a lost one is made again by the next call."""
        found = self.connections.get(service)
        if found is None or found.done() and (found.exception() or found.result().is_lost):
            found = asyncio.ensure_future(
                Connection.open(self.addresses[service], world.GOOD_SOURCE))
            self.connections[service] = found
        return await asyncio.shield(found)

    async def calls(self, turn):
        service = self.services[turn % len(self.services)]
        method = next(self.methods[service])
        connection = await self.connection(service)
        await connection.call(method, self.payloads.get(method, b""), self.metadata, CALL_SECONDS)

    async def writes(self, turn):
        devices = self.plan["good"]["devices"]
        connection = await self.connection("tenancy")
        await connection.call(
            "tenancy.v1.Devices/Operate", wire.message(devices[turn % len(devices)], "lock"),
            self.metadata, CALL_SECONDS)

    async def sign_ins(self, turn):
        visitors = self.plan["visitors"]
        visitor = visitors[turn % len(visitors)]
        connection = await self.connection("auth")
        await connection.call(
            "auth.v1.Authentication/SignIn",
            world.sign_in(visitor["email"], visitor["device_token"]), (), CALL_SECONDS)

    async def connections_made(self, _):
        connection = await Connection.open(
            self.addresses[self.plan["service"]], world.GOOD_SOURCE, CALL_SECONDS)
        try:
            await connection.call("grpc.health.v1.Health/Check", seconds=CALL_SECONDS)
        finally:
            connection.close()

    async def probes(self, _):
        try:
            async with asyncio.timeout(CALL_SECONDS):
                reader, writer = await asyncio.open_connection(
                    *self.plan["admin"], local_addr=(world.GOOD_SOURCE, 0))
                try:
                    writer.write(
                        b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    status = (await reader.readline()).split()
                finally:
                    writer.transport.abort()
        except TimeoutError:
            raise CallFailed("TIMEOUT") from None
        except ConnectionRefusedError:
            raise CallFailed("REFUSED") from None
        except OSError:
            raise CallFailed("LOST") from None
        if len(status) < 2:
            raise CallFailed("LOST")
        if status[1] != b"200":
            raise CallFailed(f"HTTP {status[1].decode()}")

    # --- the loop ------------------------------------------------------------------------------

    async def one(self, kind, body, turn, due):
        code = "OK"
        try:
            await body(turn)
        except CallFailed as failure:
            code = failure.code
        self.records[kind].append((time.monotonic() - due, code))

    async def pace(self, kind, body, rate):
        start = time.monotonic()
        for number in itertools.count():
            due = start + number / rate
            await asyncio.sleep(max(0, due - time.monotonic()))
            call = asyncio.create_task(self.one(kind, body, next(self.turns[kind]), due))
            self.open.add(call)
            call.add_done_callback(self.open.discard)

    async def pace_all(self):
        self.records = {kind: [] for kind in RATES}
        bodies = {kind: getattr(self, kind) for kind in RATES if kind != "connections"}
        bodies["connections"] = self.connections_made
        return [asyncio.create_task(self.pace(kind, bodies[kind], rate))
                for kind, rate in RATES.items()]

    async def stop(self, paces):
        """Makes no more calls and waits for those that are open."""
        for pace in paces:
            pace.cancel()
        while self.open:
            await asyncio.wait(self.open)


async def serve(reader):
    client = GoodClient(json.loads(await reader.readline()))
    # Connections are made and code is warm before anything counts.
    paces = await client.pace_all()
    print("ready", flush=True)
    await reader.readline()
    await client.stop(paces)
    paces = await client.pace_all()
    await reader.readline()
    await client.stop(paces)
    print(json.dumps(client.records), flush=True)


async def main():
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await serve(reader)


if __name__ == "__main__":
    # What is measured is the services, so the one who measures goes first; only root may say so.
    try:
        os.nice(-10)
    except PermissionError:
        pass
    # A collection of garbage would look like a slow service.
    gc.freeze()
    gc.disable()
    asyncio.run(main())
