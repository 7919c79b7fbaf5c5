"""400 anonymous Health/Watch streams on one connection."""

from ..held_streams import hold

SERVICE = "tenancy"


async def attack(scene):
    await hold(scene, connections=1, streams=400)
