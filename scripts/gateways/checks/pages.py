"""What a page in a browser gets through Envoy."""

import json

from ..waiting import equal, require


def _requests(stage, client):
    def request(path, token, method="GET", body=None):
        headers = {"authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["content-type"] = "application/json"
        return [f"https://localhost:{stage.envoy.port}{path}",
                {"method": method, "headers": headers} | ({"body": json.dumps(body)} if body is not None else {})]

    header, payload, signature = client.token.split(".")
    return [
        request("/api/v1/users/me", client.token),
        request("/api/v1/portfolios", client.token, "POST", {"name": "Home"}),
        # Refused by TenancyService, with a token and without, and by no route.
        request("/api/v1/users/me", f"{header}.{payload}.{signature[::-1]}"),
        request("/api/v1/users/me", None),
        request("/api/v1/nothing", client.token),
    ]


def listed_origin(stage):
    """a page of an origin that deploy/envoy lists calls with its token, and reads why it is refused"""
    user, client = stage.sign_up("paula")
    found = stage.pages.found("localhost", _requests(stage, client))
    equal("what it may read", [answer.get("status") for answer in found], [200, 201, 401, 401, 404])
    equal("who it is", json.loads(found[0]["text"])["data"]["id"], user)
    for answer in found:
        require(answer["id"], f"x-request-id cannot be read: {answer}")
    for answer in found[2:]:
        equal("the envelope", json.loads(answer["text"])["status"], "error")


def other_origin(stage):
    """a page of another origin gets nothing, and what it asked for does not happen"""
    _, client = stage.sign_up("otto")
    found = stage.pages.found("127.0.0.1", _requests(stage, client))
    equal("what it may read", found, [{"error": "TypeError"}] * 5)
    equal("portfolios", client.get("/api/v1/portfolios").json["data"]["portfolios"], [])
