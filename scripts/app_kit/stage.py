"""What the checks of the app kit share: real services behind relays, and apps that call them."""

import contextlib
import itertools
import re
import tempfile
import time
import urllib.request
import pathlib

from endurance.programs import Fleet
from endurance.relay import Relay

from .driver import Driver

# Those of scripts/up, which the sample apps know.
PORTS = {"auth": 7401, "tenancy": 7402, "entitlement": 7403}
# The shortest life of a token that there is, so that checks need not wait long for its end.
TOKEN_SECONDS = 10


class Stage:
    """The three services, each behind a relay that delays, cuts and swallows."""

    def __init__(self, programs, apps, driver):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)
        self.apps, self.driver_program = apps, driver
        self._numbers = itertools.count(1)
        self._drivers = []
        extra = {"auth": {"access_token_seconds": TOKEN_SECONDS, "events": True},
                 "tenancy": {"events": True}, "entitlement": {"events": True}}
        self.fleet = Fleet(programs, self.folder, 1, lambda one: {"database": str(self.folder / f"{one.name}.db")},
                           extra, first_port=21_400)
        self.relays = {}

    def start(self):
        for service, port in PORTS.items():
            self.relays[service] = Relay({"app": {port: self.fleet.by_service[service][0].port}})
        self.fleet.start()

    def stop(self):
        for one in [*self._drivers, self.fleet]:
            one.close() if one is self.fleet else one.kill()
        for relay in self.relays.values():
            relay.close()
        self._folder.cleanup()

    # The way to the services

    def change(self, mode, *services):
        """How the relays of some services, or of all, pass what is said."""
        for service in services or PORTS:
            self.relays[service].change("app", mode)

    @contextlib.contextmanager
    def during(self, mode, *services):
        self.change(mode, *services)
        try:
            yield
        finally:
            self.change("pass", *services)

    def restart(self):
        """All services are killed and start again."""
        for one in self.fleet.all:
            one.kill()
        for one in self.fleet.all:
            one.start()
        for one in self.fleet.all:
            one.wait()

    # Apps

    def new_folder(self):
        return self.folder / f"app-{next(self._numbers)}"

    def app(self, folder=None):
        """An app on a device of its own, or once more on one."""
        driver = Driver(self.driver_program, folder or self.new_folder(),
                        [f"http://127.0.0.1:{port}" for port in PORTS.values()])
        self._drivers.append(driver)
        return driver

    def person(self):
        """An app in which a new person has signed in, with its folder."""
        folder = self.new_folder()
        app = self.app(folder)
        name = f"person{folder.name.split('-')[1]}"
        said(app(f"sign-up {name}"), "ok signedIn usr_")
        return app, folder, name

    # What the services saw

    def refreshes(self):
        """How many refresh tokens the real AuthService was shown, by outcome."""
        address = f"http://127.0.0.1:{self.fleet.by_service['auth'][0].admin}/metrics"
        with urllib.request.urlopen(address, timeout=5) as answer:
            text = answer.read().decode()
        found = re.findall(r'^gatehouse_auth_refreshes_total\{outcome="(\w+)"\} (\d+)', text, re.M)
        return {outcome: int(count) for outcome, count in found}

    def refresh_count(self):
        return sum(self.refreshes().values())


def said(answer, start):
    """The answer of an app, which begins as expected."""
    assert answer.startswith(start), f"{answer!r} in place of {start!r}"
    return answer


def until(what, probe, seconds=30):
    deadline = time.monotonic() + seconds
    while not (found := probe()):
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.05)
    return found


def token_ends():
    """Until each token that is held now has ended."""
    time.sleep(TOKEN_SECONDS + 0.5)


def left(folder):
    """The files of a person that an app has on its device; its own identifier may stay."""
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*")
                  if file.is_file() and file.name not in ("device", ".lock"))
