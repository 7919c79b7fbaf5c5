"""The good client and the attackers, as processes."""

import json
import subprocess
import sys

from runner import peers, processes


class Helper:
    """A process of this package that is told things and answers in lines of JSON."""

    def __init__(self, module, plan):
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", f"attacks.{module}"], cwd=peers.BENCHMARKS, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        processes._running.add(self.process)
        self.tell(json.dumps(plan))

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self, seconds):
        return processes.first_line(self.process, seconds)

    def end(self):
        processes.end(self.process)
