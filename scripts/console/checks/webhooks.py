"""Webhooks: from the first ping to a receiver that fails and is back, what operators have, and what is said without them."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time

from ..people import EVIL, PASSWORD
from ..receiver import Receiver
from .pages import EXPECTED, inspect


def _row(text, kind):
    """Whether a row of the log has a text and an outcome."""
    return (f"[...document.querySelectorAll('tbody tr')].some((row) => row.innerText.includes({json.dumps(text)})"
            f" && row.innerText.includes({json.dumps(kind)}))")


def _check(page, names):
    """Checks boxes of the open dialog by their names."""
    for name in names:
        page.evaluate(f"document.querySelector('dialog[open] [type=checkbox][name={json.dumps(name)}]').click()")


@contextlib.contextmanager
def _receiver(path="/hook"):
    receiver = Receiver(path)
    try:
        yield receiver
    finally:
        receiver.close()


def _secret(page):
    """The secret that the page shows, this once."""
    secret = page.until("document.querySelector('dialog[open] code')?.textContent.match(/^whsec_[A-Za-z0-9+/=]{40,}$/)?.[0]")
    page.click("I have kept it")
    page.until(f"!(document.documentElement.outerHTML + location.href).includes({json.dumps(secret)})")
    return secret


def _make(page, receiver, types):
    page.click("New webhook")
    page.fill("url", receiver.url)
    _check(page, types)
    page.press("Enter")
    receiver.secret = _secret(page)
    page.until(f"document.querySelector('h1').textContent === {json.dumps(receiver.url)}")
    page.settled()


def followed(stage):
    """Made, pinged, delivered, refused, sent again, replayed, paused and resumed, another secret, deleted: all by the page."""
    stage.sign_up("wanda", "Wanda Web")
    home = stage.entity("wanda", "organization", "Riders of the Weser")
    stable = stage.entity("wanda", "stable", "Weser Stables", home, city="Verden")
    with _receiver() as receiver:
        page = stage.enter("wanda", path=f"/objects/{home}")
        page.click("Webhooks")
        page.shows("No webhooks yet")
        page.settled()
        _make(page, receiver, ["entity.*"])
        page.shows("The receiver has not answered a ping yet.")
        page.click("Ping")
        page.shows("The receiver has answered with 200.")
        page.until(_row("webhook.ping", "Delivered"))
        receiver.got("webhook.ping")
        # What happens shows up without a reload, and the log has it by the id that the receiver got.
        stage.entity("wanda", "horse", "Black Beauty", stable)
        event = receiver.got("entity.created")
        page.until(_row(event["id"], "Delivered"), 8)
        page.until(_row(event["id"], event["subject"]))
        page.until("/\\d+ ms/.test(document.body.innerText) && document.querySelector('tbody time').dateTime.endsWith('Z')")
        receiver.status = 503
        stage.as_("wanda", "tenancy", "PATCH", f"entities/{stable}", {"attributes": {"city": "Bremen"}})
        failed = receiver.got("entity.updated", 503)
        page.until(_row(failed["id"], "Refused") + " && " + _row(failed["id"], "503"), 8)
        page.shows("Failing since")
        # A list of another outcome comes after its choice, so each is waited for by a row that only it has or lacks.
        refused = _row(failed["id"], "Refused") + " && !(" + _row(event["id"], "Delivered") + ")"
        for choice, seen in (("FAILED", refused), ("UNREACHABLE", "document.querySelector('main').innerText.includes('None of the last 30 days ended so')"),
                             ("REFUSED", refused), ("", _row(event["id"], "Delivered"))):
            page.evaluate("(() => { const box = document.querySelector('[name=outcome]'); box.value = '" + choice
                          + "'; box.dispatchEvent(new Event('change')); })()")
            page.until(seen)
        receiver.status = 200
        page.until(_row(event["id"], "Delivered"))
        receiver.forget()
        page.evaluate(f"document.querySelector('[aria-label*=\"{failed['id']}\"]:not(.copy)').click()")
        page.shows("1 event is sent again.")
        assert receiver.got("entity.updated")["id"] == failed["id"]
        page.until(_row(failed["id"], "Delivered"), 8)
        page.until("document.querySelector('[role=status] + dl') === null || !document.querySelector('main').innerText.includes('Failing since')", 8)
        receiver.forget()
        page.click("Replay")
        page.click("Continue")
        page.shows("2 events are sent again, behind those that are new.")
        page.click("Send again")
        page.until(_row(event["id"], "sent again"), 8)
        assert receiver.got("entity.created")["id"] == event["id"]
        _problems(stage, page, "wanda-webhook")
        _paused(stage, page, receiver, stable)
        _rotated(page, receiver)
        _delete(page)


def by_key_pair(stage):
    """A webhook that signs by a key pair: its public key is shown, and stays there."""
    stage.sign_up("kim", "Kim Keys")
    home = stage.entity("kim", "organization", "Riders of the Elbe")
    with _receiver() as receiver:
        page = stage.enter("kim", path=f"/objects/{home}/webhooks")
        page.click("New webhook")
        page.fill("url", receiver.url)
        page.evaluate("document.querySelector('[name=signature]').value = 'WEBHOOK_SIGNATURE_ED25519'")
        page.press("Enter")
        key = page.until("document.querySelector('dialog[open] code')?.textContent.match(/^whpk_[A-Za-z0-9+/=]{44}$/)?.[0]")
        page.click("I have kept it")
        page.until(f"document.querySelector('h1').textContent === {json.dumps(receiver.url)}")
        page.shows(key)
        page.shows("A key pair")
        page.click("New key pair")
        page.evaluate("document.querySelector('dialog[open] button.danger, dialog[open] button.primary').click()")
        other = page.until("document.querySelector('dialog[open] code')?.textContent.match(/^whpk_[A-Za-z0-9+/=]{44}$/)?.[0]")
        assert other != key, "the key is as before"
        page.click("I have kept it")
        page.shows(other)
        _delete(page)


def _delete(page):
    """Deletes the webhook that the page shows, the last of its tenant."""
    page.click("Delete")
    page.shows("gets nothing any longer.")
    page.evaluate("document.querySelector('dialog[open] button.danger').click()")
    page.shows("No webhooks yet")


def _problems(stage, page, name):
    """Nothing that axe finds, narrow and wide, light and dark."""
    problems = []
    for width, dark in ((390, True), (1280, False), (320, False)):
        page.look(width, dark)
        page.settled()
        problems += inspect(stage, page, name, width, dark)
    page.look(1280)
    assert not problems, "\n".join(problems)


def _paused(stage, page, receiver, stable):
    """What happens while it is paused waits, and is sent afterwards."""
    page.click("Pause")
    page.shows("It was paused by hand.")
    receiver.forget()
    stage.entity("wanda", "horse", "Champion", stable)
    page.until("/Events waiting\\s*1/.test(document.querySelector('main').innerText)", 8)
    assert not receiver.events, receiver.events
    page.click("Resume")
    page.shows("What waits is sent, the oldest first.")
    page.evaluate("document.querySelector('dialog[open] button[type=submit]').click()")
    receiver.got("entity.created")
    page.until("/Events waiting\\s*0/.test(document.querySelector('main').innerText)", 8)


def _rotated(page, receiver):
    """Another secret is shown, and how long the former one signs too; both are accepted until then."""
    former = receiver.secret
    page.click("New secret")
    page.shows("signs beside the new one for 24 hours")
    page.evaluate("document.querySelector('dialog[open] button.danger').click()")
    receiver.secret = _secret(page)
    assert receiver.secret != former
    page.shows("It signs too until")
    page.shows("in 24 hours" if "in 24 hours" in page.text() else "tomorrow")
    for secret in (former, receiver.secret):
        receiver.secret = secret
        receiver.forget()
        page.evaluate("[...document.querySelectorAll('main button')].find((one) => one.textContent === 'Ping').click()")
        receiver.got("webhook.ping")
        page.until("![...document.querySelectorAll('main button')].find((one) => one.textContent === 'Ping').disabled")


def chosen(stage):
    """The catalogue is searched; an address that webhooks may not lead to is refused at its field; settings are changed."""
    with _receiver() as receiver:
        page = stage.enter("fay", path=f"/objects/{stage.things['family']}/webhooks")
        page.click("New webhook")
        page.shows("None chosen: it gets all events.")
        offered = page.evaluate("[...document.querySelectorAll('dialog [type=checkbox]')].map((one) => one.name)")
        assert "points.requested" in offered and "session.created" not in offered, offered
        page.fill("search_events", "pair")
        shown = "[...document.querySelectorAll('dialog [type=checkbox]')].filter((one) => one.checkVisibility()).map((one) => one.name).join()"
        page.until(f"{shown} === 'pairing.*,pairing.created,pairing.ended'")
        _check(page, ["pairing.created"])
        page.shows("Chosen: A device was paired")
        page.fill("search_events", "<b>")
        page.shows("Nothing matches “<b>”.")
        page.fill("search_events", "points")
        _check(page, ["points.*"])
        page.shows("Chosen: A device was paired and Points: all")
        page.fill("url", "https://user@example.com/hook")
        page.press("Enter")
        page.shows("Webhooks may not lead to this address")
        assert page.evaluate("document.activeElement.name") == "url"
        problems = inspect(stage, page, "fay-new-webhook", 1280, False)
        page.look(390, True)
        problems += inspect(stage, page, "fay-new-webhook", 390, True)
        page.look(1280)
        assert not problems, "\n".join(problems)
        page.fill("url", receiver.url)
        page.press("Enter")
        _secret(page)
        page.shows("A device was paired and Points: all")
        page.click("Change")
        page.until("document.querySelector('dialog [name=\"points.*\"]').checked && document.querySelector('dialog [name=\"points.changed\"]').disabled")
        _check(page, ["points.*", "role.granted"])
        page.evaluate("document.querySelector('dialog button[type=submit]').click()")
        page.shows("A device was paired and A role was given")


def paged(stage):
    """A long log comes by pages, which stay when it is read again."""
    with _receiver() as receiver:
        stage.sign_up("bea", "Bea Busy")
        home = stage.entity("bea", "organization", "Busy Bees")
        made = stage.as_("bea", "tenancy", "POST", f"entities/{home}/webhooks", {"url": receiver.url, "types": ["entity.updated"]})
        receiver.secret = made["secret"]
        stage.as_("bea", "tenancy", "POST", f"webhooks/{made['webhook']['id']}/ping", {})
        for number in range(60):
            stage.as_("bea", "tenancy", "PATCH", f"entities/{home}", {"name": f"Bees {number}"})
        receiver.got("entity.updated")
        deadline = time.monotonic() + 20
        while len(receiver.events) < 61:
            assert time.monotonic() < deadline, len(receiver.events)
            time.sleep(0.1)
        page = stage.enter("bea", path=f"/webhooks/{made['webhook']['id']}")
        rows = "document.querySelectorAll('tbody tr').length"
        page.until(f"{rows} === 50")
        page.click("Show more")
        page.until(f"{rows} === 61")
        assert "webhook.ping" in page.evaluate("document.querySelector('tbody tr:last-child').innerText"), "not the newest first"
        stage.as_("bea", "tenancy", "PATCH", f"entities/{home}", {"name": "Bees again"})
        page.until(f"{rows} === 62", 15)


def named(stage):
    """An object whose name would do something if it were taken for more than text; and the page in German."""
    home = stage.entity("rita", "organization", EVIL)
    with _receiver("/hook/%3Cimg%20src=x%20onerror=pwned=1%3E") as receiver:
        page = stage.enter("rita", path=f"/objects/{home}/webhooks")
        page.until(f"document.querySelector('h1').textContent === {json.dumps('Webhooks of ' + EVIL)}")
        _make(page, receiver, [])
        page.shows(f"A webhook of {EVIL}")
        page.click("Ping")
        page.until(_row("webhook.ping", "Delivered"))
        stage.sign_in("rita")
        stage.as_("rita", "tenancy", "POST", "roles", {"role": {
            "entityId": home, "role": "administrator", "userId": stage.accounts["grace"]["id"]}})
        other = stage.enter("grace", path=page.evaluate("location.hash").removeprefix("#"))
        other.until("[...document.querySelectorAll('.facts dd')].some((one) => one.textContent === 'Rita Rider')")
        page.click("Deutsch")
        page.shows("Ereignisse werden gesendet.")
        page.shows("Zugestellt")
        problems = inspect(stage, page, "rita-webhook-german", 1280, False)
        assert not problems, "\n".join(problems)


def offered(stage):
    """Who may not manage webhooks sees neither a way to them nor the page; operators have those of the installation."""
    page = stage.enter("tom", path=f"/objects/{stage.things['unit1']}")
    page.settled()
    assert "Webhooks" not in page.text()
    page.go(f"/objects/{stage.things['portfolio']}/webhooks")
    page.shows("or not for you")
    page = stage.enter("ada", path=f"/objects/{stage.things['property']}")
    page.settled()
    assert not page.evaluate("[...document.querySelectorAll('.title a')].some((one) => one.textContent === 'Webhooks')"), "of a property"
    with _receiver() as receiver:
        page = stage.enter("olivia")
        page.click("Webhooks")
        page.shows("Webhooks of the installation")
        page.settled()
        _make(page, receiver, ["session.created"])
        page.click("Ping")
        page.until(_row("webhook.ping", "Delivered"))
        stage.sign_in("tom")
        event = receiver.got("session.created", seconds=20)
        page.until(_row(event["id"], "Delivered"), 10)
        _problems(stage, page, "olivia-webhook")


def stale(stage):
    """What is looked at by itself asks nobody for a proof: the page says that it is old, and looks again on demand."""
    with _receiver() as receiver:
        page = stage.enter("rita", path=f"/objects/{stage.things['organization']}/webhooks")
        page.settled()
        _make(page, receiver, [])
        page.evaluate("""(() => { const real = window.fetch; window.fetch = async (url, options) => window.fresh || !/\\/webhooks\\//.test(url)
            ? real(url, options) : new Response(JSON.stringify({ details: { code: "UNAUTHENTICATED", reason: "STEP_UP_REQUIRED" } }), { status: 401 }); })()""")
        page.shows("to look again takes a recent proof", 15)
        assert not page.evaluate("document.querySelector('dialog[open]')"), "a dialog opened by itself"
        _problems(stage, page, "rita-stale")
        page.click("Look again")
        page.shows("Is it you?")
        page.evaluate("window.fresh = true")
        page.fill("password", PASSWORD)
        page.press("Enter")
        page.until("!document.querySelector('dialog[open]') && !document.body.innerText.includes('to look again takes')")
        page.click("Ping")
        receiver.got("webhook.ping")
        _delete(page)


def switched_off(stage):
    """An installation that sends none says so; a service that is away takes the page along, which then comes back."""
    settings = stage.data / "tenancy.json"
    text = settings.read_text()
    page = stage.enter("rita", path=f"/objects/{stage.things['organization']}/webhooks")
    page.settled()
    try:
        with stage.away("tenancy"):
            page.reload()
            page.shows("cannot be reached", 20)
            settings.write_text(re.sub(r'"webhooks": \{[^}]*\},', "", text))
        page.until("Boolean([...document.querySelectorAll('button')].find((one) => one.textContent === 'New webhook'))", 30)
        page.click("New webhook")
        page.fill("url", "https://hooks.example.com/gatehouse")
        page.press("Enter")
        page.shows("This installation sends no webhooks.")
        page.press("Escape")
    finally:
        with stage.away("tenancy"):
            settings.write_text(text)
    said = [one for one in page.messages if not one.startswith((*EXPECTED, "Failed to load resource: net::ERR_", "Failed to load resource: the server responded with a status of 50"))]
    assert not said, said


def listened(stage):
    """`gatehouse listen` passes events on to a program of this machine, signed by the secret that it prints."""
    stage.sign_up("lisa", "Lisa Listener")
    home = stage.entity("lisa", "portfolio", "Houses on the Ems")
    command = [stage.programs / "gatehouse", "--session", stage.data / "lisa.session.json"]
    subprocess.run(command + ["login", "lisa@example.com"], check=True, stdout=subprocess.DEVNULL,
                   env=os.environ | {"GATEHOUSE_PASSWORD": PASSWORD})
    with _receiver() as receiver:
        listening = subprocess.Popen(command + ["listen", home, receiver.url, "entity.*"], stdout=subprocess.PIPE, text=True)
        try:
            receiver.secret = listening.stdout.readline().removeprefix("signed by ").strip()
            assert receiver.secret.startswith("whsec_"), receiver.secret
            deadline = time.monotonic() + 20
            while not receiver.events and not receiver.wrong:
                assert time.monotonic() < deadline, "nothing was passed on"
                stage.entity("lisa", "property", "Quay", home)
                time.sleep(1)
            assert receiver.got("entity.created")["data"]["tenantId"] == home
            line = listening.stdout.readline().split()
            assert line[0] == "entity.created" and line[-1] == "200", line
        finally:
            listening.send_signal(signal.SIGINT)
            assert listening.wait(10) in (0, 130), listening.returncode
