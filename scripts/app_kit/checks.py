"""What apps with the kit see while services are slow, away, restarted or revoke, with the real services."""

import itertools
import os
import pathlib
import subprocess
import time

from .checklist import checklist
from .samples import SAMPLES, match
from .stage import TOKEN_SECONDS, left, said, token_ends, until


def samples(stage):
    """Each sample app runs twice, with a new account and with that of the first run, and leaves nothing of the person."""
    for name, patterns in SAMPLES.items():
        for _ in range(2):
            run = subprocess.run([stage.apps / name], capture_output=True, text=True, timeout=60,
                                 env=os.environ | {"SAMPLE_DATA": str(stage.folder / "samples")})
            lines = run.stdout.splitlines()
            assert run.returncode == 0, f"{name} ended with {run.returncode}:\n{run.stdout}{run.stderr}"
            match(name, lines, patterns)
            remains = left(stage.folder / "samples" / name)
            assert not remains, f"{name} leaves {remains}"


def one_refresh(stage):
    """64 callers with one ended token make one refresh at the real AuthService."""
    app, _, _ = stage.person()
    token_ends()
    before = stage.refresh_count()
    said(app("calls 64"), "ok 64 usr_")
    assert stage.refresh_count() == before + 1, f"{stage.refreshes()} after {before}"


def slow(stage):
    """Each answer takes 5 s: calls wait for it, and still make one refresh."""
    app, _, _ = stage.person()
    token_ends()
    before = stage.refresh_count()
    with stage.during("slow"):
        started = time.monotonic()
        # As many as the kit has connections to one service.
        answer = app("calls 6", seconds=60)
        assert time.monotonic() - started >= 10, "the relay was not slow"
    # The token lives about as long as the answers take, so a second one may be needed, and no more.
    said(answer, "ok 6 usr_")
    assert stage.refresh_count() - before in (1, 2), stage.refreshes()


def away(stage, seconds=60):
    """All services are away for a minute: calls say so at once, nobody is signed out, and the app recovers by itself."""
    app, _, _ = stage.person()
    said(app("run"), "ok signedIn")
    said(app("live"), "ok signedIn")
    with stage.during("cut"):
        ends = time.monotonic() + seconds
        token_ends()
        while time.monotonic() < ends:
            started = time.monotonic()
            said(app("calls 8"), "ok 8 offline")
            assert time.monotonic() - started < 2, "the app waits for a server that is away"
            said(app("state"), "ok signedIn")
            time.sleep(1)
    before, answers, first = stage.refreshes(), [], None
    def recovered():
        nonlocal first
        answers.append(app("calls 1"))
        first = first or (stage.refreshes() != before and time.monotonic()) or None
        return answers[-1].startswith("ok 1 usr_")
    # Pauses end after 72 s at most.
    until("the app recovers", recovered, seconds=75)
    after, seen = stage.refreshes(), [text for text, _ in itertools.groupby(answers)]
    # One, and another one each time that half a token's life has gone by: a busy machine may take as long.
    allowed = 2 + (time.monotonic() - (first or time.monotonic())) // (TOKEN_SECONDS / 2)
    assert sum(after.values()) - sum(before.values()) <= allowed, f"too many: {before}, then {after}; {seen}"


def away_and_told(stage):
    """An app that learns that the network is back does not wait for the pause."""
    app, _, _ = stage.person()
    with stage.during("cut"):
        token_ends()
        for _ in range(4):
            said(app("calls 8"), "ok 8 offline")
            time.sleep(1)
    said(app("retry"), "ok signedIn")
    said(app("calls 8"), "ok 8 usr_")


def restarted(stage):
    """All services are killed and start again while an app calls and listens."""
    app, _, _ = stage.person()
    said(app("run"), "ok signedIn")
    said(app("live"), "ok signedIn")
    stage.restart()
    app("retry")
    until("the app recovers", lambda: app("calls 8").startswith("ok 8 usr_"), seconds=75)
    said(app("live", seconds=75), "ok signedIn")


def killed(stage):
    """An app that is killed between a refresh and its answer is still signed in, also later than the grace of 30 s."""
    app, folder, _ = stage.person()
    token_ends()
    before = stage.refresh_count()
    with stage.during("mute", "auth"):
        app.tell("calls 1")
        until("the refresh arrives", lambda: stage.refresh_count() == before + 1)
        assert not app.has_answered(), "the answer came through"
        app.kill()
    time.sleep(31)
    again = stage.app(folder)
    said(again("restore"), "ok signedIn usr_")
    said(again("calls 4"), "ok 4 usr_")


def revoked(stage):
    """A session that is ended elsewhere ends here: within a second with the stream, else with the next call."""
    first, folder, name = stage.person()
    second_folder = stage.new_folder()
    second = stage.app(second_folder)
    other = stage.app()
    for app in (second, other):
        said(app(f"sign-in {name}"), "ok signedIn")
    said(first("run"), "ok signedIn")
    said(first("live"), "ok signedIn")
    first.tell("until signedOut")
    started = time.monotonic()
    said(other("sign-out everywhere"), "ok true")
    said(first.answer(), "ok signedOut ended")
    took = time.monotonic() - started
    assert took < 2, f"the stream told it after {took:.1f} s"
    said(second("calls 1"), "ok 1 signedOut ended")
    said(second("state"), "ok signedOut ended")
    for place in (folder, second_folder):
        until("nothing is left", lambda: not left(pathlib.Path(place)), seconds=5)


def signed_out_away(stage):
    """Signing out without a server says so, takes three seconds at most, and leaves nothing."""
    app, folder, _ = stage.person()
    with stage.during("silent"):
        started = time.monotonic()
        said(app("sign-out"), "ok false")
        assert time.monotonic() - started < 5, "signing out waits for a server that is away"
    assert not left(folder), left(folder)


def two_processes(stage):
    """An app and its extension have one store: they refresh as one, and each notices what the other has done."""
    app, folder, _ = stage.person()
    extension = stage.app(folder)
    said(extension("restore"), "ok signedIn usr_")
    for _ in range(2):
        token_ends()
        before = stage.refresh_count()
        for one in (app, extension):
            one.tell("calls 16")
        for one in (app, extension):
            said(one.answer(), "ok 16 usr_")
        # Both may send the same attempt at the same time, which counts once for the session.
        assert stage.refresh_count() - before in (1, 2), stage.refreshes()
    # Killed with the lock, if it has it.
    extension.kill()
    extension = stage.app(folder)
    token_ends()
    said(app("calls 4"), "ok 4 usr_")
    said(extension("calls 4"), "ok 4 usr_")
    said(extension("sign-out"), "ok true")
    said(app("calls 1"), "ok 1 signedOut signedOut")
    assert not left(folder), left(folder)
    said(app("sign-up other"), "ok signedIn usr_")
    said(extension("restore"), app("state").rsplit(" ", 1)[0])
    said(extension("calls 1"), "ok 1 usr_")


ALL = [samples, checklist, one_refresh, slow, away_and_told, restarted, revoked, signed_out_away, two_processes, killed, away]
