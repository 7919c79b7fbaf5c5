"""Waiting for what happens by itself."""

import time

# Nothing takes this long on a machine that is not stuck.
SECONDS_MAX = 60


class Failure(Exception):
    """Something was not as docs/operations/gateways.md says."""


def until(what, probe, seconds=SECONDS_MAX):
    """The first true value of the probe, which is asked again and again."""
    end = time.monotonic() + seconds
    while True:
        found = probe()
        if found:
            return found
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(0.02)


def require(condition, text):
    if not condition:
        raise Failure(text)


def equal(what, actual, expected):
    require(actual == expected, f"{what}: {actual!r} instead of {expected!r}")
