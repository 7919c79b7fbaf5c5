"""The first hour of two strangers, who know nothing but the address that scripts/up has printed."""

import json

from ..people import PASSWORD
from ..stage import HOME


class Steps:
    """A page on which each step is counted: what a person clicks, types into one field, chooses, or opens from a mail."""

    def __init__(self, page):
        self._page, self.count = page, 0

    def __getattr__(self, name):
        return getattr(self._page, name)

    def _step(self, act, *values):
        self.count += 1
        act(*values)

    def click(self, label):
        self._step(self._page.click, label)

    def press(self, key):
        self._step(self._page.press, key)

    def fill(self, name, text):
        self._step(self._page.fill, name, text)

    def open(self, url):
        self._step(self._page.open, url)

    def choose(self, name, value):
        box = f"""[...document.querySelectorAll("select[name='{name}']")].at(-1)"""
        self._page.until(f"[...({box}?.options ?? [])].some((one) => one.value === '{value}')")
        self._step(self._page.evaluate, f"{box}.value = '{value}'; {box}.dispatchEvent(new Event('change'))")

    def search(self, text):
        """Types into the first field that searches, and takes what it finds first."""
        box = "document.querySelector('[role=combobox]')"
        self._page.until(f"Boolean({box})")
        self._page.evaluate(f"{box}.focus(); {box}.select()")
        self._step(lambda: self._page.send("Input.insertText", text=text))
        self._page.until(f"{box}.getAttribute('aria-expanded') === 'true'")
        self.press("Enter")

    def into(self, name):
        """To the page of an object, by its link."""
        self.click(name)
        self._page.until(f"document.querySelector('h1')?.textContent === {json.dumps(name)}")
        self._page.settled()

    def made(self, kind, name):
        """Something new of a kind, by its form."""
        self.click(f"New: {kind}")
        self.fill("name", name)
        self.press("Enter")


def _sign_up(stage, page, email, name):
    page.fill("display_name", name)
    page.fill("email", email)
    page.fill("password", PASSWORD)
    page.press("Enter")
    page.shows(f"Hello, {name}")
    page.open(stage.link(email, "verify-email"))
    page.click("This is my address")
    page.shows("Your address is verified.")


def denied(stage):
    """A landlady makes a flat with a lock and invites a tenant, who opens the door; then she sees why he may not rename it."""
    owner, person = Steps(stage.nobody()), stage.browser.person()
    tenant, tab = Steps(stage.nobody(context=person)), Steps(stage.nobody(context=person))
    owner.open(HOME)
    owner.click("Create an account")
    _sign_up(stage, owner, "lea@example.com", "Lea Landlady")
    owner.click("To the console")
    owner.click("Places")
    owner.made("Portfolio", "Lea's Homes")
    owner.until("document.querySelector('h1').textContent === \"Lea's Homes\"")
    owner.made("Property", "Mill Lane 1")
    owner.into("Mill Lane 1")
    owner.made("Unit", "Ground floor")
    owner.into("Ground floor")
    owner.click("New: Device")
    owner.fill("name", "Garden door")
    owner.choose("kind", "lock")
    owner.click("Create")
    owner.shows("Garden door")
    owner.click("Invite")
    owner.fill("email", "theo.t@example.com")
    owner.press("Enter")
    owner.shows("The invitation is on its way.")

    tenant.open(stage.link("theo.t@example.com", "accept-invitation"))
    # Which leads there in another tab.
    tenant.click("Create an account")
    tab.open(f"{HOME}#/sign-up")
    tab.count = 0
    _sign_up(stage, tab, "theo.t@example.com", "Theo Third")
    tenant.click("I am signed in")
    tenant.click("Accept")
    tenant.shows("You are in.")
    tenant.click("To the console")
    tenant.into("Ground floor")
    assert "The role does not allow this." not in tenant.text(), "a tenant is shown what is not for tenants"
    tenant.into("Garden door")
    tenant.click("Unlock")

    owner.into("Garden door")
    owner.click("Explain access")
    owner.search("Theo Third")
    owner.choose("action", "device.update")
    owner.click("Explain")
    owner.shows("Denied")
    owner.shows("There is a role, but it does not allow this.")
    owner.picture(stage.pictures / "first-hour.png")
    print(f"checks/console: the first hour took {owner.count} steps of the landlady and {tenant.count + tab.count} of the tenant", flush=True)
