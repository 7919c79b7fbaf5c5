"""200 sign-ins at a time of one user who knows the password, from a device that is known."""

from .. import world
from ..floods import flood

SERVICE = "auth"


async def attack(scene):
    attempt = ("auth.v1.Authentication/SignIn",
               world.sign_in(scene.user["email"], scene.user["device_token"]), ())
    await flood(scene, 10, 20, lambda: attempt)
