"""A server behind Envoy that remembers what reached it, and fails on request.

It speaks what the services speak to Envoy: HTTP/2 without TLS, gRPC's health and any other method, and
everything else as JSON.
"""

import socket
import threading

import h2.config
import h2.connection
import h2.events
import h2.exceptions

HEALTH = "/grpc.health.v1.Health/Check"
# grpc.health.v1.HealthCheckResponse.
SERVING, NOT_SERVING = b"\x08\x01", b"\x08\x02"
# Ways to fail: an answer with this status, or this code by gRPC; a connection that ends; no answer at all.
UNAVAILABLE, DEADLINE_EXCEEDED = ("503", "14"), ("504", "4")
LOST, SILENT = "lost", "silent"


class Received:
    def __init__(self, headers):
        self.headers = dict(headers)
        self.method = self.headers[":method"]
        self.path = self.headers[":path"]

    @property
    def is_grpc(self):
        return self.headers.get("content-type", "").startswith("application/grpc")


class Upstream:
    """Answers from threads of its own until it is closed."""

    def __init__(self):
        self.requests = []
        self.health_checks = 0
        self.recover()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def recover(self):
        self.health = SERVING
        self.fail(0)

    def fail(self, count, failure=UNAVAILABLE):
        """Lets the next requests fail, in one of the ways above."""
        self.failures_left, self.failure = count, failure

    def received(self, path):
        return [request for request in self.requests if request.path == path]

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        machine = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        machine.initiate_connection()
        open_requests = {}
        with connection:
            connection.sendall(machine.data_to_send())
            while True:
                try:
                    data = connection.recv(65_536)
                except OSError:
                    return
                if not data:
                    return
                try:
                    for event in machine.receive_data(data):
                        self._handle(machine, event, open_requests)
                except ConnectionAbortedError:
                    return
                connection.sendall(machine.data_to_send())

    def _handle(self, machine, event, open_requests):
        if isinstance(event, h2.events.RequestReceived):
            open_requests[event.stream_id] = Received(event.headers)
        elif isinstance(event, h2.events.DataReceived):
            machine.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamReset):
            open_requests.pop(event.stream_id, None)
        elif isinstance(event, h2.events.StreamEnded):
            request = open_requests.pop(event.stream_id, None)
            if request:
                try:
                    self._answer(machine, event.stream_id, request)
                except h2.exceptions.StreamClosedError:
                    # Envoy gave it up in the meantime.
                    pass

    def _answer(self, machine, stream, request):
        if request.path == HEALTH:
            self.health_checks += 1
            self._answer_grpc(machine, stream, self.health)
            return
        self.requests.append(request)
        fails = self.failures_left > 0
        self.failures_left -= fails
        if fails and self.failure == LOST:
            raise ConnectionAbortedError
        if fails and self.failure == SILENT:
            return
        status, code = self.failure if fails else ("200", "0")
        if request.is_grpc and fails:
            # Without a message, status and headers are one.
            machine.send_headers(stream, [(":status", "200"), ("content-type", "application/grpc"),
                                          ("grpc-status", code), ("grpc-message", "told to")], end_stream=True)
        elif request.is_grpc:
            self._answer_grpc(machine, stream, b"")
        else:
            machine.send_headers(stream, [(":status", status), ("content-type", "application/json")])
            machine.send_data(stream, b"{}", end_stream=True)

    @staticmethod
    def _answer_grpc(machine, stream, message):
        machine.send_headers(stream, [(":status", "200"), ("content-type", "application/grpc")])
        machine.send_data(stream, b"\x00" + len(message).to_bytes(4, "big") + message)
        machine.send_headers(stream, [("grpc-status", "0")], end_stream=True)
