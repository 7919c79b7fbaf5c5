"""Audited writes of one user at TenancyService, 128 at a time, with 14 KB in traceparent or x-request-id."""

import itertools

from .. import wire
from ..floods import flood

SERVICE = "tenancy"


async def attack(scene):
    keys = itertools.cycle(("x-request-id", "traceparent"))
    devices = itertools.cycle(scene.user["devices"])

    def write():
        metadata = (wire.bearer(scene.user["token"]), (next(keys), "x" * 14_000))
        return "tenancy.v1.Devices/Operate", wire.message(next(devices), "lock"), metadata

    await flood(scene, 8, 16, write)
