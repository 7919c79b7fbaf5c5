"""What people do, by clicks and keys."""

import base64
import hashlib
import hmac
import json
import struct
import time

from ..people import PASSWORD
from ..stage import HOME


def first_question(stage):
    """From a cold page to why Tom may not rename his door: address, password, two clicks."""
    page = stage.enter("tom")
    page.click("Flat 1")
    page.click("Front door")
    page.until("document.querySelector('h1').textContent === 'Front door'")
    page.click("Explain access")
    page.until("document.querySelector('select[name=action]')?.options.length > 3")
    page.evaluate("document.querySelector('select[name=action]').value = 'device.update'")
    page.click("Explain")
    page.shows("Denied")
    page.shows("There is a role, but it does not allow this.")
    page.shows("Property manager")


def by_keyboard(stage):
    """An operator finds a person and asks why, without a mouse; the focus is always somewhere to be seen."""
    page = stage.enter("olivia", path="/why")
    page.evaluate("document.querySelector('[role=combobox]').focus()")
    page.send("Input.insertText", text="tom")
    page.until("document.activeElement.getAttribute('aria-expanded') === 'true'")
    page.press("Enter")
    assert page.evaluate("document.activeElement.value") == "Tom Tenant"
    page.press("Tab")
    for _ in range(3):
        if page.evaluate("document.activeElement.getAttribute('role')") == "combobox":
            break
        page.press("Tab")
    page.send("Input.insertText", text="Front")
    page.until("document.activeElement.getAttribute('aria-expanded') === 'true'")
    page.press("Enter")
    page.until("document.querySelector('select[name=action]').options.length > 3")
    page.evaluate("document.querySelector('select[name=action]').value = 'device.unlock'")
    page.press("Enter")
    page.shows("Allowed")
    for _ in range(25):
        page.press("Tab")
        seen = page.evaluate("""(() => { const one = document.activeElement; if (one === document.body) return "body";
            const style = getComputedStyle(one); return one.checkVisibility() && style.outlineStyle !== "none" ? "" : one.outerHTML; })()""")
        assert seen in ("", "body"), f"no focus to be seen on {seen}"


def sign_up_and_verify(stage):
    """An account of one's own, and its mail: loading the page uses nothing, a click does, once."""
    page = stage.nobody(390)
    page.open(f"{HOME}#/sign-up")
    page.fill("display_name", "Vera Visitor")
    page.fill("email", "vera@example.com")
    page.fill("password", "short")
    page.press("Enter")
    page.until("document.querySelector('[name=password]').getAttribute('aria-invalid') === 'true'")
    page.until("!document.querySelector('button[type=submit]').disabled")
    page.fill("password", PASSWORD)
    page.press("Enter")
    page.shows("Hello, Vera Visitor")
    page.shows("Verify your address")
    link = stage.link("vera@example.com", "verify-email")
    scanner = stage.nobody()
    scanner.open(link)
    scanner.shows("This is my address")
    time.sleep(1)
    assert not any(method == "POST" and "email" in url for method, url in scanner.requests), "the page sent the code by itself"
    page.open(link)
    page.click("This is my address")
    page.shows("Your address is verified.")
    late = stage.nobody()
    late.open(f"{HOME}verify-email#{'A' * 43}")
    late.click("This is my address")
    late.shows("This link does not work, or no longer")


def forgotten(stage):
    stage.sign_up("fiona", "Fiona Forgot")
    verify(stage, "fiona")
    page = stage.nobody()
    page.open(HOME)
    page.click("Forgotten your password?")
    page.fill("email", "fiona@example.com")
    page.press("Enter")
    page.shows("If there is an account with this address")
    page.open(stage.link("fiona@example.com", "reset-password"))
    page.fill("new_password", "another long pass phrase of hers")
    page.press("Enter")
    page.shows("The password is set.")
    page.click("To the console")
    stage.type_password(page, "fiona@example.com", "another long pass phrase of hers")
    page.shows("Hello, Fiona Forgot")


def verify(stage, who):
    """Proves somebody's address on their own page."""
    page = stage.enter(who)
    page.open(stage.link(stage.accounts[who]["email"], "verify-email"))
    page.click("This is my address")
    page.shows("Your address is verified.")
    return page


def invited(stage):
    """Grace invites, the mail has a link, and the role is there after a click."""
    stage.sign_up("ines", "Ines Invited")
    guest = verify(stage, "ines")
    page = verify(stage, "grace")
    # Proving an address ends what began before.
    stage.sign_in("grace")
    page.click("To the console")
    page.shows("Hello, Grace Manager")
    page.go(f"/objects/{stage.things['unit3']}")
    page.click("Invite")
    page.fill("email", "ines@example.com")
    page.press("Enter")
    page.shows("The invitation is on its way.")
    guest.open(stage.link("ines@example.com", "accept-invitation"))
    guest.click("Accept")
    guest.shows("You are in.")
    guest.click("To the console")
    guest.shows("Flat 3")


def _code(secret, ahead=0):
    padded = secret + "=" * (-len(secret) % 8)
    digest = hmac.new(base64.b32decode(padded), struct.pack(">Q", int(time.time()) // 30 + ahead), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def authenticator(stage):
    """An app by the picture's key, recovery codes once, and the second factor at the next sign-in."""
    stage.sign_up("theo", "Theo Twofactor")
    page = stage.enter("theo", path="/account/security")
    page.click("Add an authenticator app")
    page.shows("Scan this")
    assert page.evaluate("document.querySelector('dialog svg.qr path').getAttribute('d').length") > 1000
    page.picture(stage.pictures / "theo-qr.png", whole=False)
    secret = page.evaluate("document.querySelector('dialog code').textContent")
    page.fill("code", _code(secret))
    page.press("Enter")
    page.shows("They are shown only now.")
    codes = page.evaluate("[...document.querySelectorAll('.codes li')].map((one) => one.textContent)")
    assert len(codes) == 10
    page.click("I have kept them")
    page.shows("10 recovery codes left")
    page.click("Sign out")
    stage.type_password(page, "theo@example.com")
    page.shows("One more step")
    page.click("Use a recovery code")
    page.fill("recovery_code", codes[0])
    page.press("Enter")
    page.until("Boolean(document.querySelector('.shell'))")
    page.go("/account/security")
    page.shows("9 recovery codes left")


def _authenticator(page):
    """Has a page's browser keep passkeys, whose owner confirms each at once; its number."""
    page.send("WebAuthn.enable")
    return page.send("WebAuthn.addVirtualAuthenticator", options={
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True})["authenticatorId"]


def passkey(stage):
    """A passkey is added, and signs in without a password: by the button, in place of what the field offers."""
    stage.sign_up("pia", "Pia Passkey")
    page = stage.enter("pia", path="/account/security")
    authenticator_ = _authenticator(page)
    page.click("Add a passkey")
    page.shows("Last used")
    page.send("WebAuthn.setAutomaticPresenceSimulation", authenticatorId=authenticator_, enabled=False)
    page.click("Sign out")
    page.until("document.querySelector('[name=email]')?.autocomplete === 'username webauthn'")
    page.until("performance.getEntriesByType('resource').some((one) => one.name.endsWith('/passkeys/start'))")
    assert "Pia Passkey" not in page.text(), "signed in without a confirmation"
    page.send("WebAuthn.setAutomaticPresenceSimulation", authenticatorId=authenticator_, enabled=True)
    page.click("Sign in with a passkey")
    page.shows("Pia Passkey")
    page.until("Boolean(document.querySelector('.shell'))")


def passkey_in_field(stage):
    """The field for the address offers passkeys; choosing one there, which the browser plays, signs in."""
    stage.sign_up("pim", "Pim Passkey")
    page = stage.enter("pim", path="/account/security")
    _authenticator(page)
    page.click("Add a passkey")
    page.shows("Last used")
    page.click("Sign out")
    page.until("location.hash === '#/' && document.body.innerText.includes('Hello, Pim Passkey')")


def passkey_not_in_field(stage):
    """A browser that cannot offer passkeys in a field is asked for none."""
    page = stage.nobody()
    page.send("Page.addScriptToEvaluateOnNewDocument",
              source="PublicKeyCredential.isConditionalMediationAvailable = async () => false")
    page.open(HOME)
    page.shows("Sign in with a passkey")
    page.settled()
    time.sleep(0.5)
    assert page.evaluate("document.querySelector('[name=email]').autocomplete") == "username"
    assert not [url for _, url in page.requests if url.endswith("/passkeys/start")], "a challenge was asked for"


def operate(stage):
    """A device is operated, and its history has it at once."""
    page = stage.enter("tom", path=f"/devices/{stage.things['door']}")
    page.click("Lock")
    page.shows("Sent.")
    page.until("[...document.querySelectorAll('tbody tr')][0]?.innerText.includes('Lock')")


def devices(stage):
    """From the list of devices, by kind and by name, one click does what a lock is for; the row follows."""
    page = stage.enter("tom")
    page.click("Devices")
    page.shows("Living room")
    page.evaluate("""(() => { const box = document.querySelector("select[name=kind]"); box.value = "lock"; box.dispatchEvent(new Event("change")); })()""")
    page.until("!document.body.innerText.includes('Living room') && document.querySelectorAll('tbody tr').length === 1")
    assert page.evaluate("location.hash").endswith("?kind=lock")
    row = "document.querySelector('tbody tr')"
    assert "Pier 4 · Flat 1" in page.evaluate(f"{row}.innerText"), page.text()
    stage.sign_in("tom")
    for operation, word in (("Lock", "locked"), ("Unlock", "unlocked")):
        page.evaluate(f"document.querySelector('[aria-label=\"{operation}: Front door\"]').click()")
        page.until(f"{row}.innerText.includes('→ {word}')")
        device = stage.as_("tom", "tenancy", "GET", f"devices/{stage.things['door']}")
        assert device["desired"]["state"] == word, device
    stage.as_("tom", "tenancy", "POST", f"devices/{stage.things['door']}/lock", {})
    page.until(f"{row}.innerText.includes('→ locked')")
    gus = stage.enter("nora", path="/devices")
    gus.shows("There is no such device.")


def support(stage):
    """An operator disables an account with a reason, which its page and the log then say."""
    stage.sign_up("dora", "Dora Disabled")
    page = stage.enter("olivia", path=f"/people/{stage.accounts['dora']['id']}")
    page.click("End all sessions")
    page.until("Boolean(document.querySelector('dialog[open] button.danger'))")
    page.evaluate("document.querySelector('dialog[open] button.danger').click()")
    page.shows("Signed in nowhere.")
    page.click("Disable")
    page.fill("reason", "asked by phone")
    page.press("Enter")
    page.shows("asked by phone")
    page.shows("Disabled by")
    page.click("Enable")
    page.fill("reason", "it was them")
    page.press("Enter")
    page.until("!document.body.innerText.includes('Disabled by')")


def request_by_number(stage):
    """What failed can be looked up in three services by its number."""
    page = stage.enter("olivia", path=f"/people/{stage.accounts['tom']['id']}")
    page.until("Boolean(document.querySelector('a[href^=\"#/requests?id=\"]'))")
    page.evaluate("document.querySelector('a[href^=\"#/requests?id=\"]').click()")
    page.shows("TenancyService")
    page.shows("EntitlementService")
    page.settled()
    assert page.evaluate("document.querySelectorAll('tbody tr').length") >= 1


def invisible_dialogs(stage):
    """Escape closes a dialog, and the focus is back where it was."""
    page = stage.enter("ada", path="/account/data")
    page.evaluate("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Delete my account').focus()")
    page.press("Enter")
    page.shows("to confirm")
    page.press("Escape")
    page.until("!document.querySelector('dialog')")
    assert page.evaluate("document.activeElement.textContent") == "Delete my account", json.dumps(page.text()[:200])
