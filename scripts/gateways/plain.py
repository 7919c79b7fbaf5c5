"""A way to a gateway without TLS, for programs that take no certificate of ours."""

import contextlib
import socket
import ssl
import threading


@contextlib.contextmanager
def way_to(port, certificate):
    """A port that leads to the gateway at another one; what is sent there goes on by TLS."""
    context = ssl.create_default_context(cafile=certificate)
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_serve, args=(server, port, context), daemon=True).start()
        yield server.getsockname()[1]
        # Ends the thread, which waits for a connection.
        server.shutdown(socket.SHUT_RDWR)


def _serve(server, port, context):
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        onward = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost")
        for source, target in ((client, onward), (onward, client)):
            threading.Thread(target=_copy, args=(source, target), daemon=True).start()


def _copy(source, target):
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for one in (source, target):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
