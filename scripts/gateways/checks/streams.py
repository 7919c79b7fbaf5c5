"""Server-sent events through Envoy and nginx."""

from ..waiting import equal


class _Events:
    """The events of one watch, read as they come."""

    def __init__(self, client, last_id=None):
        self._connection = client.connect()
        headers = {"accept": "text/event-stream", "authorization": f"Bearer {client.token}"}
        if last_id:
            headers["last-event-id"] = last_id
        self._connection.request("GET", "/api/v1/watch", headers=headers)
        self.response = self._connection.getresponse()
        self.last_id = None

    def next(self):
        """The type of the next event that says something."""
        kind = None
        while True:
            line = self.response.readline().decode().rstrip("\n")
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            elif name == "id":
                self.last_id = value
            elif not line and kind not in (None, "heartbeat", "plan", "resync"):
                return kind

    def close(self):
        self._connection.close()


def _live_changes(stage, gateway, name):
    _, client = stage.sign_up(name)
    client = stage.at(gateway, client)
    events = _Events(client)
    try:
        equal("the status", events.response.status, 200)
        equal("the type", events.response.getheader("content-type"), "text/event-stream")
        equal("the first event", events.next(), "current")
        for number in range(2):
            put = client.post("/api/v1/documents", {"put": {
                "collection": "notes", "documentId": f"n{number}", "json": "{}"}})
            equal("a document", put.status, 200)
            # While the stream is open: nothing waits for more of it.
            equal("the next event", events.next(), "document")
        last = events.last_id
    finally:
        events.close()
    client.post("/api/v1/documents", {"put": {"collection": "notes", "documentId": "n2", "json": "{}"}})
    again = _Events(client, last)
    try:
        equal("the events after the last one", [again.next(), again.next()], ["document", "current"])
    finally:
        again.close()


def events_through_envoy(stage):
    """live changes pass Envoy as they happen, and continue after the last one"""
    _live_changes(stage, stage.envoy, "ella")


def events_through_nginx(stage):
    """live changes pass nginx in the same way"""
    _live_changes(stage, stage.nginx, "noel")
