"""Starts the services and drives apps with the kit through them, and says what was not as it should be."""

import argparse
import pathlib
import sys
import time
import traceback

from . import checks
from .stage import Stage


def run(stage, wanted):
    """How many checks failed."""
    failed = 0
    for check in checks.ALL:
        name = check.__name__
        if wanted and name not in wanted:
            continue
        started = time.monotonic()
        try:
            check(stage)
            print(f"checks/app-kit: {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Exception as problem:
            failed += 1
            text = problem if isinstance(problem, AssertionError) else traceback.format_exc()
            print(f"checks/app-kit: {name} FAILED\n{text}", file=sys.stderr, flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(prog="checks/app-kit")
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--apps", type=pathlib.Path, required=True)
    parser.add_argument("--driver", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append", default=[])
    arguments = parser.parse_args()
    stage = Stage(arguments.programs, arguments.apps, arguments.driver)
    try:
        stage.start()
        failed = run(stage, arguments.only)
    finally:
        stage.stop()
    sys.exit(1 if failed else 0)


main()
