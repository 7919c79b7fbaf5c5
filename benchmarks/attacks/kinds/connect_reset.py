"""Connections that are reset as soon as they are made, as fast as one core makes them."""

import errno
import itertools
import socket
import struct

SERVICE = "tenancy"
# Closing drops everything and sends RST (socket(7), SO_LINGER).
RESET = struct.pack("ii", 1, 0)


def attack(scene):
    addresses = itertools.cycle(scene.sources(16))
    while not scene.is_over:
        with scene.socket(next(addresses)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            if connection.connect_ex(scene.address) in (0, errno.EINPROGRESS):
                scene.count("connections")
            else:
                scene.count("connections refused")
