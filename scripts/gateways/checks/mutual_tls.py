"""What certificates prove, with deploy/mutual-tls.patch."""

import ssl

from .. import calls
from ..people import PASSWORD
from ..waiting import equal, require, until

CHECK = "/envoy.service.auth.v3.Authorization/Check"


def signed_in(stage):
    """with deploy/mutual-tls.patch users who sign in through Envoy make calls to all three services"""
    from tenancy.v1 import portfolios_pb2
    secure = stage.mutual_tls
    user, ada = secure.sign_up("ada")
    equal("a new portfolio", ada.post("/api/v1/portfolios", {"name": "Harbour Homes"}).status, 201)
    profile = ada.get("/api/v1/users/me")
    equal("her profile", (profile.status, profile.json["data"].get("id")), (200, user))
    equal("her features", ada.get("/api/v1/entitlements").status, 200)
    equal("nobody", secure.nobody(secure.envoy).get("/api/v1/portfolios").status, 401)
    with calls.Calls(secure.certificate, secure.envoy.port, ada.token) as connection:
        found = connection.unary("/tenancy.v1.Portfolios/List", portfolios_pb2.ListPortfoliosRequest(),
                                 portfolios_pb2.ListPortfoliosResponse)
    equal("by gRPC", [portfolio.name for portfolio in found.portfolios], ["Harbour Homes"])


def gateway_alone(stage):
    """only the certificate with svc://gateway asks for decisions, and none makes up a user or a client"""
    from envoy.service.auth.v3 import external_auth_pb2
    secure = stage.mutual_tls
    question = external_auth_pb2.CheckRequest()
    question.attributes.request.http.method = "GET"
    question.attributes.request.http.path = "/api/v1/portfolios"
    for what, identity, code in [
        ("svc://gateway", secure.identity("decisions"), "OK"),
        ("no name", secure.identity("requests"), "UNAUTHENTICATED"),
        ("svc://auth", secure.identity("auth"), "PERMISSION_DENIED"),
        ("svc://gateway by another authority", secure.identity("decisions", "stranger"), "UNAVAILABLE"),
        ("none", None, "UNAVAILABLE"),
    ]:
        with secure.calls("tenancy", identity) as connection:
            equal(what, connection.code(CHECK, question, external_auth_pb2.CheckResponse), code)

    user, ada = secure.sign_up("ada")
    claims = {"x_user_id": user, "client_address": "192.0.2.7", "x_forwarded_for": "192.0.2.7"}
    for name in ("requests", "decisions"):
        answer = secure.client("auth", secure.identity(name)).get("/api/v1/users/me", **claims)
        require(answer.status in (401, 403), f"{name} is believed about a user: {answer}")
    # What a session says of where it began is the address of the connection, not the one that was claimed.
    begun = secure.client("auth", secure.identity("requests")).send(
        "POST", "/api/v1/auth/login", {"email": ada.email, "password": PASSWORD}, **claims)
    equal("signing in with claims", begun.status, 200)
    sessions = secure.at(secure.envoy, ada).get("/api/v1/users/me/sessions").text
    require("127.0.0" in sessions and "192.0.2" not in sessions, f"a claimed address is believed: {sessions}")

    for what, identity in [("none", None), ("another authority", secure.identity("requests", "stranger"))]:
        try:
            answer = secure.client("auth", identity).get("/api/v1/auth/keys")
            require(False, f"{what}: a connection without a certificate is served: {answer}")
        except (ssl.SSLError, ConnectionError):
            pass


def without_certificate(stage):
    """an Envoy without the certificate for decisions lets nobody through"""
    secure = stage.mutual_tls
    _, ada = secure.sign_up("ada")

    def omit(context):
        del context["tls_certificate_sds_secret_configs"]

    def confuse(context):
        context["tls_certificate_sds_secret_configs"] = [{"name": "requests"}]

    for what, change in [("none", omit), ("the one for requests", confuse)]:
        def changed(configuration):
            clusters = {cluster["name"]: cluster for cluster in configuration["static_resources"]["clusters"]}
            change(clusters["authorization"]["transport_socket"]["typed_config"]["common_tls_context"])

        envoy = secure.other_envoy(changed)
        try:
            until("it serves what is public", lambda: _get(secure.nobody(envoy), "/api/v1/auth/keys") == 200)
            answer = secure.at(envoy, ada).get("/api/v1/users/me")
            equal(what, (answer.status, answer.reason), (503, "AUTHORIZATION_UNAVAILABLE"))
        finally:
            envoy.stop()


def _get(client, path):
    try:
        return client.get(path).status
    except OSError:
        return None
