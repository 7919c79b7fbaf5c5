"""A relay before servers of TCP, with a way of its own for each client program, which can be cut, or swallow bytes.

Run as a program it takes lines from its input: `NAME MODE` with a mode of `Relay`, or `PORT gone` and `PORT here` of a
server, and answers each with `ok`.
"""

import asyncio
import functools
import subprocess
import sys
import threading

# How a way passes bytes: all of them, none to the server, none from it, none at all, no connections, or what the server
# says after SLOW_SECONDS. The last two pass all until a write is committed: they lose either the commit or its answer,
# with the connection, and pass from then on.
MODES = ("pass", "deaf", "mute", "silent", "cut", "slow", "lose a commit", "lose its answer")
SLOW_SECONDS = 5
# How PostgreSQL's simple protocol asks for a commit, and what only a connection has said that writes.
COMMIT, TURN = b"COMMIT\0", b"pg_advisory_xact_lock"


class Way:
    """The way of one program to the servers: a port that it connects to for each of theirs."""

    def __init__(self):
        self.servers = {}
        self.mode = "pass"
        # The ends of connections, with the server that they lead to.
        self._links, self._listeners = {}, {}

    async def listen(self, to_port=None):
        """Begins to listen for connections to one server, or to all."""
        for port, server_port in self.servers.items():
            if to_port in (None, server_port):
                self._listeners[server_port] = await asyncio.start_server(
                    functools.partial(self._accept, server_port), "127.0.0.1", port)

    def refuse(self, to_port):
        """Refuses connections to a server, as a machine without one does, and ends those that are there."""
        self._listeners[to_port].close()
        for writer in [one for one, port in self._links.items() if port == to_port]:
            writer.transport.abort()

    def change(self, mode):
        self.mode = mode
        # What was swallowed is missing from the connection, so it cannot go on.
        if mode in ("cut", "pass"):
            for writer in list(self._links):
                writer.transport.abort()

    async def _accept(self, to_port, reader, writer):
        if self.mode == "cut":
            writer.transport.abort()
            return
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", to_port)
        except OSError:
            writer.transport.abort()
            return
        self._links |= {writer: to_port, server_writer: to_port}
        ends = Ends(writer, server_writer)
        try:
            await asyncio.gather(self._pass(reader, server_writer, ("deaf", "silent"), ends),
                                 self._pass(server_reader, writer, ("mute", "silent")))
        finally:
            for one in (writer, server_writer):
                one.transport.abort()
                self._links.pop(one, None)

    async def _pass(self, reader, writer, swallowing, ends=None):
        """Passes bytes on; `ends` is there for those to the server."""
        try:
            while data := await reader.read(65_536):
                if ends and self._loses(data, ends):
                    return
                if self.mode == "slow" and not ends:
                    await asyncio.sleep(SLOW_SECONDS)
                if self.mode not in swallowing:
                    writer.write(data)
                    await writer.drain()
        except OSError:
            pass
        # What one end has closed is over for both, unless nothing gets through.
        if self.mode not in swallowing:
            writer.transport.abort()

    def _loses(self, data, ends):
        """Whether the connection ends here, by the loss of a commit or of its answer."""
        ends.writes = ends.writes or TURN in data
        if self.mode not in MODES[-2:] or not ends.writes or COMMIT not in data:
            return False
        if self.mode == "lose its answer":
            # The server does not look for the caller before it has committed; nobody is there to read its answer.
            ends.server.write(data)
            ends.client.transport.abort()
            ends.server.close()
        else:
            ends.client.transport.abort()
            ends.server.transport.abort()
        self.mode = "pass"
        return True


class Ends:
    """The two ends of a connection."""

    def __init__(self, client, server):
        self.client, self.server, self.writes = client, server, False


async def _main(ways):
    for way in ways.values():
        await way.listen()
    print("ok", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        name, mode = line.strip().split(" ", 1)
        if mode == "gone":
            for way in ways.values():
                way.refuse(int(name))
        elif mode == "here":
            for way in ways.values():
                await way.listen(int(name))
        else:
            ways[name].change(mode)
        print("ok", flush=True)


class Relay:
    """The relay in a process of its own, so that clients do not slow it down."""

    def __init__(self, ways):
        """`ways` has for each name the ports to listen on, with those that they lead to."""
        pairs = [f"{name}:{port}:{to_port}" for name, ports in ways.items() for port, to_port in ports.items()]
        self._process = subprocess.Popen(
            [sys.executable, __file__, *pairs], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout.readline() == "ok\n", "the relay did not start"
        self._turn = threading.Lock()

    def change(self, name, mode):
        assert mode in MODES, mode
        self._order(f"{name} {mode}")

    def server(self, port, is_here):
        """A server that is away is not connected to, and connections to it end."""
        self._order(f"{port} {'here' if is_here else 'gone'}")

    def _order(self, line):
        with self._turn:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            assert self._process.stdout.readline() == "ok\n", "the relay has ended"

    def close(self):
        self._process.kill()
        self._process.wait()


if __name__ == "__main__":
    _ways = {}
    for _argument in sys.argv[1:]:
        _name, _port, _to_port = _argument.split(":")
        _ways.setdefault(_name, Way()).servers[int(_port)] = int(_to_port)
    asyncio.run(_main(_ways))
