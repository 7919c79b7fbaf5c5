"""What Envoy sends again."""

from .. import calls
from ..upstream import LOST, UNAVAILABLE
from ..waiting import equal, until


def _fail_once(stage, client, failure=UNAVAILABLE):
    """Each server fails the next request that it gets."""
    for upstream in stage.upstreams:
        upstream.requests.clear()
    until("both servers answer", lambda: client.get("/api/v1/units").status == 200 and all(
        upstream.requests for upstream in stage.upstreams))
    for upstream in stage.upstreams:
        upstream.requests.clear()
    for upstream in stage.upstreams:
        upstream.fail(1, failure)


def _attempts(stage):
    for upstream in stage.upstreams:
        upstream.recover()
    return sum(len(upstream.requests) for upstream in stage.upstreams)


def rest(stage):
    """reads by REST are sent again, up to twice; everything else is sent once"""
    _, client = stage.sign_up("rosa")
    client = stage.at(stage.other_envoy, client)
    _fail_once(stage, client)
    answer = client.get("/api/v1/units")
    equal("a read", (answer.status, _attempts(stage)), (200, 3))
    equal("its attempts", stage.other_envoy.logged(answer.headers["x-request-id"])["attempts"], 3)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        _fail_once(stage, client)
        equal(method, (client.send(method, "/api/v1/units/a", {}).status, _attempts(stage)), (503, 1))
        _fail_once(stage, client)
        asked = {"x_envoy_retry_on": "5xx", "x_envoy_max_retries": "2", "x_envoy_upstream_rq_timeout_ms": "60000"}
        equal(f"{method} by whom asks for more", (
            client.send(method, "/api/v1/units/a", {}, **asked).status, _attempts(stage)), (503, 1))


def by_grpc(stage):
    """the same by gRPC"""
    from tenancy.v1 import portfolios_pb2
    _, client = stage.sign_up("rudi")
    client = stage.at(stage.other_envoy, client)
    with calls.Calls(stage.certificate, stage.other_envoy.port, client.token) as connection:
        def code(method):
            return connection.code(f"/tenancy.v1.Portfolios/{method}", portfolios_pb2.ListPortfoliosRequest(),
                                   portfolios_pb2.ListPortfoliosResponse)
        for method, expected in {"List": ("OK", 3), "Get": ("OK", 3), "Create": ("UNAVAILABLE", 1),
                                 "Delete": ("UNAVAILABLE", 1)}.items():
            _fail_once(stage, client)
            equal(method, (code(method), _attempts(stage)), expected)


def lost(stage):
    """a write whose connection is lost is not sent again"""
    _, client = stage.sign_up("rita")
    client = stage.at(stage.other_envoy, client)
    _fail_once(stage, client, LOST)
    equal("a write", (client.post("/api/v1/units", {}).status, _attempts(stage)), (503, 1))
