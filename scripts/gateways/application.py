"""A server of somebody's own behind nginx: HTTP/1.1, verifies nothing, and remembers what reached it."""

import http.server
import threading


class Application:
    def __init__(self):
        # Method, path, and headers in lower case.
        self.requests = []
        # Requests for which the connection is closed instead of an answer.
        self.failures_left = 0
        application = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                application.requests.append(
                    (self.command, self.path, {name.lower(): value for name, value in self.headers.items()}))
                if application.failures_left > 0:
                    application.failures_left -= 1
                    self.close_connection = True
                    return
                self.send_response(200)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_PUT = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
