"""A port that leads to another one."""

import contextlib
import socket
import threading


@contextlib.contextmanager
def relay(connect, reader=lambda: lambda data: None):
    """The port. Each connection leads to one that `connect` makes; what its client sends is shown, piece by piece, to a
    function of its own that `reader` makes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_serve, args=(server, connect, reader), daemon=True).start()
        yield server.getsockname()[1]
        # Ends the thread, which waits for a connection.
        server.shutdown(socket.SHUT_RDWR)


def _serve(server, connect, reader):
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        try:
            onward = connect()
        except OSError:
            client.close()
            continue
        for source, target, see in ((client, onward, reader()), (onward, client, lambda data: None)):
            threading.Thread(target=_copy, args=(source, target, see), daemon=True).start()


def _copy(source, target, see):
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            see(data)
            target.sendall(data)
    for one in (source, target):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
