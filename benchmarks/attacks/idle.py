"""Connections that are made and held; those that are lost are made again."""

import errno
import resource
import select
import time

# Attackers that share the connections, because none may have as many descriptors as it takes.
PROCESSES = 3
# It takes seconds to make them all.
LONGER = 2
# More connections than the service has descriptors.
SURPLUS = 1000
# How many are being made at a time, which is less than a listener's queue holds.
MAKING_MAX = 512
# Descriptors of an attacker that are no connections.
OWN_DESCRIPTORS = 64
# Ports are named, because the kernel looks for a free one longer the more are taken: each process has
# so many, from this one on.
PORT_MIN, PORTS = 2000, 20_000


def hold_connections(scene, sources, content=b""):
    """Holds this process's share of more connections than the service has descriptors.

    Each sends the content once; what comes is not read.
    """
    addresses = scene.sources(sources)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - OWN_DESCRIPTORS
    count = min((scene.descriptors + SURPLUS) // PROCESSES, limit)
    poll, held, making = select.epoll(), {}, set()
    made = 0
    # A refused attacker comes back, but not in the same instant.
    again = time.monotonic()
    port_min = PORT_MIN + scene.index * PORTS
    while not scene.is_over:
        while len(held) < count and len(making) < MAKING_MAX and time.monotonic() >= again:
            made += 1
            try:
                connection = scene.socket(addresses[made % sources], port_min + made % PORTS)
            except OSError:
                # Somebody on this machine has the port.
                continue
            if connection.connect_ex(scene.address) not in (0, errno.EINPROGRESS):
                connection.close()
                scene.count("connections refused")
                again = time.monotonic() + 0.1
                break
            held[connection.fileno()] = connection
            making.add(connection.fileno())
            poll.register(connection, select.EPOLLIN | select.EPOLLOUT | select.EPOLLRDHUP)
        for descriptor, events in poll.poll(0.05, 4096):
            if content and events == select.EPOLLIN:
                # The service's own first words.
                poll.modify(descriptor, select.EPOLLRDHUP)
            elif events & ~select.EPOLLOUT:
                is_made = descriptor not in making
                scene.count("connections lost" if is_made else "connections refused")
                making.discard(descriptor)
                poll.unregister(descriptor)
                held.pop(descriptor).close()
                again = time.monotonic() + 0.1
            else:
                scene.count("connections")
                making.discard(descriptor)
                poll.modify(descriptor, select.EPOLLIN | select.EPOLLRDHUP)
                if content:
                    say(held[descriptor], content)
    scene.count("held at the end", len(held) - len(making))


def say(connection, content):
    """Sends what fits the kernel's buffer; a connection that is lost shows when it is polled."""
    try:
        connection.send(content)
    except OSError:
        pass
