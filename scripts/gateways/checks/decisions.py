"""What TenancyService's word does."""

from .. import calls
from ..waiting import equal, until


def suspended(stage):
    """a refusal by TenancyService is 403 in our envelope of errors"""
    from tenancy.v1 import subjects_pb2
    user, client = stage.sign_up("susan")
    administrator, operator = stage.sign_up("operator")
    stage.services.grant_super_admin(administrator)
    operator = stage.sign_in(operator)
    with calls.Calls(stage.certificate, stage.envoy.port, operator.token) as connection:
        connection.unary("/tenancy.v1.Subjects/Suspend", subjects_pb2.SuspendRequest(user_id=user),
                         subjects_pb2.Suspension)
    answer = client.get("/api/v1/users/me")
    equal("a suspended user", (answer.status, answer.reason), (403, "SUBJECT_SUSPENDED"))
    equal("its envelope", (answer.json["status"], answer.headers["content-type"]), ("error", "application/json"))
    equal("who refused", stage.envoy.logged(answer.headers["x-request-id"])["details"], "ext_authz_denied")


def silent(stage):
    """while TenancyService does not answer, nobody passes, and each request ends with 503"""
    _, client = stage.sign_up("simon")
    stage.services.freeze("tenancy")
    try:
        for path in ("/api/v1/users/me", "/api/v1/entitlements", "/api/v1/portfolios"):
            equal(path, client.get(path).status, 503)
        equal("what is public", client.showing(None).get("/api/v1/auth/keys").status, 200)
    finally:
        stage.services.thaw("tenancy")
    until("Envoy asks it again", lambda: client.get("/api/v1/users/me").status == 200)


def gone(stage):
    """the same when TenancyService is gone, until it is back"""
    _, client = stage.sign_up("gina")
    stage.services.kill("tenancy")
    for path in ("/api/v1/users/me", "/api/v1/entitlements"):
        answer = client.get(path)
        equal(path, answer.status, 503)
        equal(f"{path}: envelope", answer.json["status"], "error")
    equal("what is public", client.showing(None).get("/api/v1/auth/keys").status, 200)
    stage.services.start("tenancy")
    stage.services.wait("tenancy")
    until("Envoy asks it again", lambda: client.get("/api/v1/users/me").status == 200)
