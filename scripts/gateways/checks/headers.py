"""The user's identity that servers behind Envoy get, and from whom."""

from ..waiting import equal, require

FORGED = {
    "x-user-id": "usr_forged", "X-User-Roles": "super_admin", "x-user-acr": "phrh", "service-authorization": "forged",
    "client-address": "192.0.2.1", "x-request-id": "forged",
}


def _reached(stage, path):
    found = [request for upstream in stage.upstreams for request in upstream.received(path)]
    equal(f"requests for {path} behind Envoy", len(found), 1)
    return found[0].headers


def _forge(stage, client, path):
    for upstream in stage.upstreams:
        upstream.requests.clear()
    answer = client.send_exactly("GET", path, None, FORGED)
    equal(path, answer.status, 200)
    headers = _reached(stage, path)
    for name in FORGED:
        require(headers.get(name.lower()) != FORGED[name], f"{path}: the forged {name} reached the server")
    require("service-authorization" not in headers, f"{path}: service-authorization reached the server")
    equal(f"{path}: client-address", headers["client-address"], "127.0.0.1")
    equal(f"{path}: x-request-id", headers["x-request-id"], answer.headers["x-request-id"])
    return headers


def forged_by_user(stage):
    """identity headers that a user made up never reach a server; the user's own do"""
    user, client = stage.sign_up("mallory")
    headers = _forge(stage, stage.at(stage.other_envoy, client), "/api/v1/units?page=1")
    equal("x-user-id", headers.get("x-user-id"), user)
    equal("x-user-acr", headers.get("x-user-acr"), "pwd")
    require("x-user-roles" not in headers, "there are roles, though the route names no action")


def forged_by_nobody(stage):
    """where anybody may call, made-up identity headers do not reach a server either"""
    headers = _forge(stage, stage.nobody(stage.other_envoy), "/api/v1/reports:keys")
    require(not {"x-user-id", "x-user-roles", "x-user-acr"} & set(headers), f"an identity: {headers}")


def own_routes(stage):
    """routes of one's own are authorized by context_extensions, and others by gateway_routes"""
    owner_id, owner = stage.sign_up("olga")
    portfolio = owner.post("/api/v1/portfolios", {"name": "Home"}).json["data"]["id"]
    owner = stage.at(stage.other_envoy, owner)
    for path in (f"/own/{portfolio}", f"/listed/{portfolio}"):
        headers = _forge(stage, owner, path)
        equal(f"{path}: x-user-id", headers.get("x-user-id"), owner_id)
        equal(f"{path}: x-user-roles", headers.get("x-user-roles"), "owner")
        _, stranger = stage.sign_up(f"stranger{path[1:3]}")
        refused = stage.at(stage.other_envoy, stranger).get(path)
        equal(f"{path} for a stranger", (refused.status, refused.reason), (404, "NOT_FOUND"))
        equal(f"{path} for nobody", owner.showing(None).get(path).status, 401)
        _reached(stage, path)
    require("x-user-id" not in _forge(stage, owner.showing(None), "/pages/a/b"), "an identity of nobody")
    unknown = owner.get("/unlisted/a")
    equal("no row", (unknown.status, unknown.reason), (403, "ROUTE_UNKNOWN"))
    equal("another method", owner.post(f"/listed/{portfolio}", {}).status, 403)


def never_sniffed(stage):
    """every answer says that its content is of no other type than it says, from services and gateway"""
    _, client = stage.sign_up("nora")
    nobody, forged = client.showing(None), client.showing("eyJhbGciOiJFUzI1NiJ9.e30.AAAA")
    preflight = {"origin": stage.page_origin, "access-control-request-method": "GET"}
    for what, answer, status in [
        ("a service", client.get("/api/v1/users/me"), 200),
        ("a service's refusal", client.post("/api/v1/portfolios", {"name": ""}), 400),
        ("a document", nobody.get("/openapi.json"), 200),
        ("no token", nobody.get("/api/v1/users/me"), 401),
        ("a wrong token", forged.get("/api/v1/users/me"), 401),
        ("a wrong token by gRPC's path", forged.post("/tenancy.v1.Portfolios/List", {}), 401),
        ("no route", client.get("/nothing"), 404),
        ("no route below /api/", client.get("/api/v1/nothing"), 404),
        ("a malformed path", client.get("/docs/a%5cb"), 400),
        ("a malformed path below /api/", client.get("/api/v1/a%5cb"), 400),
        ("an underscore", client.send_exactly("GET", "/nothing", None, {"x_user_id": "a"}), 400),
        ("large fields", client.send_exactly("GET", "/api/v1/portfolios", None, {"x-large": "a" * 40000}), 431),
        ("a preflight", nobody.send_exactly("OPTIONS", "/api/v1/users/me", None, preflight), 200),
    ]:
        equal(what, (answer.status, answer.headers.get("x-content-type-options")), (status, "nosniff"))
