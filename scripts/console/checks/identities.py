"""Accounts of other providers: one that answers as Google documents it, without being Google."""

import base64
import json
import subprocess
import time
import urllib.parse

from ..people import PASSWORD, call
from ..stage import HOME
from .pages import looked_at
from .session import ahead

CLIENT = "console.apps.example.com"
SIGN_IN = "https://accounts.google.com/o/oauth2/v2/auth"
GOOGLE = "https://accounts.google.com"
WORK = "https://login.work.example"


def _packed(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Provider:
    """A key by which ID tokens are signed, as AuthService finds it in a file."""

    def __init__(self, folder):
        self.key = folder / "provider.key"
        subprocess.run(["openssl", "genrsa", "-out", self.key, "2048"], check=True, stderr=subprocess.DEVNULL)
        modulus = subprocess.run(["openssl", "rsa", "-in", self.key, "-noout", "-modulus"], check=True,
                                 capture_output=True, text=True).stdout.strip().split("=")[1]
        self.set = folder / "provider.json"
        self.set.write_text(json.dumps({"keys": [{
            "kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig", "e": "AQAB", "n": _packed(bytes.fromhex(modulus))}]}))

    def token(self, subject, nonce, email, issuer=GOOGLE):
        claims = {"iss": issuer, "aud": CLIENT, "sub": subject, "email": email, "nonce": nonce,
                  "iat": int(time.time()), "exp": int(time.time()) + 3600}
        text = ".".join(_packed(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "1"}, claims))
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.key], input=text.encode(), check=True,
                                   capture_output=True).stdout
        return f"{text}.{_packed(signature)}"

    def answer(self, subject, email, issuer=GOOGLE):
        """What it leads a browser back with, as the request wants it."""
        def back(url):
            wanted = {key: value for key, [value] in urllib.parse.parse_qs(url.split("?")[1]).items()}
            assert wanted["client_id"] == CLIENT and wanted["redirect_uri"] == HOME, wanted
            assert wanted["response_type"] == "id_token" and wanted["response_mode"] == "fragment", wanted
            said = {"error": "access_denied"} if subject is None else {"id_token": self.token(subject, wanted["nonce"], email, issuer)}
            return f"{HOME}#{urllib.parse.urlencode({'state': wanted['state']} | said)}"
        return back


def _provider(stage):
    """The provider, which the first check that needs it puts into the settings of AuthService."""
    if stage.provider is None:
        stage.provider = Provider(stage.data)
        with stage.away("auth"):
            file = stage.data / "auth.json"
            common = {"client_ids": ["an.app.example", CLIENT], "keys": {"file": str(stage.provider.set)}}
            file.write_text(json.dumps(json.loads(file.read_text()) | {"identity_providers": {
                "apple": {"client_ids": ["an.app.example"]},
                "google": common | {"browser": {"client_id": CLIENT}},
                "work": common | {"issuers": [WORK], "browser": {"client_id": CLIENT, "authorization_url": f"{WORK}/ask?tenant=1"}},
            }}))
    return stage.provider


def linked(stage):
    """An identity is linked by way of its provider, and taken off; what a provider has said is kept nowhere."""
    provider = _provider(stage)
    stage.sign_up("ida", "Ida Identity")
    page = stage.enter("ida", path="/account/sessions")
    page.shows("No account of another provider is linked.")
    page.shows("Link Google")
    assert "Link Apple" not in page.text(), "a provider is offered that is not set up"
    page.redirect(SIGN_IN, provider.answer(None, ""))
    page.click("Link Google")
    page.shows("Google has not said who you are.")
    page.settled()
    page.redirect(SIGN_IN, provider.answer("117", "ida@mail.example"))
    page.click("Link Google")
    page.shows("Google is linked.")
    page.shows("ida@mail.example")
    page.settled()
    assert page.evaluate("location.hash") == "#/account/sessions", "the token stays in the address"
    assert "phone" not in page.text(), "sessions that have ended are shown"
    assert not page.evaluate("Object.keys(sessionStorage).length"), "something is kept"
    looked_at(stage, page, "ida-identities")
    page.click("Unlink")
    page.until("Boolean(document.querySelector('dialog[open] button.danger'))")
    page.evaluate("document.querySelector('dialog[open] button.danger').click()")
    page.shows("No account of another provider is linked.")


def signed_in(stage):
    """A new person signs in by a provider, to the page that they wanted; one whose address has an account is sent there first."""
    provider = _provider(stage)
    page = stage.nobody()
    page.open(f"{HOME}#/account/sessions")
    page.shows("Continue with Google")
    assert "Continue with Apple" not in page.text(), "a provider is offered that is for apps alone"
    looked_at(stage, page, "nobody-providers")
    page.redirect(SIGN_IN, provider.answer(None, ""))
    page.click("Continue with Google")
    page.shows("Google has not said who you are.")
    page.redirect(SIGN_IN, provider.answer("300", "nora@mail.example"))
    page.click("Continue with Google")
    page.until("Boolean(document.querySelector('.shell'))")
    page.shows("nora@mail.example")
    page.settled()
    assert page.evaluate("location.hash") == "#/account/sessions", page.evaluate("location.href")
    assert not page.evaluate("Object.keys(sessionStorage).length"), "something is kept"
    page.click("Sign out")
    page.shows("Continue with Work")
    page.redirect(WORK, provider.answer("w-1", "wim@work.example", WORK))
    page.click("Continue with Work")
    page.shows("wim@work.example")
    page.settled()
    page.click("Sign out")
    stage.sign_up("iris", "Iris Identity")
    page.shows("Continue with Google")
    page.redirect(SIGN_IN, provider.answer("301", "iris@example.com"))
    page.click("Continue with Google")
    page.shows("then link the identity")


def proven_first(stage):
    """A proof that is about to end is renewed before the way to the provider, as a password begins another session."""
    provider = _provider(stage)
    stage.sign_up("ivo", "Ivo Identity")
    page = stage.enter("ivo", path="/account/sessions")
    page.shows("Link Google")
    page.redirect(SIGN_IN, provider.answer("118", "ivo@mail.example"))
    ahead(page, 250)
    page.go("/account")
    page.go("/account/sessions")
    page.click("Link Google")
    page.shows("Is it you?")
    page.fill("password", PASSWORD)
    page.press("Enter")
    page.shows("Google is linked.")
    page.shows("ivo@mail.example")


def only_way(stage):
    """The only way to sign in to an account is not offered to be taken off."""
    provider = _provider(stage)
    started = call("auth", "POST", "auth/providers/google/start", {})
    begun = call("auth", "POST", "auth/providers/google/login", {
        "identityToken": provider.token("119", started["nonce"], "ono@mail.example"), "rawNonce": started["rawNonce"]})
    page = stage.nobody()
    page.open(HOME)
    page.shows("Forgotten your password?")
    page.evaluate(f"""fetch("/console/session", {{method: "POST", headers: {{"content-type": "application/json",
        "x-gatehouse-console": "1"}}, body: {json.dumps(json.dumps({"refreshToken": begun["tokens"]["refreshToken"]}))}}})""")
    page.open("about:blank")
    page.open(f"{HOME}#/account/sessions")
    page.shows("The only way to sign in to your account")
    page.settled()
    assert "Unlink" not in page.text(), "the last way is offered to be taken off"


def stranger(stage):
    """An answer that this browser has not asked for links nothing, and signs nobody in."""
    stage.sign_up("sid", "Sid Stranger")
    page = stage.enter("sid", path="/account/sessions")
    page.open("about:blank")
    page.open(f"{HOME}#state=made-up&id_token=made.up.token")
    page.until("Boolean(document.querySelector('.shell'))")
    page.settled()
    assert page.evaluate("location.hash") == "#/", "the token stays in the address"
    unknown = stage.nobody()
    unknown.open(f"{HOME}#state=made-up&id_token=made.up.token")
    unknown.shows("Forgotten your password?")
    unknown.settled()
    assert not [url for method, url in unknown.requests if method == "POST" and "/providers/" in url], "it was sent"
    assert not [url for method, url in page.requests if method == "POST" and url.endswith("/me/identities")], "it was sent"
