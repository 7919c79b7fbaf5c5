"""A small client of the wire protocol, for the good client and for the attackers that read."""

import asyncio
import socket

from . import tls, wire


class CallFailed(Exception):
    """A call that was answered with an error, or not at all.

    `code` is a status code's name, or what became of the connection: REFUSED (never made), LOST
    (closed while the call was open), TIMEOUT (no answer in time).
    """

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Connection(asyncio.Protocol):
    """One connection; calls are made from the loop that opened it."""

    @classmethod
    async def open(cls, address, source=None, seconds=5):
        """Connects to an address: host, port, and the certificate to believe or None for plaintext."""
        loop = asyncio.get_running_loop()
        host, port, certificate = address
        try:
            _, connection = await asyncio.wait_for(
                loop.create_connection(
                    cls, host, port, local_addr=(source, 0) if source else None,
                    ssl=tls.context(certificate)), seconds)
        except TimeoutError:
            raise CallFailed("TIMEOUT") from None
        except OSError:
            raise CallFailed("REFUSED") from None
        return connection

    def __init__(self):
        self.transport = None
        self.input = bytearray()
        self.next_stream = 1
        # What hears of each open stream: called with the frame's type and payload, and with None
        # when the connection is gone.
        self.listeners = {}
        self.is_lost = False
        self.lost = asyncio.get_running_loop().create_future()

    # --- calls ---------------------------------------------------------------------------------

    def start(self, method, payload=b"", metadata=(), seconds=None, flags=0, listener=None):
        """Sends a request; the listener hears every frame of its stream. Returns the stream."""
        stream = self.next_stream
        self.next_stream += 2
        if listener:
            self.listeners[stream] = listener
        self.transport.write(wire.request(stream, method, payload, metadata, seconds, flags))
        return stream

    async def call(self, method, payload=b"", metadata=(), seconds=5):
        """One answer, or CallFailed."""
        if self.is_lost:
            raise CallFailed("LOST")
        answer = asyncio.get_running_loop().create_future()

        def hear(kind, envelope):
            if answer.done():
                return
            if kind is None:
                answer.set_exception(CallFailed("LOST"))
                return
            code, content = wire.outcome(envelope)
            if code == "OK":
                answer.set_result(content)
            else:
                answer.set_exception(CallFailed(code))

        stream = self.start(method, payload, metadata, seconds, listener=hear)
        try:
            # The server's own answer to the deadline comes first where the server is well.
            return await asyncio.wait_for(answer, seconds + 0.5)
        except TimeoutError:
            raise CallFailed("TIMEOUT") from None
        finally:
            self.listeners.pop(stream, None)

    def close(self):
        if self.transport:
            self.transport.abort()

    # --- asyncio.Protocol ----------------------------------------------------------------------

    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, received):
        self.input += received
        offset = 0
        while len(self.input) - offset >= wire.HEADER.size:
            length, stream, kind, flags = wire.HEADER.unpack_from(self.input, offset)
            end = offset + wire.HEADER.size + length
            if len(self.input) < end:
                break
            listener = self.listeners.get(stream)
            if listener:
                listener(kind, bytes(self.input[offset + wire.HEADER.size:end]))
            offset = end
        del self.input[:offset]

    def connection_lost(self, _):
        self.is_lost = True
        if not self.lost.done():
            self.lost.set_result(None)
        listeners, self.listeners = list(self.listeners.values()), {}
        for listener in listeners:
            listener(None, b"")
