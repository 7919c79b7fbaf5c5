"""2,000 streams of one registered user, Health/Watch and the watches of services, on 8 connections."""

import asyncio

from .. import wire
from ..held_streams import HEALTH_WATCH, hold

SERVICE = "tenancy"


async def attack(scene):
    metadata = [wire.bearer(scene.user["token"])]
    await asyncio.gather(
        hold(scene, connections=4, streams=250, metadata=metadata, method=HEALTH_WATCH),
        hold(scene, connections=4, streams=250, metadata=metadata,
             method="tenancy.v1.Permissions/WatchChanges"))
