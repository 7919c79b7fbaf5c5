"""The console in a browser, to which a gateway is the one origin there is."""

import contextlib
import json

from console.chromium import Browser
from console.stage import Stage as Console

from ..envoy import Envoy
from ..nginx import Nginx
from ..people import PASSWORD
from ..tap import tapped
from ..waiting import Failure, equal, require, until

SESSION = {("POST", "/console/session"), ("POST", "/console/session/refresh"), ("DELETE", "/console/session")}
# One of each kind of route.
OTHERS = [
    ("GET", "/console/"), ("GET", "/console/verify-email"), ("GET", "/api/v1/users/me"), ("GET", "/api/v1/portfolios"),
    ("GET", "/api/v1/entitlements"), ("GET", "/api/v1/auth/keys"), ("GET", "/api/v1/reports:keys"),
    ("POST", "/api/v1/webhooks/apple/app-store"), ("POST", "/api/v1/auth/login"), ("POST", "/api/v1/units"),
    ("POST", "/access/v1/evaluation"), ("GET", "/.well-known/jwks.json"), ("GET", "/openapi.json"), ("GET", "/docs"),
    ("GET", "/schemas/events/role.ended.v1.json"), ("POST", "/auth.v1.Users/GetMe"),
    ("POST", "/auth.v1.Keys/GetKeySet"), ("POST", "/tenancy.v1.Portfolios/List"),
    ("POST", "/entitlement.v1.Entitlements/Get"),
]
LIVE_SECONDS_MAX = 5


@contextlib.contextmanager
def _promised(what):
    """What the page never shows is a failure of this."""
    try:
        yield
    except AssertionError as problem:
        raise Failure(f"{what}: {problem}") from None


@contextlib.contextmanager
def _tapped(stage, start):
    """A gateway that `start` makes of the ports of the services, and the requests that it hands on to them."""
    requests = []
    with contextlib.ExitStack() as stack:
        gateway = start({name: [stack.enter_context(tapped(port, requests))]
                         for name, port in stage.services.ports.items()})
        stack.callback(gateway.stop)
        gateway.wait()
        yield gateway, requests


@contextlib.contextmanager
def _page(width=1280):
    # The front door's certificate is of nobody whom a browser knows.
    browser = Browser("--ignore-certificate-errors")
    try:
        page = browser.page(browser.person())
        page.look(width)
        yield page
    finally:
        browser.close()


def _made(client, path, body):
    answer = client.post(path, body)
    require(answer.status in (200, 201), f"{path}: {answer}")
    return answer.json["data"].get("id")


def _reload(page):
    """Again, until the page before is gone."""
    page.evaluate("window.isBefore = true")
    page.reload()
    page.until("!window.isBefore")


def _sessions(client):
    return len(client.get("/api/v1/users/me/sessions").json["data"]["sessions"])


def _cookies(page):
    return [(one["name"], one["httpOnly"], one["secure"]) for one in page.send("Network.getCookies")["cookies"]]


def _use(stage, gateway, page, requests):
    """An owner's way through the console, from signing in to signing out."""
    origin = f"https://localhost:{gateway.port}"
    owner_id, account = stage.sign_up("ottilie")
    owner = stage.at(gateway, account)
    tenant_id, _ = stage.sign_up("tomas")
    portfolio = _made(owner, "/api/v1/portfolios", {"name": "Harbour Homes"})
    house = _made(owner, f"/api/v1/portfolios/{portfolio}/properties", {"name": "Pier 4"})
    unit = _made(owner, f"/api/v1/properties/{house}/units", {"name": "Flat 1"})
    _made(owner, f"/api/v1/units/{unit}/tenants", {"userId": tenant_id})

    page.open(f"{origin}/console/#/objects/{unit}")
    with _promised("signing in"):
        Console.type_password(page, account.email, PASSWORD)
        page.until("Boolean(document.querySelector('.shell'))")
    with _promised("the members of a place"):
        page.shows("tomas")
        page.settled()
    equal("cookies of the browser", _cookies(page), [("__Host-gatehouse", True, True)])
    equal("cookies for scripts", page.evaluate("document.cookie"), "")
    equal("sessions", _sessions(owner), 2)

    asked, handed_on = len(page.requests), len(requests)
    with _promised("the session after a reload"):
        _reload(page)
        page.shows("tomas")
        page.settled()
    equal("sessions after a reload", _sessions(owner), 2)
    # What happens before there is a stream, the page has read.
    until("the stream gets to TenancyService", lambda: "/api/v1/watch" in {path for _, path, _ in requests[handed_on:]})
    _follow(stage, gateway, page, owner_id)
    equal("streams since the reload", sum("/api/v1/watch?" in url for _, url in page.requests[asked:]), 1)

    page.go(f"/objects/{unit}")
    with _promised("a change by the page"):
        page.click("Change")
        page.fill("name", "Garden Flat")
        page.press("Enter")
        page.until("document.querySelector('h1').textContent === 'Garden Flat'")
        page.settled()
    equal("the name", owner.get(f"/api/v1/entities/{unit}").json["data"]["name"], "Garden Flat")

    with _promised("signing out"):
        page.click("Sign out")
        page.shows("Forgotten your password?")
        until("the cookie is gone", lambda: not _cookies(page))
        _reload(page)
        page.shows("Forgotten your password?")
    equal("sessions after signing out", _sessions(owner), 1)
    equal("what the browser's console says", page.messages, [])
    equal("requests to other origins", [url for _, url in page.requests if not url.startswith(f"{origin}/")], [])
    return owner


def _follow(stage, gateway, page, user):
    """What somebody else gives the user and takes away again is shown without a reload."""
    _, other = stage.sign_up("bea")
    other = stage.at(gateway, other)
    portfolio = _made(other, "/api/v1/portfolios", {"name": "Bea's Homes"})
    house = _made(other, f"/api/v1/portfolios/{portfolio}/properties", {"name": "Lighthouse"})
    page.go("/")
    with _promised("the first page"):
        page.shows("Hello, ottilie")
        page.settled()
    shown = f"document.querySelector('main').innerText.includes({json.dumps('Lighthouse')})"
    for _ in range(2):
        with _promised("a change by somebody else, as it happens"):
            _made(other, f"/api/v1/properties/{house}/managers", {"userId": user})
            page.until(shown, LIVE_SECONDS_MAX)
            taken = other.send("DELETE", f"/api/v1/properties/{house}/managers/{user}")
            equal("taking the role away", taken.status, 200)
            page.until(f"!{shown}", LIVE_SECONDS_MAX)


def _console(stage, start):
    with _tapped(stage, start) as (gateway, requests), _page() as page:
        owner = _use(stage, gateway, page, requests)
        kept = {(method, path) for method, path, has_cookie in requests if has_cookie}
        require(("POST", "/console/session/refresh") in kept, f"the cookie did not get to AuthService, but to {kept}")
        equal("other requests with the browser's cookie", sorted(kept - SESSION), [])
        requests.clear()
        for method, path in OTHERS:
            owner.send(method, path, {} if method == "POST" else None, cookie="__Host-gatehouse=made-up")
            until(f"{method} {path} gets to a service", lambda: (method, path) in [one[:2] for one in requests])
        equal("other requests with a cookie", [one[:2] for one in requests if one[2]], [])


def through_envoy(stage):
    """a browser uses the console through Envoy alone: live changes reach it, and its cookie reaches nothing else"""
    administration, port, _ = stage.console_ports
    _console(stage, lambda services: Envoy(stage, "console-envoy", port, administration, upstreams=services))


def through_nginx(stage):
    """the same through nginx"""
    *_, port = stage.console_ports
    _console(stage, lambda services: Nginx(
        stage, "console-nginx", port, stage.applications[0].port, ports=services))
