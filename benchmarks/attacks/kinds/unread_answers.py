"""50 connections of one user that ask small questions without end and read no answer."""

from .. import wire
from ..unread import ask_without_reading

SERVICE = "tenancy"


async def attack(scene):
    metadata = [wire.bearer(scene.user["token"])]
    question = wire.message(None, "device.view", scene.user["devices"][0])
    await ask_without_reading(scene, 50, "tenancy.v1.Permissions/Check", question, metadata)
