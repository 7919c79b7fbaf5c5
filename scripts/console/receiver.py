"""A receiver of webhooks on this machine, which verifies what it gets, and fails when it is asked to."""

import base64
import hashlib
import hmac
import http.server
import json
import threading
import time


class Receiver:
    """Answers with `status`; `events` has what it took, `wrong` what was not signed."""

    def __init__(self, path="/hook"):
        self.secret, self.status, self.events, self.wrong = "", 200, [], []
        self._changed = threading.Condition()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                self.send_response(receiver._take(self.headers, body))
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}{path}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _take(self, headers, body):
        with self._changed:
            if not self._is_signed(headers, body):
                self.wrong.append(f"{headers['webhook-id']} is not signed by {self.secret[:10]}…: {headers['webhook-signature']}")
                status = 401
            else:
                status = self.status
                self.events.append({"status": status, "id": headers["webhook-id"], **json.loads(body)})
            self._changed.notify_all()
        return status

    def _is_signed(self, headers, body):
        """Standard Webhooks: one of the signatures is that of the secret, over id, time and body as they came."""
        if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
            return False
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        wanted = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
        return any(hmac.compare_digest(wanted, one) for one in headers["webhook-signature"].split())

    def got(self, kind, status=200, seconds=15):
        """The first event of a type that was answered with a status; waits for it."""
        def find():
            return [one for one in self.events if one["type"] == f"gatehouse.{kind}" and one["status"] == status]
        with self._changed:
            assert self._changed.wait_for(lambda: find() or self.wrong, seconds), f"no {kind} with {status}: {self.events}"
            assert not self.wrong, self.wrong
            return find()[-1]

    def forget(self):
        with self._changed:
            self.events.clear()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
