"""One user sorts 9,800 documents by a field, again and again on 120 connections."""

from .. import wire
from ..floods import flood

SERVICE = "tenancy"
DOCUMENTS = 9_800
BATCH = 490
CONNECTIONS = 120
# Made before anything is measured.
COLLECTION = "sorted"


async def prepare(scene):
    """The documents that are sorted."""
    connection = await scene.open(scene.sources(1)[0])
    metadata = (wire.bearer(scene.user["token"]),)
    for start in range(0, DOCUMENTS, BATCH):
        puts = b"".join(
            wire.field(1, wire.message(wire.message(
                COLLECTION, f"d{number}", '{"rank":%d}' % (number * 7919 % DOCUMENTS))))
            for number in range(start, min(start + BATCH, DOCUMENTS)))
        await connection.call("tenancy.v1.Documents/BatchWrite", puts, metadata, seconds=60)
    connection.close()


async def attack(scene):
    metadata = (wire.bearer(scene.user["token"]),)
    request = wire.message(COLLECTION, None, None, "rank", 1)

    def read():
        return "tenancy.v1.Documents/List", request, metadata

    await flood(scene, CONNECTIONS, 1, read)
