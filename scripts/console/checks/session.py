"""The session: kept over reloads, renewed once for all, of no use to anybody else."""

import http.server
import threading
import time
import urllib.error
import urllib.request

from ..people import PASSWORD
from ..stage import HOME
from .pages import looked_at


def reloads(stage):
    """Ten reloads are one session, and no script sees what renews it."""
    before = len(stage.sessions("tom"))
    page = stage.enter("tom")
    for _ in range(10):
        page.reload()
        page.shows("Hello, Tom Tenant")
        page.settled()
    assert len(stage.sessions("tom")) == before + 1, "reloads began sessions"
    assert page.evaluate("document.cookie") == "", "a script sees the cookie"
    assert page.evaluate("Object.keys(localStorage).concat(Object.keys(sessionStorage)).join()") == "", "something is stored"
    page.click("Sign out")
    page.shows("Forgotten your password?")
    page.reload()
    page.shows("Forgotten your password?")
    assert len(stage.sessions("tom")) == before, "signing out left a session"


def one_refresh(stage):
    """64 calls with a token that is over make one exchange, twice in a row."""
    page = stage.enter("ada")
    module = page.evaluate("document.querySelector('script[src]').src.replace('main.js', 'api.js')")
    for _ in range(2):
        page.requests.clear()
        page.evaluate(f"""import("{module}").then(async (api) => {{
            api.raise("a token that is over");
            await Promise.all(Array.from({{length: 64}}, () => api.get("auth", "users/me/sessions")));
        }})""")
        renewals = [url for _, url in page.requests if url.endswith("/console/session/refresh")]
        assert len(renewals) == 1, f"{len(renewals)} refreshes"


def two_tabs(stage):
    """Signing out in one tab is signing out in both."""
    context = stage.browser.person()
    first = stage.nobody(context=context)
    first.open(HOME)
    stage.type_password(first, stage.accounts["gus"]["email"])
    first.shows("Hello, Gus Guest")
    second = stage.nobody(context=context)
    second.open(HOME)
    second.shows("Hello, Gus Guest")
    first.click("Sign out")
    second.shows("Forgotten your password?")


class _Foreign(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>foreign</title><h1>foreign</h1>")

    def log_message(self, *_):
        pass


def other_origin(stage):
    """A page of another port of the same host, to which browsers send the same cookies, gets nothing."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Foreign)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        context = stage.browser.person()
        own = stage.nobody(context=context)
        own.open(HOME)
        stage.type_password(own, stage.accounts["eve"]["email"])
        own.until("Boolean(document.querySelector('.shell'))")
        page = stage.nobody(context=context)
        page.open(f"http://localhost:{server.server_port}/")
        page.shows("foreign")
        for options in ('{method: "POST", credentials: "include"}',
                        '{method: "POST", credentials: "include", mode: "no-cors"}',
                        '{method: "POST", credentials: "include", headers: {"x-gatehouse-console": "1", "content-type": "application/json"}, body: "{}"}'):
            found = page.evaluate(f"""fetch("{HOME}session/refresh", {options})
                .then((answer) => answer.text(), (error) => "refused " + error.name)""")
            assert "accessToken" not in found, f"{options} got {found}"
        framed = page.evaluate(f"""new Promise((resolve) => {{
            const frame = document.createElement("iframe");
            frame.src = "{HOME}";
            frame.onload = () => {{ try {{ resolve(frame.contentDocument ? "read" : "nothing"); }} catch (error) {{ resolve("nothing"); }} }};
            document.body.append(frame);
        }})""")
        assert framed == "nothing", "a frame shows the console"
        own.reload()
        own.until("Boolean(document.querySelector('.shell'))")
    finally:
        server.shutdown()


def strangers(stage):
    """Without what a browser says of the console's own page, the three paths refuse."""
    good = {"content-type": "application/json", "x-gatehouse-console": "1", "sec-fetch-site": "same-origin"}
    for change in ({"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"sec-fetch-site": "none"},
                   {"x-gatehouse-console": "0"}, {"x-gatehouse-console": None}, {"sec-fetch-site": None},
                   {"sec-fetch-site": None, "origin": "http://localhost:9"}):
        headers = {key: value for key, value in (good | change).items() if value is not None}
        for method, path in (("POST", "session"), ("POST", "session/refresh"), ("DELETE", "session")):
            body = b'{"refreshToken": "x"}' if path == "session" and method == "POST" else b"{}" if method == "POST" else None
            request = urllib.request.Request(HOME + path, method=method, data=body, headers=headers)
            try:
                urllib.request.urlopen(request, timeout=10)
                raise AssertionError(f"{method} {path} with {change} was answered")
            except urllib.error.HTTPError as error:
                assert error.code == 403, f"{method} {path} with {change}: {error.code}"


def step_up(stage):
    """Where a recent proof is demanded, a dialog asks for it, and the call goes on by itself."""
    page = stage.enter("olivia", path="/requests")
    # The answer of an operator's method five minutes after signing in, played by the page itself.
    page.evaluate("""window.demanded = 0; const plain = window.fetch; window.fetch = async (url, options) => {
        if (String(url).includes("/operators/users?") && window.demanded++ === 0) {
          return new Response(JSON.stringify({status: "error", message: "prove it", details: {code: "UNAUTHENTICATED",
            reason: "STEP_UP_REQUIRED", metadata: {step_up: "fresh", acr_values: "pwd mfa phr phrh fed", max_age_seconds: "300"}}}),
            {status: 401, headers: {"content-type": "application/json"}});
        }
        return plain(url, options);
      }""")
    before = len(stage.sessions("olivia"))
    page.go("/people?text=tom")
    page.shows("Is it you?")
    page.fill("password", "wrong, to begin with")
    page.press("Enter")
    page.shows("The address or the password is wrong.")
    page.fill("password", "a long pass phrase for everybody")
    page.press("Enter")
    page.shows("tom@example.com")
    assert not page.evaluate("Boolean(document.querySelector('dialog'))"), "the dialog stays"
    # The new session is in place of the one before.
    deadline = time.monotonic() + 5
    while len(stage.sessions("olivia")) != before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(stage.sessions("olivia")) == before, "the former session is left over"


def countdown(stage):
    """Operators see how long their proof still counts, and renew it before it ends; others have nothing to count."""
    page = stage.enter("olivia", path="/requests")
    page.until("/^Proof that it is you: 4:[0-5][0-9]$/.test(document.querySelector('[role=timer]')?.textContent)")
    assert "Prove it again" not in page.text(), "a proof is asked for that is new"
    ahead(page, 250)
    page.go("/people")
    page.until("/: 0:[0-5][0-9]$/.test(document.querySelector('[role=timer]')?.textContent)")
    page.shows("ends within a minute")
    page.settled()
    looked_at(stage, page, "olivia-countdown")
    page.click("Prove it again")
    page.shows("Is it you?")
    ahead(page, -250)
    page.fill("password", PASSWORD)
    page.press("Enter")
    page.until("!document.querySelector('dialog') && !document.body.innerText.includes('ends within a minute')")
    page.until("/: 4:[0-5][0-9]$/.test(document.querySelector('[role=timer]')?.textContent)")
    assert len([url for _, url in page.requests if url.endswith("/auth/login")]) == 2, "nothing was proven"
    ahead(page, 400)
    page.go("/requests")
    page.shows("No recent proof that it is you")
    assert "ends within a minute" not in page.text()
    tom = stage.enter("tom")
    assert not tom.evaluate("Boolean(document.querySelector('[role=timer]'))"), "a tenant has a countdown"


def ahead(page, seconds):
    """Has the server's clock be later for a page, so that what ends by the clock is nearer; until the page is left."""
    # What was asked before has the later clock as well, or its answer would set the page's clock back.
    page.evaluate(f"""(() => {{ window.secondsAhead = (window.secondsAhead ?? 0) + {seconds};
      if (window.plainFetch) return;
      window.plainFetch = window.fetch;
      window.fetch = async (url, options) => {{
        const answer = await plainFetch(url, options);
        const clock = Date.parse(answer.headers.get("date") ?? new Date()) + 1000 * secondsAhead;
        const date = new Date(clock).toUTCString();
        const headers = new Headers(answer.headers);
        headers.set("date", date);
        return new Response(answer.status === 204 ? null : answer.body, {{status: answer.status, headers}});
      }}; }})()""")
