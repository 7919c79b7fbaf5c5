"""Which paths and headers get through Envoy."""

from ..waiting import equal


def unknown(stage):
    """paths that no route names are refused with 404, and so are reflection, health and metrics"""
    _, client = stage.sign_up("paul")
    nothing = "there is nothing at this path"
    for method in ("GET", "POST"):
        for path in ("/api/v2/portfolios", "/api/v1/unitsx", "/api/"):
            answer = client.send(method, path)
            equal(f"{method} {path}", (answer.status, answer.json), (404, {
                "status": "error", "message": nothing,
                "details": {"code": "NOT_FOUND", "reason": "SERVICE_UNKNOWN", "domain": "gateway"}}))
        for path in ("/", "/metrics", "/grpc.health.v1.Health/Check", "/openapi.jsonx", "/docs/a/b",
                     "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
                     "/envoy.service.auth.v3.Authorization/Check"):
            answer = client.send(method, path)
            equal(f"{method} {path}", (answer.status, answer.text), (404, nothing))


def envelopes(stage):
    """what Envoy refuses below /api/ has the envelope with details, and nothing else has"""
    _, client = stage.sign_up("eva")
    malformed = client.get("/api/v1/portfolios/a%5cb")
    equal("a malformed path", (malformed.status, malformed.reason), (400, "MALFORMED_REQUEST"))
    large = client.send_exactly("GET", "/api/v1/portfolios", None, {"x-large": "a" * 40000})
    equal("large fields", (large.status, large.reason), (431, "METADATA_TOO_LARGE"))
    elsewhere = client.get("/tenancy.v1.Portfolios/a%5cb")
    equal("a malformed path elsewhere", (elsewhere.status, elsewhere.reason), (400, None))


def documents(stage):
    """one document for all three services is there without a token"""
    _, client = stage.sign_up("dora")
    answer = client.showing(None).get("/openapi.json")
    equal("the status", answer.status, 200)
    paths = answer.json["paths"]
    for path in ("/api/v1/users/me", "/api/v1/portfolios", "/api/v1/entitlements"):
        equal(path, path in paths, True)
    schema = client.showing(None).get("/schemas/events/role.ended.v1.json")
    equal("the schema of an event", (schema.status, schema.json["title"]), (200, "gatehouse.role.ended"))


def ambiguous(stage):
    """paths that can be understood in two ways lead nowhere, or to what was authorized"""
    _, client = stage.sign_up("petra")
    for path, status in {
        "/api/v1/portfolios/../../../metrics": 404,
        "/api/v1/portfolios/%2e%2e/%2E%2E/metrics": 404,
        "/api/v1/auth/login/../../portfolios": 200,
        "/api/v1/auth/login/..%2f..%2fportfolios": 400,
        "/api/v1/portfolios%2F..%2Fmetrics": 400,
        "/api/v1/portfolios/a%5cb": 400,
        "//api//v1//portfolios": 200,
        "/api/v1/portfolios/%00": 400,
    }.items():
        equal(path, client.get(path).status, status)
    # What is public by its beginning alone is not public when that was left again.
    equal("nobody", client.showing(None).get("/api/v1/auth/login/../../portfolios").status, 401)


def underscores(stage):
    """requests with underscores in names of headers are refused"""
    _, client = stage.sign_up("una")
    answer = client.send_exactly("GET", "/api/v1/portfolios", None, {"x_user_id": "usr_made_up"})
    equal("x_user_id", answer.status, 400)
