"""A client of gateways: one connection with TLS for each request."""

import http.client
import json
import ssl
import urllib.parse

from .waiting import until


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.text = body.decode(errors="replace")

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def reason(self):
        """Why a service refused; None for what others say."""
        try:
            return self.json.get("details", {}).get("reason")
        except (ValueError, AttributeError):
            return None

    def __repr__(self):
        return f"{self.status} {self.text[:200]}"


class Client:
    """Sends requests to one gateway, as a signed-in user, or nobody. `identity` is a certificate and its key."""

    def __init__(self, certificate, port, token=None, email=None, identity=None):
        self.certificate = certificate
        self.email = email
        self.port = port
        self.token = token
        self._context = ssl.create_default_context(cafile=certificate)
        if identity:
            self._context.load_cert_chain(*identity)

    def showing(self, token):
        return Client(self.certificate, self.port, token)

    def send(self, method, path, body=None, **headers):
        """One request; the path goes out as it is, and `x_y` names the header `x-y`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send_exactly(method, path, body, sent)

    def send_exactly(self, method, path, body, headers):
        headers = dict(headers)
        if self.token and "authorization" not in headers:
            headers["authorization"] = f"Bearer {self.token}"
        content = None
        if body is not None:
            content, headers["content-type"] = json.dumps(body).encode(), "application/json"
        connection = self.connect()
        try:
            connection.request(method, path, content, headers)
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        finally:
            connection.close()

    def give_up(self, method, path, is_there):
        """One request whose sender leaves before the answer, as soon as `is_there`."""
        connection = self.connect()
        try:
            connection.request(method, path, headers={"authorization": f"Bearer {self.token}"})
            until("the request is there", is_there)
        finally:
            connection.close()

    def connect(self):
        return http.client.HTTPSConnection("localhost", self.port, timeout=30, context=self._context)

    def get(self, path, **headers):
        return self.send("GET", path, **headers)

    def post(self, path, body, **headers):
        return self.send("POST", path, body, **headers)
