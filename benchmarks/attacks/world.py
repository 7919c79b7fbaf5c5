"""Who and what is there before an attack: accounts, a home, and the sessions of one trial."""

import asyncio
import json

from runner import hashing

from . import wire
from .connection import Connection

# Good clients and attackers come from different addresses, as they would.
GOOD_SOURCE = "127.0.1.1"
PASSWORD = hashing.PASSWORD
# Accounts that sign in during an attack, so that none of them does so suspiciously often.
VISITORS = 4
DEVICES = 20


def sign_in(email, device_token=None, password=PASSWORD):
    return wire.message(email, password, None, None, device_token)


class Client:
    """Connections to the three services; calls carry the user's token where there is one."""

    def __init__(self, addresses, source=GOOD_SOURCE):
        self.addresses = addresses
        self.source = source
        self.connections = {}
        self.token = None

    async def call(self, service, method, payload=b"", seconds=30):
        if service not in self.connections:
            self.connections[service] = await Connection.open(
                self.addresses[service], self.source)
        metadata = [wire.bearer(self.token)] if self.token else []
        return await self.connections[service].call(method, payload, metadata, seconds)

    def close(self):
        for connection in self.connections.values():
            connection.close()


async def make_account(addresses, name):
    """Signs a user up; returns what later sign-ins need."""
    client = Client(addresses)
    email = f"{name}@example.com"
    answer = await client.call(
        "auth", "auth.v1.Authentication/SignUp", wire.message(email, PASSWORD, name))
    client.close()
    return {"email": email, "id": wire.text(answer, 2, 1), "device_token": wire.text(answer, 3),
            "token": wire.text(answer, 1, 1)}


async def make_home(addresses, account):
    """A portfolio with a property and devices, which the account owns."""
    client = Client(addresses)
    client.token = account["token"]
    made = await client.call("tenancy", "tenancy.v1.Portfolios/Create", wire.message("Home"))
    portfolio = wire.text(made, 1)
    made = await client.call(
        "tenancy", "tenancy.v1.Portfolios/CreateProperty", wire.message(portfolio, "House"))
    property_id = wire.text(made, 1)
    devices = []
    for number in range(DEVICES):
        made = await client.call("tenancy", "tenancy.v1.Devices/Register", wire.message(
            property_id, None, f"Door {number}", "lock"))
        devices.append(wire.text(made, 1))
    client.close()
    return {"property": property_id, "devices": devices}


async def make_world(addresses):
    good, mallory = [await make_account(addresses, name) for name in ("good", "mallory")]
    return {
        "good": {**good, **await make_home(addresses, good)},
        "mallory": {**mallory, **await make_home(addresses, mallory)},
        "visitors": [await make_account(addresses, f"visitor{number}")
                     for number in range(VISITORS)],
    }


async def sign_in_again(addresses, account):
    client = Client(addresses)
    answer = await client.call("auth", "auth.v1.Authentication/SignIn",
                               sign_in(account["email"], account["device_token"]))
    client.close()
    account["token"] = wire.text(answer, 1, 1)


def addresses(suite):
    """Where the services are: host, port, and the certificate to believe or None for plaintext."""
    certificate = str(suite.tls / "server.pem") if suite.tls else None
    return {name: ("127.0.0.1", port, certificate) for name, port in suite.ports.items()}


def prepare(suite):
    """Fills new stores; what a trial needs to know of them stays beside them."""
    world = asyncio.run(make_world(addresses(suite)))
    (suite.folder / "world.json").write_text(json.dumps(world))


def enter(suite):
    """The world of a copied folder, its users signed in."""
    world = json.loads((suite.folder / "world.json").read_text())

    async def sign_in_both():
        for name in ("good", "mallory"):
            await sign_in_again(addresses(suite), world[name])

    asyncio.run(sign_in_both())
    return world
