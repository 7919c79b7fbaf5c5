"""Starts the services, drives a browser over the console as people do, and says what was not as it should be."""

import argparse
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

from .checks import (first_hour, flows, identities, live, members, names, pages, progress, session, size, states, support, tenants,
                     webhooks)
from .stage import Stage

CHECKS = [
    pages.words, pages.reasons, pages.sources, pages.terms, pages.checker, size.budget, size.kept, size.quick,
    session.strangers, session.reloads, session.one_refresh, session.two_tabs, session.other_origin, session.step_up,
    session.countdown,
    first_hour.denied, flows.first_question, flows.by_keyboard, flows.sign_up_and_verify, flows.forgotten, flows.invited,
    flows.authenticator, flows.passkey, flows.passkey_in_field, flows.passkey_not_in_field,
    flows.operate, flows.devices, flows.support, flows.request_by_number, flows.invisible_dialogs,
    identities.linked, identities.signed_in, identities.proven_first, identities.only_way, identities.stranger,
    support.at_work, support.seen, support.refund, support.workbench, support.in_force,
    progress.deletions, progress.finished, progress.imports, progress.by_support, progress.pauses,
    progress.of_object, progress.objects,
    tenants.make, tenants.not_offered, tenants.role_by_address, tenants.shown_first, tenants.suspended, tenants.plan, tenants.report,
    tenants.own_role, tenants.two_operators, tenants.passes, tenants.resent, tenants.followed_deletion,
    webhooks.followed, webhooks.by_key_pair, webhooks.chosen, webhooks.paged, webhooks.named, webhooks.offered,
    webhooks.stale, webhooks.switched_off, webhooks.listened,
    live.one_stream, live.one_renewal, live.another_person, live.rights,
    states.long_list, states.as_curl, states.on_its_way, states.left_early, states.wrong_clock, states.slow, states.away, states.away_whole, states.cut_stream,
    pages.entrance, pages.everybody, pages.narrow, pages.keyboard, pages.german, members.many,
    tenants.child_account, tenants.child_account_not_offered, tenants.family, names.everywhere,
]

# Those that stop services, wait by the clock, make thousands of things or go over every page.
SLOW = {pages.keyboard, states.slow, states.away, states.away_whole, states.cut_stream, states.long_list, names.everywhere, pages.everybody,
        pages.entrance, webhooks.paged, webhooks.switched_off, identities.linked, identities.signed_in, identities.proven_first, identities.only_way,
        progress.finished, members.many}


def run(stage, wanted, is_quick):
    """The names of the checks that failed."""
    failed = []
    for check in CHECKS:
        name = f"{check.__module__.rsplit('.', 1)[1]}.{check.__name__}"
        if wanted and name not in wanted and name.split(".")[0] not in wanted:
            continue
        if is_quick and check in SLOW:
            continue
        started = time.monotonic()
        try:
            check(stage)
            print(f"checks/console: {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except AssertionError as problem:
            failed.append(name)
            print(f"checks/console: {name} FAILED\n{problem or traceback.format_exc()}", file=sys.stderr, flush=True)
        except Exception:
            failed.append(name)
            print(f"checks/console: {name} FAILED\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    return failed


def perform(arguments, wanted):
    """Runs checks with services and people of their own; the names of those that failed."""
    folder = tempfile.mkdtemp()
    stage = Stage(pathlib.Path.cwd(), arguments.programs, folder, arguments.pictures, arguments.axe, arguments.files)
    try:
        stage.start()
        return run(stage, wanted, arguments.quick)
    finally:
        stage.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog="checks/console")
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--axe", type=pathlib.Path, required=True)
    parser.add_argument("--pictures", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--second-chance", action="store_true")
    parser.add_argument("--files", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.pictures.mkdir(parents=True, exist_ok=True)
    failed = perform(arguments, arguments.only)
    if failed and arguments.second_chance:
        # Some go by what those of their group before them have left.
        groups = sorted({name.split(".")[0] for name in failed})
        print(f"checks/console: {', '.join(failed)} failed; once more from the beginning: {', '.join(groups)}", flush=True)
        failed = perform(arguments, groups)
    print(f"checks/console: pictures are in {arguments.pictures}")
    sys.exit(1 if failed else 0)


main()
