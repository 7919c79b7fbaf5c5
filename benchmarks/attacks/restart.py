"""A service that is stopped in the middle of an attack and started again, and what was lost of it."""

import asyncio
import signal
import subprocess
import time

from . import named_writes, world

# A drain has 30 s by default.
STOP_SECONDS_MAX = 40


def stop_and_start(kind, suite):
    """Stops the attacked service in the middle; returns what was wrong with that."""
    time.sleep(kind.STOP_AFTER_SECONDS)
    process = suite.running[kind.SERVICE]
    process.send_signal(kind.STOPS)
    try:
        code = process.wait(timeout=STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return [f"{kind.SERVICE} did not end"]
    finally:
        suite.start(kind.SERVICE)
    expected = 0 if kind.STOPS == signal.SIGTERM else -kind.STOPS
    return [] if code == expected else [f"{kind.SERVICE} ended with {code}"]


def losses(kind, suite, user, acknowledged):
    """Writes that were acknowledged and are not there, and for a drain those that are there and were
    not acknowledged."""
    there = asyncio.run(named_writes.found(world.addresses(suite), user))
    lost = len(set(acknowledged) - there)
    wrong = [f"{lost} acknowledged and lost"] if lost else []
    unanswered = len(there - set(acknowledged))
    if kind.STOPS == signal.SIGTERM and unanswered:
        wrong.append(f"{unanswered} done and not answered")
    return wrong
