"""The same with 27 kB for each stream, on 400 connections."""

from .. import http2
from .http2_fields import SERVICE, content  # noqa: F401


async def attack(scene):
    await http2.hold(scene, 400, content(times=7))
