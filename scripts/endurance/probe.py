"""Asks servers for commits all the time, to know when none was writable."""

import os
import select
import subprocess
import threading
import time

# A commit that waits for a standby, unless this is one; what says that the answer is complete.
COMMIT = ("SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE"
          " (SELECT 'committed' FROM pg_logical_emit_message(true, 'probe', '')) END")
DONE = "done"
INTERVAL, ANSWER_SECONDS = 0.05, 3


def longest_gap(times, since, until):
    """The longest time between two neighbours of which a part is between two instants; 0 without any."""
    ordered = sorted(times)
    return max((after - before for before, after in zip(ordered, ordered[1:]) if after > since and before < until),
               default=0)


class Probe:
    """Commits at each server; `commands` start psql there, by port."""

    def __init__(self, commands):
        # When a commit was asked for and acknowledged, by port.
        self.commits = {port: [] for port in commands}
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=row, daemon=True) for row in commands.items()]
        for thread in self._threads:
            thread.start()

    def end(self):
        self._over.set()
        for thread in self._threads:
            thread.join()

    def silence(self, since, until):
        """How long no server acknowledged a commit, for the longest time of those around a span."""
        return longest_gap([end for commits in self.commits.values() for _, end in commits], since, until)

    def _run(self, port, command):
        while not self._over.wait(INTERVAL):
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL) as psql:
                try:
                    self._ask(port, psql)
                except OSError:
                    # The server has gone, or was never there.
                    pass
                finally:
                    psql.kill()

    def _ask(self, port, psql):
        while not self._over.wait(INTERVAL):
            begun = time.monotonic()
            os.write(psql.stdin.fileno(), f"{COMMIT};\n\\echo {DONE}\n".encode())
            answer = _answer(psql.stdout.fileno(), begun + ANSWER_SECONDS)
            if not answer:
                return
            if answer.startswith("committed"):
                self.commits[port].append((begun, time.monotonic()))


def _answer(pipe, deadline):
    """What psql says; empty if it ends, or says nothing in time."""
    text = ""
    while not text.endswith(f"{DONE}\n"):
        readable, _, _ = select.select([pipe], [], [], max(0, deadline - time.monotonic()))
        part = os.read(pipe, 4096).decode() if readable else ""
        if not part:
            return ""
        text += part
    return text
