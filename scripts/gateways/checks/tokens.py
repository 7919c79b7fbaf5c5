"""Who gets through Envoy, by their tokens."""

import base64
import json

from ..waiting import equal, require, until


def signed_in(stage):
    """whoever signs in through Envoy makes calls of REST to all three services"""
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
        require("www-authenticate" in answer.headers, f"{path}: no www-authenticate")
        # The services would refuse it as well.
        equal(f"{path}: who refused", stage.envoy.logged(answer.headers["x-request-id"])["details"], "ext_authz_denied")
    for path in ("/.well-known/jwks.json", "/api/v1/auth/keys", "/api/v1/reports:keys"):
        equal(path, client.get(path).status, 200)


def wrong(stage):
    """a wrong token is refused with 401, and no service hears of it"""
    _, good = stage.sign_up("greta")
    header, payload, signature = good.token.split(".")
    unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).decode().rstrip("=")
    other = signature[:10] + ("A" if signature[10] != "A" else "B") + signature[11:]
    for what, token in {
        "malformed": "abc",
        "another signature": f"{header}.{payload}.{other}",
        "no signature": f"{unsigned}.{payload}.",
    }.items():
        answer = good.showing(token).get("/api/v1/portfolios")
        equal(what, answer.status, 401)
        equal(f"{what}: where it was refused", answer.json["details"]["domain"], "gateway")
        line = stage.envoy.logged(answer.headers["x-request-id"])
        require(line["details"].startswith("jwt_authn"), f"{what}: {line['details']}")


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
