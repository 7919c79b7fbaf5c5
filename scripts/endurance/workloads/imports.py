"""Accounts of other systems that are imported by batches, which are sent again, and whose owners sign in."""

import base64
import hashlib
import threading
import time

from ..people import Person

SYSTEMS, NEW, BATCH_MAX = 2, 4, 250
PASSWORD = "a long pass phrase from elsewhere"
CREATED, UNCHANGED, INVALID, TAKEN, DIFFERS = (f"IMPORT_OUTCOME_{name}" for name in (
    "CREATED", "UNCHANGED", "EMAIL_INVALID", "EMAIL_TAKEN", "CONTENT_DIFFERS"))
COUNTS = {CREATED: "created", UNCHANGED: "unchanged"}
# A sign-in whose attempts had no answer waits, and how long goes by the clock of either program.
PATIENCE = 60


def hashed(form):
    """The password as other systems keep it: made anew at the first sign-in, and wrapped before that if it is fast."""
    salt = "otherSystem"
    if form == "LDAP":
        digest = hashlib.sha1(f"{PASSWORD}{salt}".encode()).digest()
        return "{SSHA}" + base64.b64encode(digest + salt.encode()).decode()
    digest = hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), salt.encode(), 1000)
    return f"pbkdf2_sha256$1000${salt}${base64.b64encode(digest).decode()}"


HASHES = [hashed("LDAP"), hashed("Django")]


class Imports:
    name = "imports"

    def prepare(self, stage):
        self.stage = stage
        self.operator = Person(stage.installation, "imports-operator")
        stage.fleet.grant_super_admin(self.operator.id)
        self.operator.renew()
        # Of each system: the rows from which accounts were made, what has to have become of how many rows.
        self.rows = [[] for _ in range(SYSTEMS)]
        self.counts = [dict.fromkeys(("created", "unchanged", "refused"), 0) for _ in range(SYSTEMS)]
        # Accounts by address, and those whose owners have not signed in yet.
        self.accounts, self.newcomers, self.patience = {}, [], PATIENCE
        self.again, self.races, self.signed_in = 0, 0, 0

    def threads(self):
        for number in range(SYSTEMS):
            yield lambda number=number: self._import(number)
        yield self._race
        yield self._sign_in

    def _row(self, system, name, email=None):
        return {"sourceId": name, "email": email or f"{system}-{name}@example.org", "displayName": name,
                "emailVerified": True, "passwordHash": HASHES[len(name) % 2]}

    def _at_once(self, calls):
        """The answers to calls of AuthService that are made at once; each is a program, a path, a body and a token."""
        answers = [None] * len(calls)

        def call(number, program, path, body, token):
            answers[number] = self.stage.installation.call(
                self.stage.random(f"{path} {program} {number}"), "auth", "POST", path, body, token, program)

        threads = [threading.Thread(target=call, args=(number, *row)) for number, row in enumerate(calls)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def _send(self, source, run, position, rows, programs):
        body = {"source": source, "run": run, "position": position, "rows": rows, "vouchForAddresses": True}
        return self._at_once([(program, "operators/imports", body, self.operator.shows) for program in programs])

    def _batch(self, rng, number, count):
        """Rows, each with what has to become of it: most are new, and one is not."""
        source, known = f"system-{number}", self.rows[number]
        rows = [(self._row(source, f"{count}-{one}"), CREATED) for one in range(NEW)]
        odd = [(self._row(source, f"{count}-invalid", "no address"), INVALID),
               (self._row(source, f"{count}-taken", self.operator.email), TAKEN)]
        if known:
            old = rng.choice(known)
            odd += [(old, UNCHANGED), (old | {"displayName": "another"}, DIFFERS)]
        return rows + [rng.choice(odd)]

    def _import(self, number):
        rng, count, position, last = self.stage.random(f"imports {number}"), 0, 0, None
        names, source = self.stage.installation.names("auth"), f"system-{number}"
        while not self.stage.is_over():
            count += 1
            batch = self._batch(rng, number, count)
            rows = [row for row, _ in batch]
            answers = self._send(source, "run", position, rows, rng.choice((names, [rng.choice(names)])))
            if None in answers or any(answer.refusal for answer in answers):
                self.stage.problems.add("an import was refused", f"{source} {position}: {answers}")
                return
            self._note(number, batch, answers)
            if last and rng.random() < 0.3:
                self._send_again(source, *last)
            last = position, rows, answers[0]
            position += len(rows)
            time.sleep(rng.uniform(0.2, 1.2))

    def _note(self, number, batch, answers):
        """Compares the answers to one batch, which were given one after the other, with what has to be in them."""
        repeated = any(answer.attempts > 1 for answer in answers)
        for place, (row, expected) in enumerate(batch):
            results = [answer.data["results"][place] for answer in answers]
            outcomes, users = [one["outcome"] for one in results], {one["userId"] for one in results}
            if expected == CREATED:
                # Of an attempt whose answer was lost, the next one says that it is there.
                made = outcomes.count(CREATED)
                is_right = made + outcomes.count(UNCHANGED) == len(outcomes) and made <= 1 and (made or repeated)
            else:
                is_right = set(outcomes) == {expected}
            if not is_right or len(users) != 1:
                self.stage.problems.add("a row of an import has become something else", f"{row}, {expected}: {answers}")
            if expected == CREATED:
                self.rows[number].append(row)
                self._arrived(row["email"], users.pop())
            self.counts[number][COUNTS.get(expected, "refused")] += 1

    def _arrived(self, email, user):
        if user in self.accounts.values():
            self.stage.problems.add("an account was made of two rows", f"{email}: {user}")
        self.accounts[email] = user
        self.newcomers.append(email)

    def _send_again(self, source, position, rows, before):
        """A batch that another one has followed changes nothing."""
        answer, = self._send(source, "run", position, rows, [None])
        self.again += 1
        if not answer or answer.refusal:
            self.stage.problems.add("a batch that was sent again was refused", f"{source} {position}: {answer}")
            return
        for old, new in zip(before.data["results"], answer.data["results"]):
            if new != old | ({"outcome": UNCHANGED} if old["outcome"] == CREATED else {}):
                self.stage.problems.add("a batch that was sent again changed something", f"{before}, then {answer}")

    def _race(self):
        """One address of two systems at two programs at once: one of them makes the account."""
        rng, count = self.stage.random("imports race"), 0
        names = self.stage.installation.names("auth")
        while not self.stage.is_over():
            count += 1
            row = self._row("race", f"{count}")
            answers = self._at_once([
                (program, "operators/imports", {"source": f"race-{which}", "run": f"{count}", "rows": [row],
                                                "vouchForAddresses": True}, self.operator.shows)
                for which, program in enumerate(rng.sample(names, 2))])
            if None in answers or any(answer.refusal for answer in answers):
                self.stage.problems.add("an import was refused", f"{row}: {answers}")
                return
            results = [answer.data["results"][0] for answer in answers]
            made = [one for one in results if one["outcome"] in (CREATED, UNCHANGED)]
            if len(made) != 1 or {one["outcome"] for one in results} - {CREATED, UNCHANGED, TAKEN}:
                self.stage.problems.add("not one of two systems has made an account", f"{row}: {answers}")
                return
            self._arrived(row["email"], made[0]["userId"])
            self.races += 1
            time.sleep(rng.uniform(0.3, 1.5))

    def _sign_in(self):
        rng = self.stage.random("imports sign in")
        names = self.stage.installation.names("auth")
        while not self.stage.is_over():
            if self.newcomers:
                self._enter(self.newcomers.pop(0), rng.choice((names, [rng.choice(names)])))
            time.sleep(rng.uniform(0, 0.2))

    def _enter(self, email, programs):
        """Signs in for the first time, maybe at two programs at once, of which each makes a hash of its own."""
        deadline = time.monotonic() + self.patience
        calls = [(program, "auth/login", {"email": email, "password": PASSWORD,
                                          "idempotencyKey": f"imports-{email}-{program}"}, None) for program in programs]
        while True:
            answers = self._at_once(calls)
            waits = [answer for answer in answers if answer and answer.refusal
                     and answer.refusal.reason == "INVALID_CREDENTIALS" and (answer.attempts > 1 or len(calls) == 1)]
            if not waits or time.monotonic() > deadline:
                break
            calls = calls[:1]
            time.sleep(1)
        if any(not answer or answer.refusal or answer.data["user"]["id"] != self.accounts[email] for answer in answers):
            self.stage.problems.add("an imported person cannot sign in", f"{email}, {self.accounts[email]}: {answers}")
            # Of many the run need not wait for each.
            self.patience = 0
        self.signed_in += 1

    def judge(self):
        names = self.stage.installation.names("auth")
        for number, email in enumerate(self.newcomers):
            self._enter(email, [names[number % len(names)]])
        for number, (rows, counts) in enumerate(zip(self.rows, self.counts)):
            source, expected = f"system-{number}", counts | {"nextPosition": sum(counts.values())}
            for program in names:
                found = self.operator.call("auth", "GET", f"operators/imports/{source}/run", None, program)
                if {name: int(found[name]) for name in expected} != expected:
                    self.stage.problems.add("the counts of an import do not add up", (
                        f"{source} at {program}: {found}, expected {expected}"))
            for position in range(0, len(rows), BATCH_MAX):
                part = rows[position:position + BATCH_MAX]
                answer, = self._send(source, "again", position, part, [names[number % len(names)]])
                wanted = [{"outcome": UNCHANGED, "userId": self.accounts[row["email"]]} for row in part]
                if not answer or answer.refusal or answer.data["results"] != wanted:
                    self.stage.problems.add("an account is not there once", f"{source} from {position}: {answer}")
        return (f"{len(self.accounts)} accounts, {self.again} batches sent again later, {self.races} addresses of two "
                f"systems at once, {self.signed_in} owners signed in")
