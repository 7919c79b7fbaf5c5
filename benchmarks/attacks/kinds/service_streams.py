"""1,600 WatchChanges streams of a service that proves itself and has gone wrong."""

from .. import credentials, wire
from ..held_streams import hold

SERVICE = "tenancy"


async def attack(scene):
    token = credentials.service_token(scene.keys, "entitlement", "tenancy")
    await hold(scene, connections=8, streams=200, method="tenancy.v1.Permissions/WatchChanges",
               metadata=[wire.bearer(token, "service-authorization")])
