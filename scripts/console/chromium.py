"""Chromium by its debugging protocol: pages that are opened, typed into, looked at and measured."""

import base64
import json
import pathlib
import subprocess
import tempfile
import threading
import time

from websockets.sync.client import connect

# The program itself: Debian's script would be ended in its place, and leave it running.
PROGRAM = "/usr/lib/chromium/chromium-headless-shell"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


class Browser:
    """A process with one connection; commands of all pages go through it. `files` is a folder whose files pages get in
    place of those that the console's program has."""

    def __init__(self, *more, files=None):
        self.files = files
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [PROGRAM, "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
             "--no-proxy-server", *more, "--remote-debugging-port=0", f"--user-data-dir={self._folder.name}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = pathlib.Path(self._folder.name) / "DevToolsActivePort"
        deadline = time.monotonic() + 20
        while not (port_file.exists() and port_file.read_text().count("\n")):
            if time.monotonic() > deadline:
                raise RuntimeError("Chromium did not start")
            time.sleep(0.05)
        port, path = port_file.read_text().split("\n")[:2]
        self._socket = connect(f"ws://127.0.0.1:{port}{path}", max_size=None, open_timeout=20, ping_interval=None)
        self._answers, self._pages, self._changed = {}, {}, threading.Condition()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            for text in self._socket:
                message = json.loads(text)
                if "id" in message:
                    with self._changed:
                        self._answers[message["id"]] = message
                        self._changed.notify_all()
                elif page := self._pages.get(message.get("sessionId")):
                    page.happened(message["method"], message["params"])
        except Exception:
            # The browser has ended; those who wait find out.
            pass

    def post(self, method, session=None, **parameters):
        """Sends a command without waiting for what comes of it."""
        with self._changed:
            self._number += 1
            number = self._number
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}
                                     | ({"sessionId": session} if session else {})))
        return number

    def send(self, method, session=None, **parameters):
        number = self.post(method, session, **parameters)
        deadline = time.monotonic() + 30
        with self._changed:
            while number not in self._answers:
                if not self._changed.wait(deadline - time.monotonic()):
                    raise TimeoutError(method)
            answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def person(self):
        """A context of its own, with cookies of its own."""
        return self.send("Target.createBrowserContext")["browserContextId"]

    def page(self, context):
        target = self.send("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, target, session)
        page.context = context
        self._pages[session] = page
        page.prepare()
        return page

    def close(self):
        try:
            self.send("Browser.close")
            self._process.wait(10)
        except Exception:
            self._process.kill()
        self._folder.cleanup()


class Page:
    """A tab. `messages` has what its console said, `requests` what it asked for, and `elsewhere` answers in place of other
    hosts: by the beginning of an address, a function of the address that gives the one to go on to."""

    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session
        self.messages, self.requests, self.elsewhere = [], [], {}

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def prepare(self):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        if self.browser.files:
            self.intercept()

    def redirect(self, beginning, answer):
        """Answers requests for another host by leading on to another address."""
        self.elsewhere[beginning] = answer
        self.intercept()

    def intercept(self):
        patterns = [f"{one}*" for one in self.elsewhere] + (["*/console/*/*"] if self.browser.files else [])
        self.send("Fetch.enable", patterns=[{"urlPattern": one} for one in patterns])

    def _paused(self, number, url):
        """Answers a request that waits for that, or lets it go on."""
        answer = next((one for beginning, one in self.elsewhere.items() if url.startswith(beginning)), None)
        file = self.browser.files and self.browser.files / url.split("?")[0].rsplit("/", 1)[1]
        if answer:
            self._fulfil(number, 302, "location", answer(url))
        elif file and file.is_file():
            self._fulfil(number, 200, "content-type", TYPES[file.suffix], file.read_bytes())
        else:
            self.browser.post("Fetch.continueRequest", self.session, requestId=number)

    def _fulfil(self, number, status, name, value, body=b""):
        self.browser.post("Fetch.fulfillRequest", self.session, requestId=number, responseCode=status,
                          responseHeaders=[{"name": name, "value": value}], body=base64.b64encode(body).decode())

    def happened(self, method, parameters):
        if method == "Runtime.consoleAPICalled" and parameters["type"] in ("warning", "error", "assert"):
            self.messages.append(" ".join(str(one.get("value", one.get("description"))) for one in parameters["args"]))
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("warning", "error"):
            entry = parameters["entry"]
            self.messages.append(f"{entry['text']} {entry.get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append((parameters["request"]["method"], parameters["request"]["url"]))
        elif method == "Fetch.requestPaused":
            self._paused(parameters["requestId"], parameters["request"]["url"])

    # --- looking ---------------------------------------------------------------------------------------------------

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True,
                           userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(f"{expression[:200]}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def until(self, expression, seconds=10):
        """Waits until an expression is true, looking 20 times a second; its value."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if value := self.evaluate(expression):
                    return value
            except RuntimeError:
                # The page may be about to be another one.
                pass
            if time.monotonic() > deadline:
                raise AssertionError(f"never: {expression[:300]}; the page says: {self.text()[:600]}")
            time.sleep(0.05)

    def text(self):
        """What a person sees, hidden things left out."""
        return self.evaluate("document.body.innerText") or ""

    def shows(self, text, seconds=10):
        self.until(f"document.body.innerText.includes({json.dumps(text)})", seconds)

    def settled(self, seconds=15):
        """Until nothing of the page is still being loaded."""
        self.until("document.querySelector('h1') && !document.querySelector('[aria-busy=true]')", seconds)

    def look(self, width, dark=False, height=None):
        """Sizes the window, and chooses light or dark."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height or (844 if width < 600 else 900),
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, path, whole=True):
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    # --- acting ----------------------------------------------------------------------------------------------------

    def open(self, url):
        self.send("Page.navigate", url=url)

    def reload(self):
        self.send("Page.reload")

    def go(self, path):
        """To another screen of the console, until that is there in place of the one before."""
        if self.evaluate(f"location.hash === {json.dumps('#' + path)}"):
            return
        self.evaluate(f"""new Promise((heard) => {{ addEventListener("hashchange", heard, {{once: true}});
            location.hash = {json.dumps(path)}; }}).then(() => true)""")
        self.until("document.querySelector('h1') && !document.querySelector('main[aria-busy=true]')")

    def click(self, label, seconds=10):
        """A button or a link, by what is written on it."""
        wanted = json.dumps(label)
        found = (f"[...([...document.querySelectorAll('dialog[open]')].at(-1) ?? document).querySelectorAll('button,a,summary')]"
                 f".find((one) => one.checkVisibility() && one.textContent.trim() === {wanted})")
        self.until(f"Boolean({found})", seconds)
        self.evaluate(f"{found}.click()")

    def fill(self, name, text):
        """Types into a field by its name, as keys do."""
        field = f"([...document.querySelectorAll('dialog[open]')].at(-1) ?? document).querySelector('[name=\"{name}\"]')"
        self.until(f"Boolean({field})")
        self.evaluate(f"{field}.focus(), {field}.select?.()")
        self.send("Input.insertText", text=text)

    def press(self, key):
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key],
                      **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))
