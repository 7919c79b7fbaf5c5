"""Anonymous HandleNotification, each two P-384 signatures of work, 512 at a time from 32 addresses."""

import itertools

from .. import credentials, wire
from ..floods import flood

SERVICE = "entitlement"


async def attack(scene):
    notifications = itertools.cycle(
        [wire.message(credentials.costly_notification(scene.authority)) for _ in range(256)])
    await flood(scene, 32, 16, lambda: (
        "entitlement.v1.Purchases/HandleNotification", next(notifications), ()), sources=32)
