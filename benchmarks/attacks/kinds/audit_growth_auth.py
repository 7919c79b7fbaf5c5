"""Audited writes of one user at AuthService, 128 at a time, with 14 KB in traceparent."""

import itertools

from .. import wire
from ..floods import flood

SERVICE = "auth"


async def attack(scene):
    numbers = itertools.count()

    def write():
        metadata = (wire.bearer(scene.user["token"]), ("traceparent", "x" * 14_000))
        profile = wire.message(f"Mallory {next(numbers)}")
        return "auth.v1.Users/UpdateProfile", profile, metadata

    await flood(scene, 8, 16, write)
