"""Bare sockets, with TLS or without, of which an attack decides how fast they read from the wire."""

import asyncio
import ssl

from . import tls

# No record holds more (RFC 8446, section 5.1).
RECORD_BYTES = 16_384


class SlowSocket:
    """A connected socket that takes so many bytes from the wire and then pauses."""

    def __init__(self, connection, bytes_per_read, pause):
        self.connection = connection
        self.bytes_per_read = bytes_per_read
        self.pause = pause

    async def start(self):
        pass

    async def send(self, content):
        await asyncio.get_running_loop().sock_sendall(self.connection, content)

    async def take(self):
        taken = await asyncio.get_running_loop().sock_recv(self.connection, self.bytes_per_read)
        await asyncio.sleep(self.pause)
        return taken

    async def receive(self):
        """What has come; empty at the end."""
        return await self.take()


class SlowTLSSocket(SlowSocket):
    """The same behind TLS."""

    def __init__(self, connection, bytes_per_read, pause, certificate):
        super().__init__(connection, bytes_per_read, pause)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.session = tls.context(certificate).wrap_bio(
            self.incoming, self.outgoing, server_hostname="127.0.0.1")

    async def start(self):
        while True:
            try:
                self.session.do_handshake()
            except ssl.SSLWantReadError:
                await super().send(self.outgoing.read())
                self.incoming.write(await self.take())
                continue
            await super().send(self.outgoing.read())
            return

    async def send(self, content):
        self.session.write(content)
        await super().send(self.outgoing.read())

    async def receive(self):
        while True:
            try:
                return self.session.read(RECORD_BYTES)
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLWantReadError:
                more = await self.take()
                if not more:
                    return b""
                self.incoming.write(more)


def slow_socket(connection, bytes_per_read, pause, certificate):
    """A connected socket that speaks as the service wants to be spoken to."""
    if certificate is None:
        return SlowSocket(connection, bytes_per_read, pause)
    return SlowTLSSocket(connection, bytes_per_read, pause, certificate)
