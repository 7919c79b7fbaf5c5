"""What deploy/nginx promises."""

from .. import calls
from ..waiting import equal, require, until
from .headers import FORGED


def rest(stage):
    """REST passes nginx to the service that has the path, and what is at no path gets 404"""
    _, client = stage.sign_up("nora")
    client = stage.at(stage.nginx, client)
    equal("a new portfolio", client.post("/api/v1/portfolios", {"name": "Home"}).status, 201)
    for server in stage.applications:
        server.requests.clear()
    for path in ("/api/v1/portfolios", "/api/v1/users/me", "/api/v1/entitlements", "/.well-known/jwks.json"):
        equal(path, client.get(path).status, 200)
    equal("where her features were asked for", sum(
        path == "/api/v1/entitlements" for server in stage.applications for _, path, _ in server.requests), 1)
    for path in ("/", "/metrics", "/grpc.health.v1.Health/Check",
                 "/api/v1/portfolios/../../../metrics", "/api/v1/portfolios/..%2f..%2f..%2fmetrics"):
        answer = client.get(path)
        equal(path, (answer.status, answer.reason), (404, None))
    for path in ("/api/v1/unitsx", "/api/", "/api/v2/portfolios"):
        answer = client.get(path)
        equal(path, (answer.status, answer.reason), (404, "SERVICE_UNKNOWN"))
    for path, status in {"/": 404, "/api/": 404, "/api/v1/users/me": 200}.items():
        answer = client.get(path)
        equal(path, (answer.status, answer.headers.get("x-content-type-options")), (status, "nosniff"))
    equal("the document", "/api/v1/users/me" in client.showing(None).get("/openapi.json").json["paths"], True)
    equal("nobody", client.showing(None).get("/api/v1/portfolios").status, 401)


def mixed(stage):
    """REST and gRPC in turns pass nginx, however many connections to the services it keeps"""
    from tenancy.v1 import portfolios_pb2
    from auth.v1 import users_pb2
    _, client = stage.sign_up("nino")
    client = stage.at(stage.nginx, client)
    for turn in range(20):
        # A connection of its own each time: nothing of the client's side is kept.
        with calls.Calls(stage.certificate, stage.nginx.port, client.token) as connection:
            for method, request, answer_type in (
                    ("/tenancy.v1.Portfolios/List", portfolios_pb2.ListPortfoliosRequest(),
                     portfolios_pb2.ListPortfoliosResponse),
                    ("/auth.v1.Users/GetMe", users_pb2.GetMeRequest(), users_pb2.User)):
                equal(f"{method}, turn {turn}", connection.code(method, request, answer_type), "OK")
        for path in ("/api/v1/portfolios", "/api/v1/users/me"):
            equal(f"{path}, turn {turn}", client.get(path).status, 200)


def own_server(stage):
    """auth_request: only signed-in users get to a server of one's own, without made-up identities"""
    _, client = stage.sign_up("nils")
    client = stage.at(stage.nginx, client)
    requests = stage.applications[0].requests
    requests.clear()
    equal("nobody", client.showing(None).get("/app/a").status, 401)
    equal("a wrong token", client.showing("abc").get("/app/a").status, 401)
    equal("what got there", requests, [])
    answer = client.send_exactly("GET", "/app/a", None, FORGED | {"cookie": "__Host-gatehouse=a"})
    equal("somebody", answer.status, 200)
    equal("what got there", [(method, path) for method, path, _ in requests], [("GET", "/app/a")])
    headers = requests[0][2]
    for name, value in FORGED.items():
        require(headers.get(name.lower()) != value, f"the forged {name} got there")
    require("cookie" not in headers, "the cookie of the console got there")
    equal("x-request-id", headers["x-request-id"], answer.headers["x-request-id"])
    stage.nginx.logged(answer.headers["x-request-id"])


def sent_once(stage):
    """nginx sends nothing again, though there is another server"""
    client = stage.nobody(stage.nginx)
    # Each failure takes a server out for a while, so there are as many methods as servers.
    until("nginx uses both", lambda: client.get("/api/v1/tiers").status == 200 and all(
        server.requests for server in stage.applications))
    for method in ("GET", "PUT"):
        for server in stage.applications:
            # Another process of nginx's does not know yet which one is out.
            server.failures_left = 1
            server.requests.clear()
        equal(method, client.send(method, "/api/v1/tiers").status, 502)
        equal(f"{method}, attempts", sum(len(server.requests) for server in stage.applications), 1)
    for server in stage.applications:
        server.failures_left = 0


def fails_closed(stage):
    """while AuthService does not answer, nobody gets through auth_request"""
    _, client = stage.sign_up("nele")
    client = stage.at(stage.nginx, client)
    stage.applications[0].requests.clear()
    stage.services.kill("auth")
    equal("somebody", client.get("/app/a").status, 500)
    equal("what got there", stage.applications[0].requests, [])
    stage.services.start("auth")
    stage.services.wait("auth")
    until("nginx asks it again", lambda: client.get("/app/a").status == 200)
