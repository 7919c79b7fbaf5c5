"""How long calls may take."""

from ..waiting import equal


def rest(stage):
    """a call by REST has the time that its caller leaves, and Envoy says how long it waits"""
    _, client = stage.sign_up("dora")
    answer = client.get("/api/v1/entitlements", grpc_timeout="0n")
    equal("no time", (answer.status, answer.json["details"]["code"]), (504, "DEADLINE_EXCEEDED"))
    equal("enough", client.get("/api/v1/entitlements", grpc_timeout="20S").status, 200)
    answer = client.get("/api/v1/entitlements", grpc_timeout="soon")
    equal("no number", (answer.status, answer.json["details"]["code"]), (400, "INVALID_ARGUMENT"))

    client = stage.at(stage.other_envoy, client)
    for server in stage.upstreams:
        server.requests.clear()
    answer = client.get("/api/v1/units")
    equal("to clients", [name for name in answer.headers if name.startswith("x-envoy-")], [])
    # Callers cannot have it wait for longer, or say that it does not.
    client.post("/api/v1/units", {}, x_envoy_upstream_rq_timeout_ms="60000", x_envoy_expected_rq_timeout_ms="60000")
    # Of an attempt, and of the whole.
    told = {request.method: request.headers.get("x-envoy-expected-rq-timeout-ms")
            for server in stage.upstreams for request in server.requests}
    equal("what Envoy says", told, {"GET": "5000", "POST": "30000"})
