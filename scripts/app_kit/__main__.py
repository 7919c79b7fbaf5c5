"""Starts the services and drives apps with the kit through them, and says what was not as it should be."""

import argparse
import pathlib
import sys
import time
import traceback

from . import checks
from .stage import Stage


def run(stage, wanted):
    """The names of the checks that failed."""
    failed = []
    for check in checks.ALL:
        name = check.__name__
        if wanted and name not in wanted:
            continue
        started = time.monotonic()
        try:
            check(stage)
            print(f"checks/app-kit: {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Exception as problem:
            failed.append(name)
            text = problem if isinstance(problem, AssertionError) else traceback.format_exc()
            print(f"checks/app-kit: {name} FAILED\n{text}", file=sys.stderr, flush=True)
    return failed


def perform(arguments, wanted):
    """Runs checks with services of their own; the names of those that failed."""
    stage = Stage(arguments.programs, arguments.apps, arguments.driver)
    try:
        stage.start()
        return run(stage, wanted)
    finally:
        stage.stop()


def main():
    parser = argparse.ArgumentParser(prog="checks/app-kit")
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--apps", type=pathlib.Path, required=True)
    parser.add_argument("--driver", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--second-chance", action="store_true")
    arguments = parser.parse_args()
    failed = perform(arguments, arguments.only)
    if failed and arguments.second_chance:
        print(f"checks/app-kit: {', '.join(failed)} failed; once more, with other services", flush=True)
        failed = perform(arguments, failed)
    sys.exit(1 if failed else 0)


main()
