"""Calls by REST on a connection that is kept, for what is measured one call at a time."""

import http.client
import json


class Rest:
    """A connection to a program, as a user or as nobody."""

    def __init__(self, suite, name, token=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", suite.ports[name], timeout=60)
        self.token = token

    def ask(self, method, path, body=None, token=None):
        """The status and the answer; `token` is for this call alone."""
        token = token or self.token
        fields = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
        self.connection.request(method, f"/api/v1/{path}", None if body is None else json.dumps(body), fields)
        response = self.connection.getresponse()
        return response.status, json.loads(response.read() or "{}")

    def call(self, method, path, body=None, token=None):
        """The data of an answer, which must be one of success."""
        status, answer = self.ask(method, path, body, token)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {answer}")
        return answer.get("data")
