"""An app without a screen (Tests/GatehouseKitDriver) in a process of its own, which does what lines ask for."""

import os
import queue
import subprocess
import threading


class Driver:
    """One process. Those with one folder are an app and its extension, or an app before and after it was killed."""

    def __init__(self, program, folder, addresses):
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env=os.environ | {"DRIVER_DATA": str(folder), "DRIVER_SERVICES": ",".join(addresses)})
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

    def tell(self, command):
        """Begins a command, whose answer comes by `answer`."""
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()

    def answer(self, seconds=30):
        line = self._lines.get(timeout=seconds)
        assert line is not None, "the driver has ended"
        return line

    def __call__(self, command, seconds=30):
        self.tell(command)
        return self.answer(seconds)

    def has_answered(self):
        return not self._lines.empty()

    def kill(self):
        self._process.kill()
        self._process.wait()
