"""One identifier of a request everywhere."""

import json

from ..waiting import equal, require, until


def _in_service_log(stage, service, request_id):
    def find():
        lines = stage.services.log_file(service).read_text().splitlines()
        return [json.loads(line) for line in lines if f'"request_id":"{request_id}"' in line]
    return until(f"{request_id} is in the log of {service}", find)


def same_everywhere(stage):
    """the answer, Envoy's log and the services' logs have the same x-request-id, which no client chooses"""
    _, client = stage.sign_up("iris")
    # Refused by the service.
    answer = client.get("/api/v1/portfolios/prt_made_up", x_request_id="forged")
    equal("the answer", answer.status, 404)
    request_id = answer.headers["x-request-id"]
    require(request_id != "forged", "a client chose it")
    line = stage.envoy.logged(request_id)
    equal("Envoy's log", (line["status"], line["path"]), (404, "/api/v1/portfolios/prt_made_up"))
    equal("the envelope", answer.json["details"].get("requestId", request_id), request_id)
    _in_service_log(stage, "tenancy", request_id)
    # Refused by TenancyService's word about it.
    answer = client.showing(None).get("/api/v1/users/me")
    request_id = answer.headers["x-request-id"]
    equal("Envoy's log", stage.envoy.logged(request_id)["status"], 401)
    line = _in_service_log(stage, "tenancy", request_id)[0]
    equal("TenancyService's log", line["action"], "envoy.service.auth.v3.Authorization/Check")


def no_query(stage):
    """Envoy's log has no query"""
    _, client = stage.sign_up("ida")
    answer = client.get("/api/v1/portfolios?pageToken=secret")
    line = stage.envoy.logged(answer.headers["x-request-id"])
    require("secret" not in json.dumps(line), f"the query is there: {line}")
