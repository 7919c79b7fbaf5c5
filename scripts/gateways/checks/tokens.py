"""Who gets through Envoy, by their tokens."""

import base64
import json

from .. import calls
from ..waiting import equal, require, until


def signed_in(stage):
    """users who sign in through Envoy make calls of REST to all three services"""
    _, ada = stage.sign_up("ada")
    made = ada.post("/api/v1/portfolios", {"name": "Harbour Homes"})
    equal("a new portfolio", made.status, 201)
    found = ada.get("/api/v1/portfolios").json["data"]["portfolios"]
    equal("her portfolios", [portfolio["name"] for portfolio in found], ["Harbour Homes"])
    equal("her profile", ada.get("/api/v1/users/me").status, 200)
    equal("her features", ada.get("/api/v1/entitlements").status, 200)


def nobody(stage):
    """without a token only what is public passes"""
    client = stage.nobody(stage.envoy)
    for path in ("/api/v1/portfolios", "/api/v1/users/me", "/api/v1/entitlements"):
        answer = client.get(path)
        equal(path, (answer.status, answer.reason), (401, "CREDENTIALS_INVALID"))
        # No error without a token (RFC 6750 section 3).
        equal(f"{path}: the challenge", answer.headers.get("www-authenticate"), "Bearer")
        # The services would refuse it as well.
        equal(f"{path}: who refused", stage.envoy.logged(answer.headers["x-request-id"])["details"], "ext_authz_denied")
    for path in ("/.well-known/jwks.json", "/api/v1/auth/keys", "/api/v1/reports:keys"):
        equal(path, client.get(path).status, 200)


def wrong(stage):
    """a token that is malformed, wrongly signed, expired or of another audience is refused as the services refuse it"""
    _, good = stage.sign_up("greta")
    header, payload, signature = good.token.split(".")
    unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).decode().rstrip("=")
    other = signature[:10] + ("A" if signature[10] != "A" else "B") + signature[11:]
    for what, token in {
        "malformed": "abc",
        "another signature": f"{header}.{payload}.{other}",
        "no signature": f"{unsigned}.{payload}.",
        "another audience": _token(stage, good, {"GATEHOUSE_AUDIENCE": "another"}),
    }.items():
        _require_refused(stage, what, token)
    brief = _token(stage, good, {"GATEHOUSE_ACCESS_TOKEN_SECONDS": "10"})
    shown = good.showing(brief)
    equal("before it expires", shown.get("/api/v1/portfolios").status, 200)
    # Clocks may differ by three seconds.
    until("it expires", lambda: shown.get("/api/v1/portfolios").status == 401)
    _require_refused(stage, "expired", brief)


def _token(stage, who, environment):
    """A token of an AuthService with other settings, whose key the others believe."""
    stage.services.kill("auth")
    stage.services.start("auth", environment)
    stage.services.wait("auth")
    stage.envoy.wait()
    token = stage.sign_in(who).token
    stage.services.kill("auth")
    stage.services.start("auth")
    stage.services.wait("auth")
    stage.envoy.wait()
    return token


def _require_refused(stage, what, token):
    """On every wire and by every service, and where anybody may call, nothing depends on it."""
    from auth.v1 import keys_pb2, users_pb2
    client = stage.nobody(stage.envoy).showing(token)
    for path in ("/api/v1/portfolios", "/api/v1/users/me", "/api/v1/entitlements"):
        answer = client.get(path)
        equal(f"{what}: {path}", (answer.status, answer.reason), (401, "CREDENTIALS_INVALID"))
        equal(f"{what}: {path}: whose refusal it is", answer.json["details"]["domain"], "gatehouse.auth")
        equal(f"{what}: {path}: the challenge", answer.headers["www-authenticate"], 'Bearer error="invalid_token"')
    for path in ("/tenancy.v1.Portfolios/List", "/auth.v1.Users/GetMe", "/entitlement.v1.Entitlements/Get"):
        answer = client.post(path, {})
        equal(f"{what}: {path} by Connect", (answer.status, answer.json.get("code")), (401, "unauthenticated"))
        equal(f"{what}: {path} by Connect: details", [detail["type"] for detail in answer.json["details"]],
              ["google.rpc.ErrorInfo", "google.rpc.RequestInfo"])
    with calls.Calls(stage.certificate, stage.envoy.port, token) as connection:
        for path in ("/tenancy.v1.Portfolios/List", "/auth.v1.Users/GetMe", "/entitlement.v1.Entitlements/Get"):
            code, details = connection.details(path, users_pb2.GetMeRequest(), users_pb2.User)
            equal(f"{what}: {path} by gRPC", code, "UNAUTHENTICATED")
            for name in (b"google.rpc.ErrorInfo", b"CREDENTIALS_INVALID", b"google.rpc.RequestInfo"):
                require(name in details, f"{what}: {path} by gRPC: no {name.decode()} in {details}")
        code = connection.code("/auth.v1.Keys/GetKeySet", keys_pb2.GetKeySetRequest(), keys_pb2.KeySet)
        equal(f"{what}: keys by gRPC", code, "OK")
    equal(f"{what}: keys", client.get("/api/v1/auth/keys").status, 200)


def signed_out(stage):
    """a token of a session that was ended is refused with 401"""
    _, leaving = stage.sign_up("lea")
    equal("before", leaving.get("/api/v1/portfolios").status, 200)
    equal("signing out", leaving.post("/api/v1/auth/logout", {}).status, 200)
    # AuthService tells the others at once, but does not wait until they have heard it.
    answer = until("it is refused", lambda: _refused(leaving.get("/api/v1/portfolios")))
    equal("why", answer.reason, "CREDENTIALS_INVALID")


def _refused(answer):
    return answer if answer.status == 401 else None
