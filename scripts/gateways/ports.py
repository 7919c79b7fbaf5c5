"""Ports that nobody uses."""

import random
import socket

# Below those that the kernel gives to outgoing connections.
RANGE = range(20_000, 32_000)


def free(count):
    ports = []
    for port in random.sample(RANGE, 1000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        ports.append(port)
        if len(ports) == count:
            return ports
    raise OSError("too few ports are free")
