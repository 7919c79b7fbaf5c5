"""600 Health/Watch streams that ask for service names of 4 MB, which a watcher keeps."""

from .. import wire
from ..held_streams import hold

SERVICE = "tenancy"


async def attack(scene):
    await hold(scene, connections=40, streams=15, payload=wire.message("n" * 4_000_000))
