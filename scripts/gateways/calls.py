"""Calls by gRPC through a gateway."""

import os
import subprocess
import sys

# Its library complains of answers that are not gRPC's, which checks ask for.
os.environ["GRPC_VERBOSITY"] = "NONE"

import grpc  # noqa: E402


def generate(root, folder):
    """Makes classes for messages of the contracts, and lets this program import them."""
    folder.mkdir()
    contracts = sorted(
        str(path.relative_to(root / "proto")) for name in ("audit", "auth", "tenancy", "entitlement", "gatehouse", "google/api", "google/rpc", "envoy")
        for path in (root / "proto" / name).rglob("*.proto"))
    subprocess.run(["protoc", "-I", root / "proto", "-I", "/usr/include", f"--python_out={folder}", *contracts],
                   check=True)
    sys.path.insert(0, str(folder))


class Calls:
    """A connection of somebody's; `identity` is a certificate and its key."""

    def __init__(self, certificate, port, token=None, identity=None):
        shown, key = (path.read_bytes() for path in identity) if identity else (None, None)
        credentials = grpc.ssl_channel_credentials(certificate.read_bytes(), key, shown)
        self._channel = grpc.secure_channel(
            f"localhost:{port}", credentials, options=[("grpc.enable_http_proxy", 0)])
        self._metadata = [("authorization", f"Bearer {token}")] if token else []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._channel.close()

    def unary(self, method, request, answer_type):
        """The answer; an error is grpc.RpcError."""
        return self._channel.unary_unary(
            method, type(request).SerializeToString, answer_type.FromString)(
                request, metadata=self._metadata, timeout=30)

    def stream(self, method, request, answer_type):
        return self._channel.unary_stream(
            method, type(request).SerializeToString, answer_type.FromString)(
                request, metadata=self._metadata, timeout=60)

    def details(self, method, request, answer_type):
        """How a call ends, and the bytes of its status with details."""
        try:
            self.unary(method, request, answer_type)
            return "OK", b""
        except grpc.RpcError as error:
            found = dict(error.trailing_metadata() or ())
            return error.code().name, found.get("grpc-status-details-bin", b"")

    def code(self, method, request, answer_type):
        """How a call ends."""
        try:
            self.unary(method, request, answer_type)
            return "OK"
        except grpc.RpcError as error:
            return error.code().name
