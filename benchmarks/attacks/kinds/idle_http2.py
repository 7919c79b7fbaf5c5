"""Idle connections of HTTP/2 from 64 addresses until the descriptors of the service are used up."""

from .. import http2
from ..idle import LONGER, PROCESSES, hold_connections  # noqa: F401

SERVICE = "tenancy"


def attack(scene):
    hold_connections(scene, sources=64, content=http2.settings())
