"""Documents of two bytes of one user, put again and again in batches of 500, on 8 connections."""

from .. import wire
from ..floods import flood

SERVICE = "tenancy"
# The budget may be spent at once; only then does the bound on growth say anything about it.
LONGER = 3
BATCH = 500


async def attack(scene):
    metadata = (wire.bearer(scene.user["token"]),)
    puts = [wire.message(wire.message("small", f"d{number}", "{}")) for number in range(BATCH)]
    batch = b"".join(wire.field(1, put) for put in puts)

    def write():
        return "tenancy.v1.Documents/BatchWrite", batch, metadata

    await flood(scene, 8, 2, write)
