"""10,000 streams of one registered user, Health/Watch and a service's watch, on 10 connections."""

import asyncio

from .. import wire
from ..held_streams import HEALTH_WATCH, hold

SERVICE = "tenancy"


async def attack(scene):
    metadata = [wire.bearer(scene.user["token"])]
    await asyncio.gather(
        hold(scene, connections=8, streams=1000, metadata=metadata, method=HEALTH_WATCH, again=1),
        hold(scene, connections=2, streams=1000, metadata=metadata,
             method="tenancy.v1.Permissions/WatchChanges", again=1))
