"""People of a run: they sign up, and sign in again before their access token runs out."""

import random
import threading
import time

PASSWORD = "a long pass phrase for everybody"
# Tokens last for fifteen minutes at most, and what takes a recent sign-in for five.
TOKEN_SECONDS = 240


class Person:
    def __init__(self, installation, name):
        self.installation, self.email = installation, f"{name}@example.com"
        self._random, self._lock = random.Random(name), threading.Lock()
        answer = self._enter("auth/signup", {"email": self.email, "password": PASSWORD, "displayName": name,
                                             "idempotencyKey": f"sign-up-{name}"})
        self.id = answer["user"]["id"]

    def __repr__(self):
        return self.email

    @property
    def token(self):
        with self._lock:
            if time.monotonic() - self._since > TOKEN_SECONDS:
                self._enter("auth/login", {"email": self.email, "password": PASSWORD})
            return self._token

    def renew(self):
        """Signs in anew, for what takes a recent sign-in, or a right that was given since."""
        with self._lock:
            self._since = 0

    def shows(self):
        """The access token, as calls take it that are repeated."""
        return self.token

    def call(self, service, method, path, body=None, program=None, request=None):
        answer = self.installation.call(self._random, service, method, path, body, self.shows, program, request)
        if answer.refusal:
            raise answer.refusal
        return answer.data

    def _enter(self, path, body):
        answer = self.installation.call(self._random, "auth", "POST", path, body)
        if answer.refusal:
            raise answer.refusal
        self._token, self._since = answer.data["tokens"]["accessToken"], time.monotonic()
        return answer.data
