"""Runs attacks on the three services and says whether a good client noticed."""

import argparse
import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

from runner import processes

from . import kinds, table, trial, verdict
from .connection import CallFailed


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/attack", description=__doc__)
    parser.add_argument("--programs", type=Path, metavar="DIR",
                        help="where the services and gatehouse are")
    parser.add_argument("--seconds", type=float, help="length of each attack (8, --quick 3)")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    return parser.parse_args()


def wanted(options):
    names = [name.replace("-", "_") for word in options.only for name in word.split(",")]
    unknown = [name for name in names if name not in kinds.NAMES]
    if unknown:
        sys.exit(f"attack: no attack named {unknown[0].replace('_', '-')}; see --list")
    return names or list(kinds.QUICK if options.quick else kinds.NAMES)


def conditions(options, seconds):
    """What a reader must know to believe the figures."""
    load = os.getloadavg()[0]
    built = time.gmtime((options.programs / "tenancy-service").stat().st_mtime)
    return (f"{len(os.sched_getaffinity(0))} cores, load average {load:.1f} before, each attack "
            f"{seconds:g} s, attackers at nice 10, the good client at nice "
            f"{'-10' if os.geteuid() == 0 else '0'}, {allowed_descriptors(options)} descriptors "
            f"for each service, programs of {time.strftime('%Y-%m-%d %H:%M UTC', built)}")


def allowed_descriptors(options):
    """How many descriptors each service gets.

    A short run has no time to use up as many as a machine usually allows.
    """
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return min(hard, 4096 if options.quick else 20_000)


def main():
    options = arguments()
    if options.list:
        for name in kinds.NAMES:
            quick = " (quick)" if name in kinds.QUICK else ""
            print(f"{name.replace('_', '-'):24} {kinds.title(kinds.load(name))}{quick}")
        return 0
    names = wanted(options)
    seconds = options.seconds or (3 if options.quick else 8)
    processes.prepare()
    # Asked to end, it ends what it started and removes its folder on the way out.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    print(f"attack: {conditions(options, seconds)}", flush=True)
    judged, failures = [], 0
    try:
        with tempfile.TemporaryDirectory(prefix="gatehouse-attack-") as folder:
            template = Path(folder, "template")
            template.mkdir()
            trial.make_template(options.programs, template)
            for name in names:
                try:
                    outcome = trial.run(name, options.programs, template, Path(folder, name),
                                        seconds, allowed_descriptors(options))
                except (RuntimeError, CallFailed, OSError) as error:
                    # The others are worth having all the same.
                    print(f"  {name.replace('_', '-')}: could not be run: {error!r}", flush=True)
                    failures += 1
                    continue
                missed = (verdict.missed_at_rest(outcome) if options.memory
                          else verdict.missed(outcome, with_latency=not options.quick))
                print(f"  {outcome.name}: {', '.join(missed) or 'held'}", flush=True)
                judged.append((outcome, missed))
    finally:
        processes.end_all()
    print("\n" + table.render(judged))
    if options.markdown:
        options.markdown.write_text(table.render(judged, as_markdown=True) + "\n")
    failures += sum(1 for _, missed in judged if missed)
    return 0 if options.report or not failures else 1
