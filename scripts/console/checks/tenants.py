"""What those do who manage places: making, changing, giving roles, families, reports, plans."""

import json
import time

from ..people import PASSWORD, PIN
from .flows import verify
from .pages import looked_at


def _title(page, text):
    page.until(f"document.querySelector('h1')?.textContent === {json.dumps(text)}")
    page.settled()


def make(stage):
    """From nothing to a device: a portfolio, a property, a unit and a lock, each by its form; then changed and deleted."""
    stage.sign_up("mia", "Mia Maker")
    page = stage.enter("mia", path="/places")
    page.click("New: Portfolio")
    page.fill("name", "Mia's Homes")
    page.press("Enter")
    _title(page, "Mia's Homes")
    page.click("New: Property")
    page.fill("name", "Corner House")
    page.fill("city", "Bremen")
    page.click("Create")
    page.click("Corner House")
    _title(page, "Corner House")
    page.shows("Bremen")
    page.click("New: Unit")
    page.press("Enter")
    page.shows("Please fill this in.")
    page.fill("name", "Attic")
    page.press("Enter")
    page.click("Attic")
    _title(page, "Attic")
    page.click("New: Device")
    page.fill("name", "Attic lock")
    page.evaluate("document.querySelector('dialog [name=kind]').value = 'lock'")
    page.click("Create")
    page.click("Attic lock")
    _title(page, "Attic lock")
    page.shows("Unlock")
    page.click("Change")
    page.fill("name", "Roof lock")
    page.press("Enter")
    _title(page, "Roof lock")
    page.click("Delete")
    page.shows("This goes along with Roof lock, for good:")
    page.evaluate("[...document.querySelectorAll('dialog button')].find((one) => one.textContent === 'Delete').click()")
    _title(page, "Attic")
    page.settled()
    assert "Roof lock" not in page.evaluate("document.querySelector('main').innerText")


def not_offered(stage):
    """Who may not make or give anything sees no button for it."""
    page = stage.enter("tom", path=f"/objects/{stage.things['unit1']}")
    page.shows("Front door")
    page.settled()
    labels = page.evaluate("[...document.querySelectorAll('main button, main .title a')].map((one) => one.ariaLabel ?? one.textContent)")
    assert not {"Give a role", "Change", "Delete", "Report", "Own roles"} & set(labels), labels
    assert not any(label.startswith("New") for label in labels), labels


def role_by_address(stage):
    """A role by an address is an invitation, one for a person who is known is given at once, with its hours."""
    page = verify(stage, "grace")
    stage.sign_in("grace")
    page.click("To the console")
    page.shows("Hello, Grace Manager")
    page.go(f"/objects/{stage.things['unit3']}")
    page.click("Give a role")
    page.fill("email", "nobody knows")
    page.press("Enter")
    page.shows("or type an address")
    page.fill("email", "quinn@example.com")
    page.press("Enter")
    page.shows("The invitation is on its way.")
    page.shows("quinn@example.com")
    page.settled()
    page.click("Give a role")
    page.fill("email", "Grace")
    page.until("document.querySelector('dialog [role=combobox]').getAttribute('aria-expanded') === 'true'")
    page.press("Enter")
    page.click("Only at certain hours")
    page.evaluate("""(() => { const box = document.querySelector("dialog"); box.querySelector("[name=from_hour]").value = "08:00";
        box.querySelector("[name=until_hour]").value = "12:00"; box.querySelector("[name=monday]").click(); })()""")
    page.evaluate("document.querySelector('dialog button[type=submit]').click()")
    page.shows("The role is given.")
    page.settled()
    page.shows("Monday 08:00–12:00")


def shown_first(stage):
    """Grace has a flat shown first, here and in her applications, and takes that back."""
    def chosen():
        return stage.as_("grace", "auth", "GET", "users/me").get("defaultUnitId") == stage.things["unit3"]
    # Without a choice of hers, that of which she is a tenant is first.
    stage.as_("grace", "auth", "PUT", "users/me/defaults", {"unitId": stage.things["unit1"]})
    page = stage.enter("grace", path=f"/objects/{stage.things['unit3']}")
    page.until("document.querySelector('button[aria-pressed=false]')?.textContent === 'Show first'")
    page.click("Show first")
    page.until("document.querySelector('button[aria-pressed=true]')?.textContent === 'Show first'")
    assert chosen(), "it is chosen in the browser alone"
    page.go("/")
    page.shows("Shown first:")
    page.click("Flat 3")
    page.until("document.querySelector('button[aria-pressed=true]')?.textContent === 'Show first'")
    page.click("Show first")
    page.until("document.querySelector('button[aria-pressed=false]')?.textContent === 'Show first'")
    assert not chosen(), "it is chosen still"


def suspended(stage):
    """A suspension with its reason, who it was, and its end; the person may do nothing in between."""
    stage.sign_up("sue", "Sue Suspended")
    page = stage.enter("olivia", path=f"/people/{stage.accounts['sue']['id']}")
    page.click("Suspend")
    page.fill("reason", "under investigation")
    page.press("Enter")
    page.shows("End the suspension")
    page.go("/under-way")
    page.shows("under investigation")
    page.shows("Olivia Operator")
    page.click("End the suspension")
    page.shows("Nobody is suspended.")


def plan(stage):
    """An operator gives a trial, which the person sees; then the report can be read for which it pays."""
    page = stage.enter("olivia", path=f"/people/{stage.accounts['gus']['id']}")
    page.click("Set the plan")
    page.until("Boolean(document.querySelector('dialog [name=tier]'))")
    page.evaluate("document.querySelector('dialog [name=tier]').value = 'pro'; document.querySelector('dialog [name=trial]').click()")
    page.evaluate("document.querySelector('dialog [name=paid_until]').value = '2099-01-01T12:00'")
    page.evaluate("document.querySelector('dialog button[type=submit]').click()")
    page.shows("Saved.")
    page.shows("Trial")
    guest = stage.enter("gus", path="/plan")
    guest.shows("Pro")
    guest.fill("code", "NOTHING")
    guest.press("Enter")
    guest.shows("There is no such trial or coupon.")


def report(stage):
    """The report says what it needs, then has a whole seal and who had access, and is saved as a file."""
    page = stage.enter("ada", path=f"/objects/{stage.things['portfolio']}")
    page.click("Report")
    page.click("Show the report")
    page.shows("The plan lacks a feature for this.")
    stage.sign_in("olivia")
    stage.as_("olivia", "entitlement", "PUT", "subscriptions", {"subscription": {
        "subject": {"kind": "user", "id": stage.accounts["ada"]["id"]}, "tier": "free",
        "overrides": [{"feature": {"key": "compliancePack", "enabled": True}, "reason": "tried"}]}})
    page.click("Show the report")
    page.shows("Complete and unchanged")
    page.shows("Grace Manager")
    page.shows("Refusal")
    folder = stage.data / "downloads"
    page.browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), browserContextId=page.context)
    page.click("Download as CSV")
    saved = _wait(lambda: list(folder.glob("*.csv")) if folder.exists() else [])
    text = saved[0].read_text()
    assert text.startswith("kind,") and "\nseal," in text, text[:200]


def _wait(look, seconds=10):
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)
    return found


def own_role(stage):
    """An organization makes a variant of a role, which can be given, and cannot go while somebody has it."""
    stage.sign_in("olivia")
    stage.as_("olivia", "entitlement", "PUT", "subscriptions", {"subscription": {
        "subject": {"kind": "organization", "id": stage.things["organization"]}, "tier": "pro"}})
    page = stage.enter("rita", path=f"/objects/{stage.things['organization']}/roles")
    page.click("New role")
    page.fill("name", "night_groom")
    page.evaluate("""(() => { const base = document.querySelector("dialog [name=base_role]"); base.value = "groom";
        base.dispatchEvent(new Event("change")); document.querySelector("dialog [name='horse.view']").click(); })()""")
    page.evaluate("document.querySelector('dialog button[type=submit]').click()")
    page.shows("night_groom")
    page.go(f"/objects/{stage.things['horse']}")
    page.click("Give a role")
    page.until("[...document.querySelector('dialog [name=role]').options].some((one) => one.value === 'night_groom')")
    page.press("Escape")
    page.go(f"/objects/{stage.things['organization']}/roles")
    page.until("Boolean(document.querySelector('[aria-label=\"Delete night_groom\"]'))")
    page.evaluate("document.querySelector('[aria-label=\"Delete night_groom\"]').click()")
    page.until("Boolean(document.querySelector('dialog button.danger'))")
    page.evaluate("document.querySelector('dialog button.danger').click()")
    page.shows("No roles of your own yet")
    # How much of the plan is used: one horse, one person.
    page.go(f"/plan?of={stage.things['organization']}")
    page.until("[...document.querySelectorAll('td')].filter((one) => /^Up to \\d+ · 1 in use$/.test(one.innerText)).length >= 2")


def family(stage):
    """A parent approves by the PIN, pairs a device by a code, and sees the points that are left."""
    page = stage.enter("fay", path=f"/objects/{stage.things['family']}")
    page.shows("minutes for Television")
    page.click("Approve")
    page.shows("This needs a recent proof")
    page.fill("pin", "000000")
    page.press("Enter")
    page.shows("The PIN is wrong.")
    page.until("!document.querySelector('dialog button[type=submit]').disabled")
    page.fill("pin", PIN)
    page.press("Enter")
    page.shows("Nobody waits for an answer.")
    page.shows("Reward runs: Television")
    page.click("Pair a device")
    page.click("Show a code")
    page.until("/^[A-Z0-9]{4} [A-Z0-9]{4}$/.test(document.querySelector('.big-code code')?.textContent ?? '')")
    page.picture(stage.pictures / "fay-code.png", whole=False)
    page.click("Close")
    page.click("Kim")
    _title(page, "Kim")
    page.shows("1,500")
    page.click("New rule")
    page.fill("app", "Chess")
    page.fill("points_per_minute", "5")
    page.fill("points_per_reward_minute", "10")
    page.press("Enter")
    page.shows("This needs a recent proof")
    page.fill("pin", PIN)
    page.press("Enter")
    page.shows("Chess")


def child_account(stage):
    """A parent sees where a child is signed in and signs it out; exports its account, deletes it and keeps it, and hands
    it over, after which the family has nothing to manage."""
    stage.sign_up("flo", "Flo Family")
    family_ = stage.entity("flo", "family", "The Flos")
    child = stage.entity("flo", "child", "Max", family_)
    page = stage.enter("flo", path=f"/objects/{child}")
    page.shows("There is no account that you manage.")
    stage.as_("flo", "auth", "POST", f"auth/children/{child}/sessions", {"deviceId": "max-ipad", "device": {"name": "Max's iPad"}})
    page.reload()
    page.shows("Max's iPad")
    page.settled()
    assert "usr_" not in page.text(), "the child's own account has no name: " + page.text()
    page.until("""[...document.querySelectorAll("tbody tr")].some((row) => row.innerText.startsWith("Max") && row.innerText.includes("Child")
        && row.querySelector("[aria-label='Remove Max']"))""")
    looked_at(stage, page, "flo-child-account")
    page.evaluate("""(() => { const plain = URL.createObjectURL; let text;
        URL.createObjectURL = (blob) => { text = blob.text(); return plain(blob); };
        HTMLAnchorElement.prototype.click = async function () { window.saved = this.download + await text; }; })()""")
    page.click("Export the account")
    exported = page.until("window.saved")
    assert exported.startswith(f"gatehouse-{child}-") and "Max's iPad" in exported, exported[:300]
    page.settled()
    page.evaluate("""document.querySelector('[aria-label="Sign out Max\\'s iPad"]').click()""")
    page.until("Boolean(document.querySelector('dialog[open] button.danger'))")
    page.evaluate("document.querySelector('dialog[open] button.danger').click()")
    page.shows("It is signed in nowhere.")
    page.click("Delete the account")
    page.fill("typed", "Maximilian")
    page.press("Enter")
    page.shows("That is not the same.")
    page.until("!document.querySelector('dialog button[type=submit]').disabled")
    page.fill("typed", "Max")
    page.press("Enter")
    page.shows("Can still be cancelled")
    assert "Hand over" not in page.text(), "an account that is being deleted is offered to be handed over"
    page.click("Keep the account")
    page.until("!document.body.innerText.includes('Can still be cancelled')")
    page.click("Hand over")
    page.fill("email", "max@example.com")
    page.press("Enter")
    page.shows("Its link works for a day.")
    grown = stage.nobody()
    grown.open(stage.link("max@example.com", "take-over"))
    grown.fill("password", PASSWORD)
    grown.press("Enter")
    grown.shows("The account is yours.")
    page.reload()
    page.shows("There is no account that you manage.")


def child_account_not_offered(stage):
    """A parent who is no organizer sees the account, and is not offered what organizers alone may do."""
    stage.sign_up("pat", "Pat Parent")
    family_ = stage.entity("flo", "family", "The Others")
    child = stage.entity("flo", "child", "Mia", family_)
    stage.as_("flo", "auth", "PUT", "users/me/pin", {"pin": PIN})
    stage.proven("flo", "family.manage_members", "tenancy", "POST", "roles", {
        "role": {"entityId": family_, "role": "parent", "userId": stage.accounts["pat"]["id"]}})
    stage.as_("flo", "auth", "POST", f"auth/children/{child}/sessions", {"deviceId": "mia-ipad", "device": {"name": "Mia's iPad"}})
    page = stage.enter("pat", path=f"/objects/{child}")
    page.shows("Mia's iPad")
    page.settled()
    for hidden in ("Export the account", "Hand over", "Delete the account"):
        assert hidden not in page.text(), f"{hidden} is offered to a parent who is no organizer"


def passes(stage):
    """A manager lets a guest into a flat with its common areas, gives another time, and ends it; an invitation is sent again."""
    page = stage.enter("grace", path=f"/objects/{stage.things['unit2']}")
    page.shows("No guest passes.")
    page.click("Let a guest in")
    page.fill("email", "visitor@example.com")
    page.evaluate("document.querySelector('dialog [name=includes_common_areas]').click()")
    page.press("Enter")
    page.until("document.querySelector('.timeline')?.innerText.includes('visitor@example.com')")
    page.settled()
    looked_at(stage, page, "grace-passes")
    [made] = stage.as_("grace", "tenancy", "GET", f"guest-passes?unitId={stage.things['unit2']}")["passes"]
    assert made["includesCommonAreas"] and made["entityType"] == "unit", made
    page.evaluate("document.querySelector('[aria-label=\"Change visitor@example.com\"]').click()")
    page.until("Boolean(document.querySelector('dialog [name=valid_until]'))")
    page.evaluate("""(() => { const box = document.querySelector("dialog [name=valid_until]");
        box.value = new Date(Date.parse(box.value + "Z") + 3600e3).toISOString().slice(0, 16); })()""")
    page.press("Enter")
    page.shows("Saved.")
    [later] = stage.as_("grace", "tenancy", "GET", f"guest-passes?unitId={stage.things['unit2']}")["passes"]
    assert later["validUntil"] > made["validUntil"], (made, later)
    page.evaluate("document.querySelector('[aria-label=\"End the pass visitor@example.com\"]').click()")
    page.until("Boolean(document.querySelector('dialog[open] button.danger'))")
    page.evaluate("document.querySelector('dialog[open] button.danger').click()")
    page.shows("No guest passes.")


def resent(stage):
    """An invitation that waits is sent once more."""
    stage.sign_up("rolf", "Rolf Resender")
    verify(stage, "rolf")
    stage.sign_in("rolf")
    home = stage.entity("rolf", "organization", "Riders of the Saale")
    stage.as_("rolf", "tenancy", "POST", "invitations", {"entityId": home, "role": "administrator", "email": "rosa@example.com"})
    first = stage.link("rosa@example.com", "accept-invitation")
    page = stage.enter("rolf", path=f"/objects/{home}")
    page.shows("rosa@example.com")
    began = time.time()
    page.evaluate("document.querySelector('[aria-label=\"Send again rosa@example.com\"]').click()")
    page.shows("The mail is on its way.")
    assert stage.link("rosa@example.com", "accept-invitation", after=began) != first, "the mail is the one before"


def two_operators(stage):
    """A change of an account that one operator asks for, and that is withdrawn."""
    stage.sign_up("carl", "Carl Changed")
    page = stage.enter("olivia", path=f"/people/{stage.accounts['carl']['id']}")
    page.click("Ask for a change")
    page.fill("new_email", "carl.new@example.com")
    page.fill("reason", "lost the mailbox")
    page.press("Enter")
    page.shows("carl.new@example.com")
    page.go("/under-way")
    page.shows("lost the mailbox")
    page.click("Withdraw")
    page.shows("Withdrawn")


def followed_deletion(stage):
    """Deleting a place with a plan leads to how far the deletion is."""
    stage.sign_up("dean", "Dean Deleter")
    family_ = stage.entity("dean", "family", "Short-lived")
    page = stage.enter("dean", path=f"/objects/{family_}")
    page.click("Delete")
    page.shows("Roles that end")
    page.evaluate("document.querySelector('dialog button.danger').click()")
    page.shows("Plans and points ended")
    page.shows("Finished", 20)
