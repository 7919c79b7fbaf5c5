"""Changes as they happen: one stream for all tabs, which share their token, and what is said when it is cut."""

import json
import threading
import time

from ..people import PASSWORD
from ..stage import HOME


def _tabs(stage, who, count, path):
    """Tabs of one browser in which somebody is signed in."""
    context = stage.browser.person()
    tabs = [stage.nobody(context=context) for _ in range(count)]
    for tab in tabs:
        # What goes by the clock goes fifty times as fast.
        tab.send("Page.addScriptToEvaluateOnNewDocument",
                 source="const slow = window.setInterval; window.setInterval = (act, pause) => slow(act, pause / 50);")
    tabs[0].open(f"{HOME}#{path}")
    stage.type_password(tabs[0], stage.accounts[who]["email"])
    tabs[0].until("Boolean(document.querySelector('.shell'))")
    tabs[0].settled()
    for tab in tabs[1:]:
        tab.open(f"{HOME}#{path}")
        tab.until("Boolean(document.querySelector('.shell'))")
        tab.settled()
    return tabs


def _streams(tab):
    return [url for method, url in tab.requests if method == "GET" and "/watch?" in url]


def _exchanges(tab):
    return [url for _, url in tab.requests if url.endswith("/console/session/refresh")]


def one_stream(stage):
    """Three tabs have one stream and one token; when the first is closed, another one goes on; none asks by the clock."""
    door = stage.things["door"]
    stage.sign_in("tom")
    tabs = _tabs(stage, "tom", 3, f"/devices/{door}")
    time.sleep(0.5)
    assert [len(_streams(tab)) for tab in tabs] == [1, 0, 0], [len(_streams(tab)) for tab in tabs]
    assert sum(len(_exchanges(tab)) for tab in tabs[1:]) == 0, "tabs asked for tokens of their own"
    for tab in tabs:
        tab.requests.clear()
    time.sleep(1)
    assert not any(tab.requests for tab in tabs), [tab.requests for tab in tabs]
    for number, operations, state in ((0, ("lock", "unlock"), "Unlocked"), (1, ("lock",), "Locked")):
        for operation in operations:
            stage.as_("tom", "tenancy", "POST", f"devices/{door}/{operation}", {})
        for tab in tabs[number:]:
            tab.until(f"document.querySelector('.facts')?.innerText.includes({json.dumps(state)})", 5)
        if number == 0:
            # What happens while no tab has the stream is not missed.
            time.sleep(3.2)
            tabs[0].send("Page.close")


def one_renewal(stage):
    """Four tabs whose token is over at the same time make one exchange between them."""
    tabs = _tabs(stage, "ada", 4, "/places")
    module = tabs[0].evaluate("document.querySelector('script[src]').src.replace('main.js', 'api.js')")
    for tab in tabs:
        tab.evaluate(f"import({json.dumps(module)}).then((api) => {{ window.api = api; }})")
        tab.requests.clear()
    done = []
    def call(tab):
        tab.evaluate("window.api.raise('a token that is over'), window.api.get('auth', 'users/me/sessions').then(() => 1)")
        done.append(tab)
    threads = [threading.Thread(target=call, args=(tab,)) for tab in tabs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(done) == 4, "not all calls were answered"
    exchanged = sum(len(_exchanges(tab)) for tab in tabs)
    assert exchanged <= 1, f"{exchanged} exchanges"


def another_person(stage):
    """Signing in as somebody else in one tab: the other does not go on as the one before."""
    tabs = _tabs(stage, "tom", 2, "/")
    module = tabs[0].evaluate("document.querySelector('script[src]').src.replace('main.js', 'api.js')")
    body = {"email": stage.accounts["gus"]["email"], "password": PASSWORD}
    tabs[0].evaluate(f"""import({json.dumps(module)}).then(async (api) => {{
        await api.enter(await api.publicly("auth/login", {json.dumps(body)}));
    }})""")
    tabs[1].shows("Hello, Gus Guest")
    tabs[0].reload()
    tabs[0].shows("Hello, Gus Guest")


def rights(stage):
    """A role that is given is there without a reload, and one that is taken away is gone."""
    stage.sign_up("lena", "Lena Later")
    page = stage.enter("lena")
    page.shows("You have no access yet")
    stage.sign_in("grace")
    unit = stage.things["unit3"]
    stage.as_("grace", "tenancy", "POST", f"units/{unit}/tenants", {"userId": stage.accounts["lena"]["id"]})
    page.until("document.querySelector('main').innerText.includes('Flat 3')", 5)
    stage.as_("grace", "tenancy", "DELETE", f"units/{unit}/tenants/{stage.accounts['lena']['id']}")
    page.until("!document.querySelector('main').innerText.includes('Flat 3')", 5)
