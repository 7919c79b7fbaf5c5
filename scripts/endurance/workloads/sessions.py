"""Sessions that are refreshed at both programs at once and ended: an ended one is refused everywhere."""

import base64
import secrets
import threading
import time

from ..calls import Unknown
from ..history import GRACE_OF_ENDS
from ..people import PASSWORD, Person


class Sessions:
    name = "sessions"

    def prepare(self, stage):
        self.stage = stage
        self.people = [Person(stage.installation, f"sessions-{number}") for number in range(2)]
        self.refreshed = self.ended = self.seen = self.late = 0
        # Access tokens of ended sessions, with the time of the answer.
        self.gone = []

    def threads(self):
        for number in range(len(self.people)):
            yield lambda number=number: self._run(number)
        yield self._look

    def _refresh(self, token, attempt, program, answers):
        answers.append(self.stage.installation.call(
            self.stage.random(attempt + program), "auth", "POST", "auth/refresh",
            {"refreshToken": token, "attempt": attempt}, None, program))

    def _run(self, number):
        rng, count = self.stage.random(f"sessions {number}"), 0
        names, person = self.stage.installation.names("auth"), self.people[number]
        while not self.stage.is_over():
            count += 1
            begun = self.stage.installation.call(rng, "auth", "POST", "auth/login", {
                "email": person.email, "password": PASSWORD, "idempotencyKey": f"session-{number}-{count}"})
            if begun.refusal and begun.refusal.reason == "INVALID_CREDENTIALS" and self.stage.fleet.clocks:
                # Attempts without an answer have it wait, and the end of that is by another program's clock.
                self.late += 1
                time.sleep(1)
                continue
            if begun.refusal:
                self.stage.problems.add("a sign-in was refused", f"{begun}")
                time.sleep(1)
                continue
            tokens = begun.data["tokens"]
            for _ in range(rng.randrange(5)):
                attempt = base64.urlsafe_b64encode(secrets.token_bytes(24)).decode()
                answers = []
                threads = [threading.Thread(target=self._refresh, args=(tokens["refreshToken"], attempt, name, answers))
                           for name in (names if rng.random() < 0.5 else [rng.choice(names)])]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                if not answers or any(answer.refusal for answer in answers):
                    self.stage.problems.add("a refresh was refused", f"session {number}-{count}: {answers}")
                    break
                if len({answer.data["refreshToken"] for answer in answers}) != 1:
                    self.stage.problems.add("one attempt to refresh had two answers", f"session {number}-{count}: {answers}")
                tokens = answers[0].data
                self.refreshed += 1
                time.sleep(rng.uniform(0, 0.1))
            self._end(rng, tokens)

    def _end(self, rng, tokens):
        ended = self.stage.installation.call(rng, "auth", "POST", "auth/logout", {}, tokens["accessToken"])
        # A repetition of one that was done, whose answer was lost.
        if ended.refusal and not (ended.attempts > 1 and ended.refusal.status == 401):
            self.stage.problems.add("a sign-out was refused", f"{ended}")
            return
        self.ended += 1
        self.gone.append((tokens["accessToken"], ended.end))
        for program in self.stage.installation.names("auth"):
            answers = []
            self._refresh(tokens["refreshToken"], secrets.token_urlsafe(24), program, answers)
            if not answers or not answers[0].refusal or answers[0].refusal.status != 401:
                self.stage.problems.add("a session that was ended was refreshed", f"{ended}, then {answers}")

    def _look(self):
        """Access tokens of ended sessions are refused within a second."""
        rng = self.stage.random("sessions ended")
        paths = {"auth": "users/me", "tenancy": "roles", "entitlement": "entitlements"}
        while not self.stage.is_over():
            time.sleep(0.1)
            recent = [row for row in self.gone[-500:] if GRACE_OF_ENDS < time.monotonic() - row[1] < 20]
            if not recent:
                continue
            (token, ended), service = rng.choice(recent), rng.choice(list(paths))
            program = rng.choice(self.stage.installation.names(service))
            try:
                answer = self.stage.installation.once(service, program, "GET", paths[service], None, token)
            except Unknown:
                continue
            self.seen += 1
            if answer.refusal and answer.refusal.status == 401:
                continue
            # Services hear of it from AuthService, and that from its store.
            names = [program, *self.stage.installation.names("auth")]
            if not any(self.stage.faults.touched(name, ended - 1, answer.end) for name in names):
                self.stage.problems.add("an access token outlived its session", (
                    f"at {program}, {answer.start - ended:.1f} s after the end, without a fault: {answer}"))

    def judge(self):
        time.sleep(GRACE_OF_ENDS)
        for token, _ in self.gone[-50:]:
            for service, path in (("auth", "users/me"), ("tenancy", "roles"), ("entitlement", "entitlements")):
                for program in self.stage.installation.names(service):
                    answer = self.stage.installation.call(
                        self.stage.random(token), service, "GET", path, None, token, program)
                    if not answer.refusal or answer.refusal.status != 401:
                        self.stage.problems.add("an access token of an ended session counts at the end", f"{answer}")
        return (f"{self.refreshed} refreshes, {self.ended} sessions ended, {self.seen} looks with tokens of ended "
                f"sessions, {self.late} sign-ins that had to wait")
