"""A ttrpc client for unary calls: a frame header of ten bytes around the envelopes of ttrpc.proto."""

import socket
import struct

from google.rpc import error_details_pb2
from ttrpc import ttrpc_pb2

REQUEST, RESPONSE = 1, 2
PAYLOAD_BYTES_MAX = 4 << 20


class CallError(Exception):
    """A call that failed: a code of gRPC, a message, and the reason if the service gave one."""

    def __init__(self, status):
        super().__init__(f"{status.message} (code {status.code})")
        self.code, self.reason = status.code, ""
        for detail in status.details:
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                self.reason = info.reason


class Channel:
    """One connection with one call at a time; not for several threads."""

    def __init__(self, host, port, timeout=5.0):
        self.timeout = timeout
        self.stream = -1
        self.socket = socket.create_connection((host, port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, service, method, request, answer_type, token=None):
        """Sends one request and returns the answer, or raises CallError."""
        envelope = ttrpc_pb2.Request(
            service=service,
            method=method,
            payload=request.SerializeToString(),
            timeout_nano=int(self.timeout * 1e9),
        )
        if token:
            envelope.metadata.add(key="authorization", value=f"Bearer {token}")
        content = envelope.SerializeToString()
        self.stream += 2
        self.socket.sendall(struct.pack(">IIBB", len(content), self.stream, REQUEST, 0) + content)
        while True:
            length, stream, kind, _ = struct.unpack(">IIBB", self._receive(10))
            if length > PAYLOAD_BYTES_MAX:
                raise ConnectionError(f"a frame of {length} bytes")
            content = self._receive(length)
            # An answer to a call that was given up, or a kind of frame that this client does not know.
            if stream != self.stream or kind != RESPONSE:
                continue
            response = ttrpc_pb2.Response.FromString(content)
            if response.status.code != 0:
                raise CallError(response.status)
            return answer_type.FromString(response.payload)

    def close(self):
        self.socket.close()

    def _receive(self, count):
        content = b""
        while len(content) < count:
            piece = self.socket.recv(count - len(content))
            if not piece:
                raise ConnectionError("the service closed the connection")
            content += piece
        return content
