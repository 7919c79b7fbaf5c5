"""Pages of an application of somebody's, and Chromium, which opens them."""

import html
import http.server
import json
import re
import subprocess
import tempfile
import threading

from .waiting import require

# Calls what the fragment of its address lists, one after the other, and writes down what a page may see of the answers.
PAGE = """<!doctype html><pre id="found"></pre><script>
(async () => {
  const found = [];
  for (const [url, options] of JSON.parse(decodeURIComponent(location.hash.slice(1)))) {
    try {
      const answer = await fetch(url, options);
      found.push({status: answer.status, id: answer.headers.get("x-request-id"), text: await answer.text()});
    } catch (error) {
      found.push({error: error.name});
    }
  }
  document.getElementById("found").textContent = JSON.stringify(found);
})();
</script>"""


class Pages:
    """A server of the page, at two origins: http://localhost:PORT and http://127.0.0.1:PORT."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(PAGE.encode())

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def origin(self, host):
        return f"http://{host}:{self._port}"

    def found(self, host, requests):
        """What the page of an origin found, an entry for each request: [URL, options of fetch]."""
        fragment = "".join(f"%{byte:02x}" for byte in json.dumps(requests).encode())
        with tempfile.TemporaryDirectory() as folder:
            # Its clock stands still while it waits for answers, so that the page is whole when it is written.
            written = subprocess.run(
                ["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--disable-background-networking", "--no-proxy-server", "--ignore-certificate-errors",
                 f"--user-data-dir={folder}", "--virtual-time-budget=60000", "--dump-dom",
                 f"{self.origin(host)}/#{fragment}"],
                capture_output=True, text=True, timeout=60, check=True).stdout
        found = re.search(r'<pre id="found">(.*?)</pre>', written, re.S)
        require(found and found[1], f"the page wrote nothing: {written[:500]}")
        return json.loads(html.unescape(found[1]))

    def close(self):
        self._server.shutdown()
        self._server.server_close()
