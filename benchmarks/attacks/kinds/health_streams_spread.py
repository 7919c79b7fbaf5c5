"""2,000 anonymous Health/Watch streams on 200 connections from 16 addresses."""

from ..held_streams import hold

SERVICE = "tenancy"


async def attack(scene):
    await hold(scene, connections=200, streams=10, sources=16)
