"""Sign-ins with wrong passwords from 1,000 addresses, 64 at a time, half of them of other users."""

import itertools

from .. import world
from ..floods import flood

SERVICE = "auth"


async def attack(scene):
    turns = itertools.count()

    def attempt():
        turn = next(turns)
        email = (scene.victims[turn // 2 % len(scene.victims)] if turn % 2
                 else f"nobody{turn}@example.com")
        return ("auth.v1.Authentication/SignIn", world.sign_in(email, password=f"wrong {turn}"), ())

    await flood(scene, 64, 1, attempt, sources=1000, calls_per_connection=16)
