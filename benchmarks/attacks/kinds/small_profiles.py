"""A profile of one user that is changed by a few bytes, 128 times at once."""

import itertools

from .. import wire
from ..floods import flood

SERVICE = "auth"
# See small_documents.
LONGER = 3


async def attack(scene):
    numbers = itertools.count()
    metadata = (wire.bearer(scene.user["token"]),)

    def write():
        return "auth.v1.Users/UpdateProfile", wire.message(f"M{next(numbers)}"), metadata

    await flood(scene, 8, 16, write)
