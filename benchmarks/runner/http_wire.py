"""HTTP on the servers' port: gRPC beside grpc-go and gRPC C++, idle connections, REST beside Envoy's transcoder.

What counts is the processor time of everything on the server's side per call, which stays meaningful when others
use the machine too. Every run makes a fixed number of calls; rounds alternate between the servers.
"""

import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import tempfile
import time

from . import floors, load, machine, measurements, peers, processes, suite

CALLS = 50_000
WARMUP_CALLS = 5_000
# What a connection needs no more is given back after five seconds.
IDLE_SECONDS = 8
ENVOY = peers.REPOSITORY / ".build/tools/gateways/bin/envoy"
ENVOY_FILES = peers.BENCHMARKS / "peers/envoy"
METHOD = "/benchmark.v1.Permissions/Check"
GRPC_FIELDS = ("content-type: application/grpc", "te: trailers")
GRPC = ("-c", "8", "-m", "16", "-H", GRPC_FIELDS[0], "-H", GRPC_FIELDS[1])
# The message of the right answer, with its prefix.
GRPC_ANSWER = b"\0\0\0\0\x0b\x08\x01\x12\x07ALLOWED"
REST = {
    "HTTP/2, 8×16": ("-c", "8", "-m", "16", "-H", "content-type: application/json"),
    "HTTP/1.1, 64×1": ("--h1", "-c", "64", "-m", "1", "-H", "content-type: application/json"),
}
REST_FLOORS = dict(zip(REST, (peers.HTTP2_FLOOR, peers.HTTP1_FLOOR)))
QUESTION = dict(zip(("subject", "action", "entity", "context"), load.REQUEST.values()))


def calls(count, url, body, words):
    """Makes so many calls; every one has to succeed. Returns calls per second."""
    done = subprocess.run(
        ["taskset", "-c", str(processes.LOAD_CORE), "h2load", "-t", "1", "-n", str(count), "-d", body, *words, url],
        capture_output=True, text=True, timeout=300, check=True)
    succeeded = re.search(r"status codes: (\d+) 2xx", done.stdout)
    if not succeeded or int(succeeded.group(1)) != count:
        raise RuntimeError(f"{url}: {done.stdout.strip()[-600:]}")
    return float(re.search(r"([\d.]+) req/s", done.stdout).group(1))


def measured(pids, url, body, words):
    """Calls per second, and microseconds of processor time per call of each process."""
    calls(WARMUP_CALLS, url, body, words)
    before = [processes.cpu_seconds(pid) for pid in pids]
    rate = calls(CALLS, url, body, words)
    spent = [processes.cpu_seconds(pid) - was for pid, was in zip(pids, before)]
    return {"rate": round(rate), "cpu_us": [round(seconds / CALLS * 1e6, 2) for seconds in spent]}


class Envoy:
    """Envoy with its transcoder before a server, on the server's core, for the length of a `with` block."""

    def __init__(self, address):
        self.backend = address.rsplit(":", 1)
        self.folder = tempfile.TemporaryDirectory(dir=peers.WORK)

    def __enter__(self):
        descriptor = os.path.join(self.folder.name, "permissions.pb")
        subprocess.run(["protoc", "-I", str(ENVOY_FILES), "-I", str(peers.REPOSITORY / "proto"), "--include_imports",
                        f"--descriptor_set_out={descriptor}", "permissions.proto"], check=True, timeout=60)
        port = suite.free_port()
        settings = json.loads((ENVOY_FILES / "envoy.json").read_text().replace("DESCRIPTOR", descriptor))
        resources = settings["static_resources"]
        resources["listeners"][0]["address"]["socket_address"]["port_value"] = port
        endpoint = resources["clusters"][0]["load_assignment"]["endpoints"][0]["lb_endpoints"][0]["endpoint"]
        endpoint["address"]["socket_address"] = {"address": self.backend[0], "port_value": int(self.backend[1])}
        path = os.path.join(self.folder.name, "envoy.json")
        with open(path, "w") as file:
            json.dump(settings, file)
        self.process = processes.start(
            [str(ENVOY), "-c", path, "--concurrency", "1", "--disable-hot-restart", "-l", "error"],
            processes.SERVER_CORE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.address = f"127.0.0.1:{port}"
        wait_for(port, self.process)
        return self

    def __exit__(self, *_):
        processes.end(self.process)
        self.folder.cleanup()

    @property
    def pid(self):
        return self.process.pid


def wait_for(port, process):
    """Until something listens there."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"{process.args}: nothing listens at {port}")


def verify_rest(address):
    """One call by hand: whoever answers wrongly is not measured."""
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.request("POST", "/v1/check", json.dumps(QUESTION), {"content-type": "application/json"})
    answer = connection.getresponse()
    content = json.loads(answer.read())
    connection.close()
    if answer.status != 200 or content.get("data", content) != {"allowed": True, "reason": "ALLOWED"}:
        raise RuntimeError(f"{address} answers {answer.status} {content}")


def http2_answer(address, path, body, *fields):
    """What nghttp shows of the answer to one call: fields and content."""
    words = [word for field in (":method: POST", *fields) for word in ("-H", field)]
    return subprocess.run(["nghttp", "-v", *words, "-d", body, f"http://{address}{path}"],
                          capture_output=True, timeout=30).stdout


def verify_grpc(server):
    """One call by hand, its bytes compared; then calls by a client of gRPC, if there is one."""
    with processes.RunningServer(server) as running:
        answer = http2_answer(running.address, METHOD, load.request_file(), *GRPC_FIELDS)
    if GRPC_ANSWER not in answer or b"grpc-status: 0\n" not in answer:
        raise RuntimeError(f"{server.name} answers {answer[-1000:]}")
    if measurements.available(server.opened):
        measurements.verify(server)


def verify_rest_floor(address, shape):
    """The same as `verify_rest`, by the one version of HTTP that a floor knows."""
    if "HTTP/1.1" in shape:
        verify_rest(address)
        return
    answer = http2_answer(address, "/v1/check", question_file(), "content-type: application/json")
    if b'{"allowed":true,"reason":"ALLOWED"}' not in answer or b":status: 200\n" not in answer:
        raise RuntimeError(f"the floor answers {answer[-1000:]}")


def grpc(rounds):
    servers = [server for server in peers.GRPC_SERVERS if peers.is_there(server.command[0])]
    for server in servers:
        verify_grpc(server)
    found = {server.name: {"title": server.title, "rounds": []} for server in servers}
    for number in range(rounds):
        for server in servers:
            print(f"  round {number + 1}: gRPC, {server.name}", flush=True)
            with processes.RunningServer(server) as running:
                url = f"http://{running.address}{METHOD}"
                found[server.name]["rounds"].append(measured([running.pid], url, load.request_file(), GRPC))
    for server in servers:
        found[server.name]["idle"] = measurements.idle_connections(server, IDLE_SECONDS)
        if server.floor in found:
            found[server.name]["floor_share"] = share(found[server.floor]["rounds"], found[server.name]["rounds"])
    return found


def question_file():
    """The request as JSON, for h2load."""
    path = str(peers.WORK / "request.json")
    with open(path, "w") as file:
        json.dump(QUESTION, file)
    return path


def rest(rounds):
    body = question_file()
    server = peers.GRPC_SERVERS[0]
    found = {name: {shape: [] for shape in REST} for name in ("own", "envoy", "floor")}
    for number in range(rounds):
        print(f"  round {number + 1}: REST", flush=True)
        for shape, words in REST.items():
            with processes.RunningServer(server) as running:
                verify_rest(running.address)
                url = f"http://{running.address}/v1/check"
                found["own"][shape].append(measured([running.pid], url, body, words))
            with processes.RunningServer(server) as running, Envoy(running.address) as envoy:
                verify_rest(envoy.address)
                url = f"http://{envoy.address}/v1/check"
                found["envoy"][shape].append(measured([envoy.pid, running.pid], url, body, words))
            if not peers.is_there(REST_FLOORS[shape].command[0]):
                continue
            with processes.RunningServer(REST_FLOORS[shape]) as running:
                verify_rest_floor(running.address, shape)
                url = f"http://{running.address}/v1/check"
                found["floor"][shape].append(measured([running.pid], url, body, words))
    found["floor_shares"] = {name: {shape: share(found["floor"][shape], found[name][shape]) for shape in REST}
                             for name in ("own", "envoy")}
    return found


def share(floor, rounds):
    """The share of its floor that a server reaches, everything on its side counted."""
    return floors.share([sum(run["cpu_us"]) for run in floor], [sum(run["cpu_us"]) for run in rounds])


def median_ratio(others, own):
    """How many times the processor time others take, as the median of rounds next to one another."""
    return round(statistics.median(
        sum(other["cpu_us"]) / sum(mine["cpu_us"]) for other, mine in zip(others, own)), 2)


def measure(options, document):
    """Measures what is there into `document`."""
    if not options.skip_build:
        peers.build()
    if not peers.is_there("h2load"):
        raise SystemExit("benchmarks/run: needs h2load (scripts/setup --benchmarks)")
    section = {"date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "machine": machine.describe(),
               "calls": CALLS, "rounds": options.rounds, "grpc": grpc(options.rounds)}
    if ENVOY.exists():
        section["rest"] = rest(options.rounds)
    else:
        print("REST is left out: Envoy is missing (scripts/setup --gateways)")
    document["http"] = section
