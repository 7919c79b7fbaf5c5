"""A support person at work, those who see that it was, and the policy workbench."""

import json
import subprocess

from .flows import _code
from .pages import looked_at


def sam(stage):
    """A page of a support person's, who has signed in with an authenticator app; the app is added once."""
    if "sam" not in stage.accounts:
        stage.sign_up("sam", "Sam Support")
        subprocess.run([stage.programs / "auth-service", "grant-support", stage.accounts["sam"]["id"], "--config",
                        stage.data / "auth.json"], check=True, stdout=subprocess.DEVNULL)
        secret = stage.as_("sam", "auth", "POST", "users/me/second-factors/totp", {})["secret"]
        confirmed = stage.as_("sam", "auth", "POST", "users/me/second-factors/totp/confirm", {"code": _code(secret)})
        stage.accounts["sam"]["codes"] = confirmed["recoveryCodes"]
    page = stage.nobody()
    page.open("http://localhost:7401/console/")
    stage.type_password(page, "sam@example.com")
    # The app has one code in half a minute, and each works once.
    page.click("Use a recovery code")
    page.fill("recovery_code", stage.accounts["sam"]["codes"].pop())
    page.press("Enter")
    page.until("Boolean(document.querySelector('.shell'))")
    page.settled()
    return page


def at_work(stage):
    """A support person finds somebody, ends their sessions, asks why; what operators alone may do is not offered."""
    stage.sign_up("dina", "Dina Distressed")
    page = sam(stage)
    page.shows("As support you find people")
    page.fill("text", "dina")
    page.press("Enter")
    page.shows("dina@example.com")
    page.go(f"/people/{stage.accounts['dina']['id']}")
    page.shows("Ways to sign in")
    page.settled()
    shown = page.evaluate("[...document.querySelectorAll('button, .nav a')].map((one) => one.textContent)")
    for hidden in ("Suspend", "Disable", "Webhooks", "Policy workbench"):
        assert hidden not in shown, f"{hidden} is offered to a support person"
    page.click("End all sessions")
    page.until("Boolean(document.querySelector('dialog[open] button.danger'))")
    page.evaluate("document.querySelector('dialog[open] button.danger').click()")
    page.shows("Signed in nowhere.")
    page.click("Reset the password")
    page.fill("reason", "asked by phone")
    page.press("Enter")
    stage.link("dina@example.com", "reset-password")
    page.go(f"/why?person={stage.accounts['tom']['id']}&object={stage.things['door']}&type=device&action=device.update")
    page.shows("does not allow it")
    page.go("/workbench")
    page.shows("or not for you")


def seen(stage):
    """The person and the tenant see who looked."""
    page = stage.enter("nora", path="/account/data")
    page.shows("No operator or support person has looked.")
    page = stage.enter("tom", path="/account/data")
    page.shows("Sam Support")
    looks = "[...document.querySelectorAll('tbody tr')].filter((row) => row.innerText.startsWith('Sam Support'))"
    page.until(f"{looks}.some((row) => row.innerText.includes('Why something is allowed or not'))")
    assert "EntitlementService" not in page.text(), "a person reads the names of services"
    stage.sign_in("olivia")
    for _ in range(25):
        stage.as_("olivia", "auth", "GET", f"operators/users/{stage.accounts['gus']['id']}")
    mine = stage.enter("gus", path="/account/data")
    shown = "document.querySelectorAll('tbody tr').length"
    mine.until("[...document.querySelectorAll('button')].some((one) => one.textContent === 'Show more')")
    first = mine.evaluate(shown)
    mine.evaluate("(() => { const more = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Show more'); more.focus(); more.click(); more.click(); })()")
    mine.until(f"{shown} > {first}")
    mine.evaluate("new Promise((resolve) => { setTimeout(resolve, 300); })")
    assert mine.evaluate(shown) <= 2 * first and mine.evaluate("new Set([...document.querySelectorAll('tbody tr time')].map((one) => one.dateTime)).size") == mine.evaluate(shown), "a page is there twice"
    page = stage.enter("ada", path=f"/objects/{stage.things['portfolio']}")
    page.shows("Who looked")
    page.until(f"{looks}.some((row) => row.innerText.includes('Front door'))")
    unnamed = page.evaluate(f"{looks}.map((row) => row.innerText).filter((text) => /[a-z]{{3}}_[0-9a-z]{{20}}|: Get/.test(text))")
    assert not unnamed, f"what was looked at has no name: {unnamed}"


def workbench(stage):
    """Mistakes lead to their place, a question about made-up objects is answered, and a change says who loses."""
    page = stage.enter("olivia", path="/workbench")
    page.shows("Policy files")
    texts = {file.name: file.read_text() for file in sorted((stage.root / "policies").glob("*.json"))}
    policy = json.loads(texts["smart-home.json"])
    page.evaluate(f"""(() => {{
        const files = new DataTransfer();
        for (const [name, text] of Object.entries({json.dumps(texts)})) files.items.add(new File([text], name));
        const box = document.querySelector("input[type=file]");
        box.files = files.files;
        box.dispatchEvent(new Event("change"));
    }})()""")
    page.shows("The policy loads")
    page.shows("All as expected")

    def put(text):
        page.evaluate(f"""[...document.querySelectorAll("textarea")].find((box) => box.labels[0].textContent === "smart-home.json")
            .value = {json.dumps(text)}""")

    put(json.dumps(policy, indent=2).replace('"unit.view": {', '"unit.view": { "nonsense": 1,', 1))
    # Nobody presses a button for that.
    page.evaluate("""[...document.querySelectorAll("textarea")].find((box) => box.labels[0].textContent === "smart-home.json")
        .dispatchEvent(new Event("input"))""")
    page.shows("1 mistake")
    page.evaluate("document.querySelector('table button.plain').click()")
    chosen = page.evaluate("(({value, selectionStart, selectionEnd}) => value.slice(selectionStart, selectionEnd))(document.activeElement)")
    assert "nonsense" in chosen and len(chosen) < 400, chosen[:200]
    put(json.dumps(policy, indent=2))
    page.click("Check")
    page.shows("The policy loads")
    page.evaluate("document.querySelector('select[name=file]').value = 'smart-home.json'")
    for field, value in (("who", "olga"), ("action", "portfolio.view"), ("on", "hall")):
        page.fill(field, value)
    page.press("Enter")
    page.shows("OUT_OF_SCOPE")
    rule = policy["types"]["unit"]["actions"]["unit.view"]
    rule["roles"] = [role for role in rule["roles"] if role != "tenant"]
    put(json.dumps(policy, indent=2))
    page.click("Compare with the policy in force")
    page.shows("No longer allowed")
    page.shows("Live data")
    page.shows("Tom Tenant")
    page.shows("1 object")
    page.until("""![...document.querySelectorAll("tbody a")].some((one) => /^[a-z]{3}_[0-9a-z]{20}/.test(one.textContent))""")
    # The same about one person and one flat, by both.
    for place, text in enumerate(("tom", "Flat 1")):
        box = f"[...document.querySelectorAll('[role=combobox]')].at({place - 2})"
        page.until(f"Boolean({box})")
        page.evaluate(f"{box}.focus()")
        page.send("Input.insertText", text=text)
        page.until(f"{box}.getAttribute('aria-expanded') === 'true'")
        page.press("Enter")
    page.fill("realAction", "unit.view")
    page.press("Enter")
    page.shows("By these rules")
    verdicts = page.evaluate("""[...document.querySelectorAll("[role=status] section")].map((one) => one.querySelector("p").innerText)""")
    assert [text.split()[0] for text in verdicts] == ["Allowed", "Denied"], verdicts
    # What was typed before is still being checked when another question is asked.
    page.evaluate("""(() => { const plain = window.fetch; window.fetch = async (url, options) => { const answer = await plain(url, options);
        if (String(url).endsWith("/policies/check")) { window.checked = true; await new Promise((go) => { window.goOn = go; }); }
        return answer; }; })()""")
    page.evaluate("document.querySelector('textarea').dispatchEvent(new Event('input'))")
    page.until("Boolean(window.goOn)")
    page.click("Compare with the policy in force")
    page.until("!document.querySelector('[aria-busy=true]') && document.body.innerText.includes('Live data')")
    page.evaluate("window.goOn()")
    page.evaluate("new Promise((resolve) => { setTimeout(resolve, 300); })")
    assert "Live data" in page.text() and "All as expected" not in page.text(), "an older answer took the place of the newer one"


def in_force(stage):
    """A change begins with the policy in force."""
    page = stage.enter("olivia", path="/workbench")
    page.shows("Policy files")
    page.click("Open those in force")
    page.shows("The policy loads")
    texts = {file.name: file.read_text() for file in (stage.root / "policies").glob("*.json")}
    shown = page.evaluate("Object.fromEntries([...document.querySelectorAll('textarea')].map((box) => [box.labels[0].textContent, box.value]))")
    assert shown == texts, sorted(shown)


def refund(stage):
    """What a refund has ended is on the person's page: that it was given back, what went with it, by which request."""
    stage.sign_up("rex", "Rex Refund")
    product = "com.unifiedsmarthome.compliancepack1"
    for more in ([], ["--refunded"]):
        signed = subprocess.run([stage.root / "scripts/test-store", "transaction", stage.data / "store", product, "7001", *more],
                                check=True, capture_output=True, text=True).stdout.strip()
        stage.as_("rex", "entitlement", "POST", "iap/transactions", {"signedTransaction": signed})
        page = stage.enter("olivia", path=f"/people/{stage.accounts['rex']['id']}")
        page.shows(product)
        page.settled()
        assert ("Ended with it" in page.text()) == bool(more), page.text()
    page.shows("Refunded")
    page.shows("Given back")
    page.shows("Ended with it: Compliance Pack. The tier is now Free.")
    looked_at(stage, page, "olivia-refund")
    page.click("The request that ended it")
    page.shows("EntitlementService")
    page.settled()
    assert page.evaluate("document.querySelectorAll('tbody tr').length") >= 1
    own = stage.enter("rex", path="/plan")
    own.shows("Ended with it: Compliance Pack.")
    own.settled()
    assert "The request that ended it" not in own.text(), "the request is offered to whom it leads nowhere"
