"""SIGKILL under 500 writes a second on 20 connections."""

import signal

from ..named_writes import register

SERVICE = "tenancy"
STOPS = signal.SIGKILL
STOP_AFTER_SECONDS = 2
LONGER = 2


async def attack(scene):
    await register(scene, answer_bytes=8, bytes_per_read=65_536, pause=0)
