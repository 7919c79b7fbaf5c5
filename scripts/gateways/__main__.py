"""Starts everything, checks every promise, and says which were kept."""

import argparse
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import traceback

from . import calls
from .checks import (
    apps, behind_nginx, console, deadlines, decisions, grpc_calls, headers, health, mutual_tls, pages, paths, retries,
    streams, tokens, trail)
from .stage import Stage
from .waiting import Failure

# In this order: services log only so many refusals, so the first looks for some; the last ones stop services.
CHECKS = [
    trail.same_everywhere, trail.no_query,
    tokens.signed_in, tokens.nobody, tokens.wrong, tokens.signed_out,
    paths.unknown, paths.ambiguous, paths.underscores, paths.envelopes, paths.documents,
    pages.listed_origin, pages.other_origin,
    headers.forged_by_user, headers.forged_by_nobody, headers.own_routes, headers.never_sniffed,
    mutual_tls.signed_in, mutual_tls.gateway_alone, mutual_tls.without_certificate,
    grpc_calls.through_envoy, grpc_calls.through_nginx,
    streams.events_through_envoy, streams.events_through_nginx,
    apps.through_envoy, apps.through_nginx,
    console.through_envoy, console.through_nginx,
    deadlines.rest, retries.rest, retries.by_grpc, retries.lost,
    behind_nginx.rest, behind_nginx.mixed, behind_nginx.own_server, behind_nginx.sent_once,
    health.draining, health.all_away, health.outlier, health.impatient,
    decisions.suspended, decisions.silent, decisions.gone,
    health.service, behind_nginx.fails_closed,
]


def attempt(check, stage):
    """What was wrong; None if nothing was."""
    try:
        check(stage)
        return None
    except Failure as failure:
        return str(failure)
    except Exception:
        return traceback.format_exc()


def run(stage, wanted):
    """The number of promises that were broken."""
    broken = 0
    for check in CHECKS:
        name = f"{check.__module__.rsplit('.', 1)[1]}.{check.__name__}"
        if wanted and name not in wanted:
            continue
        started = time.monotonic()
        wrong = attempt(check, stage)
        if wrong:
            # Envoy gives TenancyService a second for a decision, which a machine with other work may not keep. What is
            # really broken is so twice.
            print(f"checks/gateways: {name}, once more, after: {wrong}", file=sys.stderr, flush=True)
            wrong = attempt(Stage.recover, stage) or attempt(check, stage)
        if wrong:
            broken += 1
            print(f"checks/gateways: {name}: {check.__doc__}: FAILED: {wrong}", file=sys.stderr, flush=True)
        else:
            print(f"checks/gateways: {check.__doc__}: ok ({time.monotonic() - started:.1f} s)", flush=True)
    return broken


def main():
    parser = argparse.ArgumentParser(prog="gateways", description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the built programs")
    parser.add_argument("--tools", type=pathlib.Path, required=True, help="folder of what scripts/setup installed")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="as a failure names it")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="check-gateways."))
    # nginx's workers are another user.
    folder.chmod(0o711)
    calls.generate(root, folder / "python")
    # So that what was started is stopped as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    stage = Stage(root, arguments.programs, arguments.tools / "gateways/bin/envoy", arguments.tools / "nginx", folder)
    try:
        stage.open()
        broken = run(stage, set(arguments.only))
    finally:
        stage.close()
    if broken:
        print(f"checks/gateways: the logs are in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
