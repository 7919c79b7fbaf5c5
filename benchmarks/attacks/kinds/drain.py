"""SIGTERM under writes whose answers 20 connections read more slowly than they come."""

import signal

from ..named_writes import register

SERVICE = "tenancy"
STOPS = signal.SIGTERM
STOP_AFTER_SECONDS = 2
LONGER = 2


async def attack(scene):
    await register(scene, answer_bytes=8000, bytes_per_read=2048, pause=0.02)
