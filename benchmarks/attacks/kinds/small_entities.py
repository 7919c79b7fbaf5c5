"""Units of one user that are made in batches of 500 and renamed, on 8 connections."""

import itertools

from .. import wire
from ..floods import flood

SERVICE = "tenancy"
# See small_documents.
LONGER = 3
BATCH = 500


async def attack(scene):
    numbers = itertools.count()
    metadata = (wire.bearer(scene.user["token"]),)
    new = wire.field(1, wire.message("unit", scene.user["property"], "U"))
    batch = new * BATCH

    def write():
        number = next(numbers)
        if number % 2:
            return "tenancy.v1.Entities/BatchCreate", batch, metadata
        return "tenancy.v1.Entities/Update", wire.message(
            scene.user["property"], f"House {number}"), metadata

    await flood(scene, 8, 2, write)
