"""What a page shows when something is not as it should be: a service away or slow, a wrong clock, long lists."""

import json
import os
import subprocess
import time

from ..stage import HOME
from .pages import EXPECTED, inspect

# What a browser says of a call that got no answer.
AWAY = (*EXPECTED, "Failed to load resource: net::ERR_", "Failed to load resource: the server responded with a status of 50")


def _quiet(page):
    """Nothing but calls without an answer was said."""
    said = [text for text in page.messages if not text.startswith(AWAY)]
    assert not said, said
    page.messages.clear()


def away(stage):
    """Each service away in turn: its cards say so and the others stay; they recover without a click."""
    for service, who, path, broken, whole in [
            ("entitlement", "olivia", f"/people/{stage.accounts['tom']['id']}", "EntitlementService", "Ways to sign in"),
            ("tenancy", "tom", "/", "TenancyService", "Hello, Tom Tenant"),
            ("auth", "tom", "/account/sessions", "AuthService", "My account")]:
        page = stage.enter(who)
        with stage.away(service):
            page.go(path)
            if path == "/":
                page.reload()
            page.shows(broken, 20)
            page.settled(20)
            page.shows(whole)
            assert "You have no access yet" not in page.text(), "a service that is away looks like no access"
            problems = [one for one in inspect(stage, page, f"{who}-without-{service}", 390, False) if ": said:" not in one]
            assert not problems, "\n".join(problems)
        page.until(f"!document.querySelector('main').innerText.includes({json.dumps(broken)})", 30)
        page.settled()
        page.messages.clear()


def away_whole(stage):
    """A screen that needs the service that is away comes by itself once that is back; so does signing in."""
    page = stage.enter("tom")
    with stage.away("tenancy"):
        page.go(f"/devices/{stage.things['door']}")
        page.shows("cannot be reached", 20)
    page.until("document.querySelector('h1').textContent === 'Front door'", 30)
    visitor = stage.nobody()
    visitor.open(HOME)
    visitor.shows("Forgotten your password?")
    with stage.away("auth"):
        stage.type_password(visitor, "tom@example.com")
        visitor.shows("The server cannot be reached.")
        assert visitor.evaluate("document.querySelector('[name=email]').value") == "tom@example.com", "what was typed is gone"
    visitor.press("Enter")
    visitor.shows("Hello, Tom Tenant")


def cut_stream(stage):
    """A stream that breaks off: the page says since when, and then goes on where it was."""
    page = stage.enter("tom", path=f"/devices/{stage.things['door']}")
    with stage.away("tenancy"):
        page.shows("Changes have not come in since", 30)
        assert page.evaluate("document.querySelector('.banner').getAttribute('role')") == "status"
    page.until("document.querySelector('.banner').textContent === ''", 30)
    stage.sign_in("tom")
    for operation in ("lock", "unlock"):
        stage.as_("tom", "tenancy", "POST", f"devices/{stage.things['door']}/{operation}", {})
    page.until("document.querySelector('.facts')?.innerText.includes('Unlocked')", 10)


def slow(stage):
    """A service that does not answer: the page is there within a second, and one can leave it and come back."""
    page = stage.enter("olivia")
    with stage.frozen("entitlement"):
        began = time.monotonic()
        page.go(f"/people/{stage.accounts['tom']['id']}")
        page.shows("Ways to sign in")
        page.shows("tom@example.com")
        page.until("document.body.innerText.includes('Loading')", 5)
        assert time.monotonic() - began < 5, f"{time.monotonic() - began:.1f} s"
        page.go("/people")
        page.shows("Address or name")
        page.go(f"/people/{stage.accounts['tom']['id']}")
        page.shows("That took too long.", 25)
    page.until("document.body.innerText.includes('No purchases.')", 40)


def on_its_way(stage):
    """Where another page waits for its data, the one before stays and says that it waits; what comes too late is not drawn."""
    page = stage.enter("tom")
    with stage.frozen("tenancy"):
        page.evaluate("[...document.querySelectorAll('.nav a')].find((one) => one.textContent === 'Places').click()")
        page.until("Boolean(document.querySelector('main[aria-busy=true]'))")
        assert page.evaluate("document.querySelector('h1').textContent") == "Hello, Tom Tenant"
        page.until("getComputedStyle(document.querySelector('main'), '::before').content !== 'none'")
        page.click("My account")
        page.until("document.querySelector('h1').textContent === 'My account' && !document.querySelector('main[aria-busy=true]')")
    page.shows("Language of mails")
    page.settled()
    assert page.evaluate("document.querySelector('h1').textContent") == "My account", "the page before came too late"
    page.click("Places")
    page.until("document.querySelector('h1').textContent === 'Places' && !document.querySelector('main[aria-busy=true]')")


def left_early(stage):
    """What was typed into a search just before leaving the page is not written into the address of the next one."""
    page = stage.enter("olivia", path="/people")
    page.shows("olivia@example.com")
    asked = sum("/operators/users?" in url for _, url in page.requests)
    page.evaluate("""(() => { const box = document.querySelector("[name=text]"); box.value = "tom";
        box.dispatchEvent(new Event("input")); location.hash = "#/requests"; })()""")
    page.shows("Number of the request")
    page.evaluate("new Promise((resolve) => { setTimeout(resolve, 500); })")
    assert page.evaluate("location.hash") == "#/requests", page.evaluate("location.hash")
    assert sum("/operators/users?" in url for _, url in page.requests) == asked, "it is looked for on another page"


def wrong_clock(stage):
    """A browser whose clock is two hours ahead or behind: what has just happened happened just now."""
    for hours in (-2, 2):
        page = stage.nobody()
        page.send("Page.addScriptToEvaluateOnNewDocument", source=f"""(() => {{ const Real = Date; const off = {hours} * 3600e3;
            window.Date = class extends Real {{ constructor(...parts) {{ if (parts.length) super(...parts); else super(Real.now() + off); }}
            static now() {{ return Real.now() + off; }} }}; }})()""")
        page.open(f"{HOME}#/devices/{stage.things['door']}")
        stage.type_password(page, stage.accounts["tom"]["email"])
        page.until("document.querySelector('h1').textContent === 'Front door'")
        page.settled()
        page.click("Unlock")
        page.until("/Unlock.*just now/s.test(document.querySelector('tbody tr')?.innerText ?? '')")
        page.click("Let a guest in")
        page.fill("email", f"clock{hours + 2}@example.com")
        page.press("Enter")
        page.until(f"""[...document.querySelectorAll(".timeline li")].some((one) => one.innerText.includes("clock{hours + 2}@")
            && one.innerText.includes("In force"))""")
        _quiet(page)


def long_list(stage):
    """Of 3,000 units one page is shown, the next one and a search come within a second, and the tree stays usable."""
    stage.sign_up("lara", "Lara Long")
    portfolio = stage.entity("lara", "portfolio", "Long List")
    tower = stage.entity("lara", "property", "Tower", portfolio)
    for start in range(0, 3000, 500):
        stage.as_("lara", "tenancy", "POST", "entities:batch-create", {"entities": [
            {"type": "unit", "parentId": tower, "name": f"Unit {number:05}"} for number in range(start, start + 500)]})
    page = stage.enter("lara")
    began = time.monotonic()
    page.go(f"/objects/{tower}")
    page.shows("Unit 00049")
    opened = time.monotonic() - began
    began = time.monotonic()
    page.click("Show more")
    page.shows("Unit 00099")
    more = time.monotonic() - began
    began = time.monotonic()
    page.fill("search", "02999")
    page.shows("Unit 02999")
    page.until("!document.querySelector('main').innerText.includes('Unit 00001')")
    found = time.monotonic() - began
    page.fill("search", "no such unit")
    page.shows("Nothing matches “no such unit”.")
    assert max(opened, more, found) < 1.5, f"{opened:.2f} s, {more:.2f} s, {found:.2f} s"
    print(f"checks/console: a long list opens in {1000 * opened:.0f} ms, its next page in {1000 * more:.0f} ms, a search in {1000 * found:.0f} ms")


def as_curl(stage):
    """The commands of a page have no token, and do what the page did."""
    page = stage.enter("ada", path=f"/objects/{stage.things['portfolio']}")
    page.click("This page as curl")
    page.until("document.querySelector('.calls pre').textContent.includes('curl')")
    commands = page.evaluate("document.querySelector('.calls pre').textContent").splitlines()
    assert any(stage.things["portfolio"] in line for line in commands), commands
    assert not any("eyJ" in line or "password" in line for line in commands), "a command has what it must not"
    stage.sign_in("ada")
    for line in commands:
        done = subprocess.run(["bash", "-c", f"{line} -sS -o /dev/null -w '%{{http_code}}'"], capture_output=True, text=True,
                              env=os.environ | {"TOKEN": stage.accounts["ada"]["token"]}, check=True)
        assert done.stdout == "200", f"{line}: {done.stdout} {done.stderr}"
