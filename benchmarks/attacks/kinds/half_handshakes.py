"""TLS connections from 64 addresses that send a client's hello and nothing else, up to the descriptors."""

import ssl

from .. import tls
from ..idle import LONGER, PROCESSES, hold_connections  # noqa: F401

SERVICE = "tenancy"
TLS = True


def hello(certificate):
    """What a client says first."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = tls.context(certificate).wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    try:
        session.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def attack(scene):
    hold_connections(scene, sources=64, content=hello(scene.certificate))
