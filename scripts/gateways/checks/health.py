"""Which servers Envoy sends requests to."""

from .. import upstream
from ..waiting import equal, require, until


def _flags(stage, server):
    return stage.other_envoy.hosts()["tenancy", server.port]


def _send(stage, client, count=10):
    """The numbers of requests that got to each of the two servers."""
    for server in stage.upstreams:
        server.requests.clear()
    for _ in range(count):
        equal("a request", client.post("/api/v1/units", {}).status, 200)
    return [len(server.requests) for server in stage.upstreams]


def _wait_for_health(stage, count):
    """Until each server's health was asked so many times."""
    for server in stage.upstreams:
        enough = server.health_checks + count
        until("its health was asked", lambda: server.health_checks >= enough)


def draining(stage):
    """a server that says it drains gets no more requests, until it says that it serves"""
    _, client = stage.sign_up("hanna")
    client = stage.at(stage.other_envoy, client)
    first = stage.upstreams[0]
    require(min(_send(stage, client)) > 0, "not both servers are used")
    first.health = upstream.NOT_SERVING
    try:
        until("it is out", lambda: "failed_active_hc" in _flags(stage, first))
        # Envoy's threads learn it one after the other.
        until("requests leave it out", lambda: _send(stage, client) == [0, 10])
        equal("requests", _send(stage, client), [0, 10])
    finally:
        first.health = upstream.SERVING
    until("it is in again", lambda: _flags(stage, first) == "healthy")
    until("both servers are used again", lambda: min(_send(stage, client)) > 0)


def all_away(stage):
    """where all servers are known to be away, nothing is sent at all"""
    _, client = stage.sign_up("hugo")
    client = stage.at(stage.other_envoy, client)
    for server in stage.upstreams:
        server.health = upstream.NOT_SERVING
    try:
        for server in stage.upstreams:
            until("it is out", lambda: "failed_active_hc" in _flags(stage, server))
        until("requests are refused", lambda: client.get("/api/v1/units").status == 503)
        for server in stage.upstreams:
            server.requests.clear()
        equal("a request", client.get("/api/v1/units").status, 503)
        equal("requests", [len(server.requests) for server in stage.upstreams], [0, 0])
    finally:
        for server in stage.upstreams:
            server.health = upstream.SERVING
    for server in stage.upstreams:
        until("it is in again", lambda: _flags(stage, server) == "healthy")
    until("requests pass again", lambda: client.get("/api/v1/units").status == 200)


def outlier(stage):
    """a server that no request gets through to is left out, though it says that it is well"""
    _, client = stage.sign_up("otto")
    client = stage.at(stage.other_envoy, client)
    bad = stage.upstreams[1]
    bad.fail(1_000_000, upstream.LOST)
    try:
        # Reads are sent again, to the other one, so nobody notices.
        until("it is left out", lambda: client.get("/api/v1/units").status == 200
              and "failed_outlier_check" in _flags(stage, bad))
        _wait_for_health(stage, 3)
        require("failed_outlier_check" in _flags(stage, bad), "it is used again because it says that it is well")
        for _ in range(10):
            equal("a write", client.post("/api/v1/units", {}).status, 200)
    finally:
        bad.recover()
    until("it is in again", lambda: _flags(stage, bad) == "healthy")


def impatient(stage):
    """callers put no server out, by leaving no time or by leaving"""
    _, client = stage.sign_up("ines")
    client = stage.at(stage.other_envoy, client)

    def call(timeout):
        """The code of a call by gRPC."""
        answer = client.send_exactly("POST", "/tenancy.v1.Portfolios/Create", None,
                                     {"content-type": "application/grpc", "grpc-timeout": timeout})
        return answer.headers.get("grpc-status")

    def require_both(after):
        # At once, and after Envoy has looked at its counts, which it does as often as it asks for health.
        for count in (0, 2):
            _wait_for_health(stage, count)
            for server in stage.upstreams:
                equal(f"a server after {after}", _flags(stage, server), "healthy")

    for server in stage.upstreams:
        server.fail(1_000_000, upstream.DEADLINE_EXCEEDED)
    try:
        for _ in range(20):
            equal("by REST", client.post("/api/v1/units", {}, grpc_timeout="0n").status, 504)
        require_both("calls by REST")
        for _ in range(20):
            equal("by gRPC", call("10S"), "4")
        require_both("calls by gRPC")
        for server in stage.upstreams:
            server.fail(1_000_000, upstream.SILENT)
        for _ in range(100):
            equal("a call that Envoy ends", call("10m"), "4")
        require_both("calls that Envoy ended")
        for server in stage.upstreams:
            server.requests.clear()
        for count in range(1, 41):
            client.give_up("POST", "/api/v1/units", lambda: sum(
                len(server.requests) for server in stage.upstreams) == count)
        require_both("callers who left")
    finally:
        for server in stage.upstreams:
            server.recover()
    require(min(_send(stage, client)) > 0, "not both servers are used")


def service(stage):
    """a service that drains gets no more requests, long before it ends"""
    _, client = stage.sign_up("sara")
    port = stage.services.ports["entitlement"]
    equal("before", client.get("/api/v1/entitlements").status, 200)
    stage.services.drain("entitlement")
    until("it is out", lambda: "failed_active_hc" in stage.envoy.hosts()["entitlement", port])
    require(stage.services.is_running("entitlement"), "it ended before Envoy knew that it would")
    until("requests are refused", lambda: client.get("/api/v1/entitlements").status == 503)
    answer = client.get("/api/v1/entitlements")
    equal("why", stage.envoy.logged(answer.headers["x-request-id"])["flags"], "UH")
    stage.services.kill("entitlement")
    stage.services.start("entitlement")
    stage.services.wait("entitlement")
    until("it is in again", lambda: client.get("/api/v1/entitlements").status == 200)
