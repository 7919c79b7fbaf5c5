"""Nothing: what the good client sees of this machine when nobody attacks."""

SERVICE = "tenancy"


async def attack(scene):
    await scene.wait()
