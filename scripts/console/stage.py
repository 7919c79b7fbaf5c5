"""What all checks of the console share: started services, people, and browsers."""

import contextlib
import email
import email.policy
import os
import pathlib
import re
import select
import signal
import subprocess
import time

from .chromium import Browser
from .people import PASSWORD, People, Refused

HOME = "http://localhost:7401/console/"


def _end(number):
    """Kills a process that is no child, and waits until it holds nothing any longer."""
    process = os.pidfd_open(number)
    try:
        os.kill(number, signal.SIGKILL)
        assert select.select([process], [], [], 10)[0], f"{number} does not end"
    finally:
        os.close(process)


class Stage(People):
    """The services of scripts/up, with the people of `People` in them, and one browser."""

    def __init__(self, root, programs, data, pictures, axe, files=None):
        super().__init__(programs, data)
        self.root, self.pictures = pathlib.Path(root), pathlib.Path(pictures)
        self.axe = pathlib.Path(axe).read_text()
        self.browser, self.files, self.provider = None, files, None

    def start(self):
        subprocess.run([self.root / "scripts/up", "--data", self.data], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"BUILT_PROGRAMS": str(self.programs)})
        self.settle()
        self.browser = Browser(files=self.files)

    def process(self, service):
        """The number of a service's process."""
        return int((self.data / f"{service}.pid").read_text())

    @contextlib.contextmanager
    def frozen(self, service):
        """A service that takes connections and answers nothing."""
        number = self.process(service)
        os.kill(number, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(number, signal.SIGCONT)

    @contextlib.contextmanager
    def away(self, service):
        """A service that is not running, and then runs again."""
        _end(self.process(service))
        try:
            yield
        finally:
            (self.data / f"{service}.pid").unlink()
            subprocess.run([self.root / "scripts/up", "--data", self.data], check=True, stdout=subprocess.DEVNULL,
                           env=os.environ | {"BUILT_PROGRAMS": str(self.programs)})
            self._answering()

    def _answering(self):
        """Until the others have found again what was away."""
        deadline = time.monotonic() + 20
        while True:
            try:
                self.sign_in("olivia")
                self.as_("olivia", "auth", "GET", "operators/users?limit=1")
                self.as_("olivia", "entitlement", "GET", "entitlements")
                return
            except (Refused, OSError):
                assert time.monotonic() < deadline, "the services do not come back"
                time.sleep(0.2)

    def stop(self):
        if self.browser:
            self.browser.close()
        subprocess.run([self.root / "scripts/up", "--stop", "--data", self.data], check=False)

    def nobody(self, width=1280, dark=False, context=None):
        page = self.browser.page(context or self.browser.person())
        page.look(width, dark)
        return page

    def enter(self, who, width=1280, dark=False, path="/"):
        """A page on which somebody has signed in by typing."""
        page = self.nobody(width, dark)
        page.open(f"{HOME}#{path}")
        self.type_password(page, self.accounts[who]["email"])
        page.until("Boolean(document.querySelector('.shell'))")
        page.settled()
        return page

    @staticmethod
    def type_password(page, address, password=PASSWORD):
        page.fill("email", address)
        page.fill("password", password)
        page.press("Enter")

    def link(self, address, path, after=0):
        """The link of a mail to an address, as soon as it is there."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for file in (self.data / "auth.db.mail").glob("*.eml"):
                if file.stat().st_mtime < after:
                    continue
                mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
                found = re.search(rf"http://localhost:7401/console/{path}#\S+", mail.get_body(("plain",)).get_content())
                if found and address in mail["To"]:
                    return found[0]
            time.sleep(0.05)
        raise AssertionError(f"no mail with {path} to {address}")

    def sessions(self, who):
        return self.as_(who, "auth", "GET", "users/me/sessions")["sessions"]
