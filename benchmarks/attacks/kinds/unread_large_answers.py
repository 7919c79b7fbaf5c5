"""200 connections of one user that ask 1,000 questions at a time and read no answer."""

from .. import wire
from ..unread import ask_without_reading

SERVICE = "tenancy"


async def attack(scene):
    metadata = [wire.bearer(scene.user["token"])]
    question = wire.field(1, wire.message(None, "device.view", scene.user["devices"][0]))
    await ask_without_reading(scene, 200, "tenancy.v1.Permissions/BatchCheck", question * 1000,
                              metadata)
