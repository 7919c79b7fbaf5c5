"""People, who sign up and in through a gateway."""

from . import waiting
from .client import Client

PASSWORD = "a long pass phrase for everybody"


class People:
    """Accounts that are made and used through `envoy`."""

    def __init__(self):
        self._accounts = 0

    def nobody(self, gateway):
        return Client(self.certificate, gateway.port)

    def sign_up(self, name):
        """A new account: its identifier, and its client of the first Envoy."""
        self._accounts += 1
        email = f"{name}.{self._accounts}@example.com"
        request = {"email": email, "password": PASSWORD, "displayName": name}
        return self._enter("/api/v1/auth/signup", request, 201)

    def sign_in(self, who):
        _, client = self._enter("/api/v1/auth/login", {"email": who.email, "password": PASSWORD}, 200)
        return client

    def _enter(self, path, request, status):
        answer = self.nobody(self.envoy).post(path, request)
        waiting.require(answer.status == status, f"{path}: {answer}")
        data = answer.json["data"]
        return data["user"]["id"], Client(
            self.certificate, self.envoy.port, data["tokens"]["accessToken"], request["email"])

    def at(self, gateway, who):
        """The same person in front of another gateway."""
        return self.nobody(gateway).showing(who.token)
