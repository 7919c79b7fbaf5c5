"""An etcd of the run's own, of one member: it goes away as a whole, and what it has said it keeps."""

import pathlib
import shutil
import subprocess
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Etcd:
    SECONDS_MAX = 30

    def __init__(self, folder, port, peer_port):
        self.port = port
        self._data, self._log = folder / "etcd", folder / "etcd.log"
        self._peers = f"http://127.0.0.1:{peer_port}"
        self._process = None
        self.start()

    def start(self):
        program = _program()
        address = f"http://127.0.0.1:{self.port}"
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                [program, "--name", "one", "--data-dir", self._data, "--logger", "zap",
                 "--listen-client-urls", address, "--advertise-client-urls", address,
                 "--listen-peer-urls", self._peers, "--initial-advertise-peer-urls", self._peers,
                 "--initial-cluster", f"one={self._peers}", "--enable-v2"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + self.SECONDS_MAX
        while not self._is_healthy():
            if time.monotonic() > deadline:
                raise RuntimeError(f"etcd does not answer; see {self._log}")
            time.sleep(0.1)

    def kill(self):
        self._process.kill()
        self._process.wait()

    def _is_healthy(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2) as answer:
                return b'"true"' in answer.read()
        except OSError:
            return False


def _program():
    packaged = ROOT / ".build/tools/etcd"
    found = packaged if packaged.exists() else shutil.which("etcd")
    if not found:
        raise SystemExit("no etcd; run scripts/setup --patroni")
    return found
