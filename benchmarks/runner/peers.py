"""Who is compared, how each is built and started, and which generator loads it.

This is the one place that knows command lines: to add a server, add an entry to SERVERS.
"""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
REPOSITORY = BENCHMARKS.parent
WORK = BENCHMARKS / ".work"
# The repository's own: what it has built for release, this package need not compile again.
SCRATCH = REPOSITORY / ".build"
BUILT = SCRATCH / "release"
BIN = WORK / "bin"
# Preloaded into a server, counts its allocations.
COUNTER = WORK / "count-allocations.so"

# One core for every server: Go would otherwise start a scheduler per core it can see.
ONE_CORE = {"GOMAXPROCS": "1"}


@dataclass(frozen=True)
class Generator:
    """A load client. `form` says how to call it: "ours" (the flags of README.md) or "h2load"."""

    name: str
    program: str
    form: str = "ours"


@dataclass(frozen=True)
class Server:
    """A server of the comparison; it prints "listening host:port" when it is ready."""

    name: str
    title: str
    command: tuple
    # Generators for the closed loops, first choice first; the others are cross-checks.
    closed: tuple
    # Generators for the open loops, the first one that is there is taken.
    opened: tuple
    # Opens idle connections with one call on each (flag --hold).
    holder: Generator | None
    environment: dict = field(default_factory=dict)
    # Whether it allocates with malloc(3), so that allocations can be counted from outside.
    uses_malloc: bool = False
    # Arguments that make each call take so many microseconds of processor time.
    work_arguments: tuple = ()
    # The name of the floor of its wire: the server in C that only frames and answers with fixed bytes.
    floor: str = ""
    # Whether it is one itself; a floor answers every call at once, also those that ask for time.
    is_floor: bool = False


# First choice for frames: no figure rests on the client of this repository, and it needs less than half of its time.
FRAMES_LOAD = Generator("frames-load", str(BIN / "frames-load"))
RPCLOAD = Generator("rpcload", str(BUILT / "rpcload"))
TTRPC_GO = Generator("ttrpc-go", str(BIN / "ttrpc-go-client"))
GRPC_GO = Generator("grpc-go", str(BIN / "grpc-go-client"))
# First choice for gRPC's open loops: it spins on its core, where the Go client's scheduler adds
# milliseconds to the slowest calls.
GRPC_CPP = Generator("grpc-cpp", str(BIN / "grpc-cpp-client"))
# No gRPC client is as cheap as h2load; with any other, a fast server waits for its load.
H2LOAD = Generator("h2load", "h2load", form="h2load")

SERVERS = (
    # Built by build() below. Pinned to a core, it must run one loop.
    Server(
        "rpckit", "RPCKit",
        (str(BUILT / "benchmark-server"), "--listen", "127.0.0.1:0"),
        closed=(FRAMES_LOAD, RPCLOAD, TTRPC_GO), opened=(FRAMES_LOAD, RPCLOAD), holder=FRAMES_LOAD,
        uses_malloc=True, work_arguments=("--work", "20"), floor="frames-floor",
    ),
    Server(
        "rpckit-fast-path", "RPCKit, fast path",
        (str(BUILT / "benchmark-server"), "--listen", "127.0.0.1:0",
         "--fast-path"),
        closed=(FRAMES_LOAD, RPCLOAD), opened=(FRAMES_LOAD, RPCLOAD), holder=FRAMES_LOAD,
        uses_malloc=True, work_arguments=("--work", "20"), floor="frames-floor",
    ),
    Server(
        "ttrpc-go", "ttrpc (Go)", (str(BIN / "ttrpc-go-server"), "--listen", "127.0.0.1:0"),
        closed=(FRAMES_LOAD, RPCLOAD, TTRPC_GO), opened=(FRAMES_LOAD, RPCLOAD), holder=FRAMES_LOAD,
        environment=ONE_CORE, floor="frames-floor",
    ),
    Server(
        "grpc-go", "grpc-go", (str(BIN / "grpc-go-server"), "--listen", "127.0.0.1:0"),
        closed=(H2LOAD, GRPC_CPP, GRPC_GO), opened=(GRPC_CPP, GRPC_GO), holder=GRPC_GO,
        environment=ONE_CORE, floor="http2-floor",
    ),
    Server(
        "grpc-cpp", "gRPC C++", (str(BIN / "grpc-cpp-server"), "--listen", "127.0.0.1:0"),
        closed=(H2LOAD, GRPC_CPP, GRPC_GO), opened=(GRPC_CPP, GRPC_GO), holder=GRPC_GO,
        uses_malloc=True, floor="http2-floor",
    ),
    Server(
        "frames-floor", "Floor of frames (C)", (str(BIN / "frames-floor"), "--listen", "127.0.0.1:0"),
        closed=(FRAMES_LOAD, RPCLOAD), opened=(FRAMES_LOAD,), holder=FRAMES_LOAD, is_floor=True,
    ),
    Server(
        "http2-floor", "Floor of HTTP/2 (C, libnghttp2)",
        (str(BIN / "http2-floor"), "--listen", "127.0.0.1:0"),
        closed=(H2LOAD, GRPC_CPP, GRPC_GO), opened=(GRPC_CPP, GRPC_GO), holder=GRPC_GO, uses_malloc=True,
        is_floor=True,
    ),
)

# Who serves gRPC, ours first. h2load makes the calls of all; gRPC C++'s client checks the answers.
GRPC_SERVERS = (
    Server(
        "rpckit-grpc", "RPCKit",
        (str(BUILT / "benchmark-server"), "--listen", "127.0.0.1:0"),
        closed=(H2LOAD,), opened=(GRPC_CPP, GRPC_GO), holder=GRPC_GO, uses_malloc=True, floor="http2-floor",
    ),
    Server(
        "rpckit-grpc-fast-path", "RPCKit, fast path",
        (str(BUILT / "benchmark-server"), "--listen", "127.0.0.1:0",
         "--fast-path"),
        closed=(H2LOAD,), opened=(GRPC_CPP, GRPC_GO), holder=GRPC_GO, uses_malloc=True, floor="http2-floor",
    ),
    *(server for server in SERVERS if H2LOAD in server.closed),
)

# The floors by wire; that of HTTP/2 answers gRPC and REST.
FRAMES_FLOOR, HTTP2_FLOOR = (next(server for server in SERVERS if server.name == name)
                             for name in ("frames-floor", "http2-floor"))
HTTP1_FLOOR = Server(
    "http1-floor", "Floor of HTTP/1.1 (C)", (str(BIN / "http1-floor"), "--listen", "127.0.0.1:0"),
    closed=(H2LOAD,), opened=(), holder=None, is_floor=True,
)


def build_floors():
    """Builds the programs in C alone."""
    WORK.mkdir(exist_ok=True)
    subprocess.run([str(BENCHMARKS / "peers/build"), str(WORK), "floors"], check=True, timeout=300)


def build_server_programs():
    """Builds what is between a service and PostgreSQL, or in its place."""
    WORK.mkdir(exist_ok=True)
    subprocess.run([str(BENCHMARKS / "peers/build"), str(WORK), "postgres"], check=True, timeout=300)


def build():
    """Builds what can be built; what cannot says so and is left out."""
    WORK.mkdir(exist_ok=True)
    subprocess.run([str(BENCHMARKS / "peers/build"), str(WORK)], check=False, timeout=900)
    if not (BENCHMARKS / "Package.swift").exists():
        print("rpckit is left out: benchmarks/Package.swift is missing")
        return
    # The way the services are shipped: with Swift's libraries inside.
    swift = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--scratch-path", str(SCRATCH),
             "--package-path"]
    for command in (
        [*swift, str(BENCHMARKS), "--product", "benchmark-server"],
        [*swift, str(REPOSITORY), "--product", "rpcload"],
        ["cc", "-O2", "-shared", "-fPIC", "-o", str(COUNTER),
         str(BENCHMARKS / "tools/count-allocations.c"), "-ldl"],
    ):
        if subprocess.run(command, check=False, timeout=1800).returncode != 0:
            print(f"rpckit is left out: this failed: {' '.join(command)}")


def is_there(program):
    """Whether a program was built or is installed, and is what we mean."""
    path = Path(program)
    if "/" not in program:
        return subprocess.run(["which", program], capture_output=True).returncode == 0
    if path.name == "rpcload" and path.exists():
        shown = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10)
        return "--in-flight" in shown.stdout + shown.stderr
    return path.exists()
