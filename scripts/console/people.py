"""People of a made-up building, who sign up and do things by REST, so that pages have something to show."""

import datetime
import json
import pathlib
import subprocess
import urllib.error
import urllib.request

PASSWORD = "a long pass phrase for everybody"
PORTS = {"auth": 7401, "tenancy": 7402, "entitlement": 7403}
PIN = "739146"
# A name that would do something if a page took it for more than text.
EVIL = "<img src=x onerror=pwned=1>"


class Refused(Exception):
    """An answer that is no success: its status, then its body."""


def call(service, method, path, body=None, token=None):
    """The `data` of an answer."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{PORTS[service]}/api/v1/{path}", method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {}))
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        raise Refused(error.code, error.read().decode()) from None


def instant(**ahead):
    """An instant from now, as the contracts write it."""
    return (datetime.datetime.now(datetime.UTC) + datetime.timedelta(**ahead)).strftime("%Y-%m-%dT%H:%M:%SZ")


class People:
    """Accounts by short names: `email`, `id`, `token`."""

    def __init__(self, programs, data):
        self.programs = pathlib.Path(programs)
        self.data = pathlib.Path(data)
        self.accounts = {}
        self.things = {}

    def sign_up(self, who, name):
        email = f"{who}@example.com"
        answer = call("auth", "POST", "auth/signup", {
            "email": email, "password": PASSWORD, "displayName": name,
            "device": {"name": f"{name}'s phone", "model": "iPhone17,2", "application": "Home 4.1"}})
        self.accounts[who] = {"email": email, "id": answer["user"]["id"], "token": answer["tokens"]["accessToken"]}
        return self.accounts[who]

    def sign_in(self, who):
        answer = call("auth", "POST", "auth/login", {"email": self.accounts[who]["email"], "password": PASSWORD})
        self.accounts[who]["token"] = answer["tokens"]["accessToken"]

    def as_(self, who, service, method, path, body=None):
        return call(service, method, path, body, self.accounts[who]["token"])

    def settle(self):
        """Everybody moves in."""
        for who, name in [("olivia", "Olivia Operator"), ("ada", "Ada Owner"), ("grace", "Grace Manager"),
                          ("tom", "Tom Tenant"), ("gus", "Gus Guest"), ("nora", "Nora Newcomer"), ("eve", EVIL),
                          ("fay", "Fay Family"), ("rita", "Rita Rider")]:
            self.sign_up(who, name)
        subprocess.run(
            [self.programs / "auth-service", "grant-super-admin", self.accounts["olivia"]["id"], "--config",
             self.data / "auth.json"], check=True, stdout=subprocess.DEVNULL)
        self._furnish()
        self._raise_family()
        self._open_stable()

    def entity(self, who, kind, name, parent="", **attributes):
        """The identifier of a new object."""
        return self.as_(who, "tenancy", "POST", "entities", {
            "entity": {"type": kind, "parentId": parent, "name": name, "attributes": attributes}})["id"]

    def proven(self, who, action, service, method, path, body):
        """A call with the PIN that somebody has, for an action that needs it."""
        token = self.as_(who, "auth", "POST", "auth/step-up/pin", {"pin": PIN, "purpose": action})["token"]["token"]
        return call(service, method, path, body, token)

    def _raise_family(self):
        """A family with two children, of whom one has points, and waits for an answer."""
        things = self.things
        things["family"] = self.entity("fay", "family", "The Fays")
        things["kim"] = self.entity("fay", "child", "Kim", things["family"], birth_year=2016)
        things["lou"] = self.entity("fay", "child", "Lou", things["family"])
        self.as_("fay", "auth", "PUT", "users/me/pin", {"pin": PIN})
        rules = f"points/{things['kim']}/rules"
        self.proven("fay", "points.set_rules", "entitlement", "PUT", rules, {"rule": {
            "app": "Reading", "pointsPerMinute": 1000, "pointsPerRewardMinute": 100, "requiresApproval": True}})
        self.as_("fay", "entitlement", "POST", f"points/{things['kim']}/earn", {"app": "Reading", "minutes": 2})
        self.proven("fay", "points.redeem", "entitlement", "POST", f"points/{things['kim']}/redeem", {
            "parts": [{"app": "Reading", "points": 500}], "reward": "Television", "ask": True})

    def _open_stable(self):
        """An organization of riders, with a stable and a horse."""
        things = self.things
        things["organization"] = self.entity("rita", "organization", "Riders of the Elbe")
        things["stable"] = self.entity("rita", "stable", "Elbe Stables", things["organization"], city="Hamburg")
        things["horse"] = self.entity("rita", "horse", "Fury", things["stable"], breed="Hanoverian", age=9)

    def _furnish(self):
        ids, things = {who: account["id"] for who, account in self.accounts.items()}, self.things
        portfolio = things["portfolio"] = self.as_("ada", "tenancy", "POST", "portfolios", {"name": "Harbour Homes"})["id"]
        house = things["property"] = self.as_("ada", "tenancy", "POST", f"portfolios/{portfolio}/properties", {
            "name": "Pier 4", "address": {"street": "Pier 4", "city": "Hamburg"}})["id"]
        self.as_("ada", "tenancy", "POST", f"portfolios/{portfolio}/properties", {"name": "Elbe Court"})
        self.as_("ada", "tenancy", "POST", f"properties/{house}/managers", {"userId": ids["grace"]})
        for number in (1, 2, 3):
            things[f"unit{number}"] = self.as_(
                "grace", "tenancy", "POST", f"properties/{house}/units", {"name": f"Flat {number}"})["id"]
        unit = things["unit1"]
        for key, name, kind, attributes in [
                ("door", "Front door", "lock", {"auto_lock_seconds": 30}), ("heat", "Living room", "thermostat", {}),
                ("evil", EVIL, "light", {})]:
            things[key] = self.as_("grace", "tenancy", "POST", "devices", {
                "propertyId": house, "unitId": unit, "name": name, "type": kind, "attributes": attributes})["id"]
        self.as_("grace", "tenancy", "POST", f"units/{unit}/tenants", {"userId": ids["tom"]})
        self.as_("grace", "tenancy", "POST", f"units/{things['unit2']}/tenants", {"userId": ids["eve"]})
        self.as_("grace", "tenancy", "POST", f"devices/{things['door']}/lock", {})
        self.as_("tom", "tenancy", "POST", f"devices/{things['door']}/unlock", {})
        for begin, end in [(-1, 6), (20, 26)]:
            self.as_("tom", "tenancy", "POST", "guest-passes", {
                "userId": ids["gus"], "deviceIds": [things["door"]], "validFrom": instant(hours=begin),
                "validUntil": instant(hours=end)})
        self.as_("grace", "tenancy", "POST", "invitations", {
            "entityId": things["unit3"], "role": "tenant", "email": "paula@example.com"})
        try:
            self.as_("tom", "tenancy", "PUT", f"devices/{things['door']}", {"name": "My door"})
        except Refused:
            pass
