"""Purchases that are reported at both programs at once and refunded, while all services are asked what they give."""

import threading
import time

from ..calls import Unknown
from ..history import Read, Register
from ..people import Person

# What is bought for oneself, and for an organization, with the plan that it gives; and something that nobody else gets.
OWN, SHARED, UNIQUE = "urgood_premium_monthly", "equiduty_pro_monthly", "com.unifiedsmarthome.compliancepack1"
PLANS = {OWN: "premium", SHARED: "pro"}
FREE = "free"
# An action that the shared plan alone makes possible.
ACTION = "organization.manage_integrations"
APPLIED, UNCHANGED = "TRANSACTION_RESULT_APPLIED", "TRANSACTION_RESULT_UNCHANGED"
# Numbers of purchases, of one buyer each.
NUMBERS = 1_000_000


class Behind:
    """The faults that an answer may be old for: of the program that gave it, and of those that it asked."""

    def __init__(self, stage):
        self.faults, self.asked = stage.faults, stage.installation.names("entitlement")

    def touched(self, program, since, until):
        names = [program] if program in self.asked else [program, *self.asked]
        return any(self.faults.touched(name, since, until) for name in names)


class Purchases:
    name = "purchases"

    def prepare(self, stage):
        self.stage = stage
        self.buyers = [Person(stage.installation, f"purchases-{number}") for number in range(2)]
        self.rivals = [Person(stage.installation, f"purchases-rival-{number}") for number in range(2)]
        organization = self.buyers[1].call("tenancy", "POST", "entities", {
            "entity": {"type": "organization", "name": "Purchases"}, "idempotencyKey": "purchases"})["id"]
        self.subjects = [None, {"kind": "SUBJECT_KIND_ORGANIZATION", "id": organization}]
        self.products = [OWN, SHARED]
        self.plans = [Register(f"plan of {product}", FREE) for product in self.products]
        # Of each buyer the plan that each version of the subject had, and the numbers of what was bought.
        self.versions, self.bought = [{}, {}], [set(), set()]
        # Of what two claimed: who has it.
        self.claimed, self.reads = {}, 0

    def threads(self):
        for number in range(len(self.buyers)):
            yield lambda number=number: self._buy(number)
            yield lambda number=number: self._read(number)
        yield self._claim

    def _report(self, reports):
        """The answers to purchases that are handed in at once; each is a person, a program or None, a path and a body."""
        answers = [None] * len(reports)

        def report(number, person, program, path, body):
            answers[number] = self.stage.installation.call(
                self.stage.random(body["idempotencyKey"]), "entitlement", "POST", f"iap/{path}", body, person.shows, program)

        threads = [threading.Thread(target=report, args=(number, *row)) for number, row in enumerate(reports)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def _buy(self, number):
        rng, count = self.stage.random(f"purchases {number}"), 0
        product = self.products[number]
        while not self.stage.is_over():
            count += 1
            purchase = NUMBERS * (number + 1) + count
            self.bought[number].add(str(purchase))
            for is_refunded in (False, True):
                if not self._change(rng, number, purchase, product, is_refunded):
                    return
                time.sleep(rng.uniform(0, 0.5))

    def _change(self, rng, number, purchase, product, is_refunded):
        """Hands one signed purchase in, maybe twice at once with a key each: one of the two changes something."""
        signed = self.stage.app_store.transaction(product, purchase, is_refunded=is_refunded)
        subject, register = self.subjects[number], self.plans[number]
        path, body = rng.choice((("transactions", {"signedTransaction": signed}),
                                 ("validate-receipt", {"receiptData": signed, "productId": product})))
        if subject:
            body["subject"] = subject
        key = f"purchases-{purchase}-{is_refunded}"
        names = self.stage.installation.names("entitlement")
        write = register.begin(FREE if is_refunded else PLANS[product])
        write.start = time.monotonic()
        answers = self._report([
            (self.buyers[number], name, path, body | {"idempotencyKey": f"{key}-{name}"})
            for name in rng.choice((names, [rng.choice(names)]))])
        if None in answers or any(answer.refusal for answer in answers):
            self.stage.problems.add("a purchase was refused", f"{key}: {answers}")
            return False
        results = sorted(answer.data["result"] for answer in answers)
        if results != [APPLIED, UNCHANGED][:len(results)]:
            self.stage.problems.add("not one of the reports of a purchase has changed something", f"{key}: {answers}")
        first = min(answers, key=lambda answer: answer.end)
        write.program, write.end = first.program, first.end
        for answer in answers:
            self._note(number, answer.data["version"], write.value, answer)
            # Who reports it is shown the plan that it has given.
            if user := answer.data.get("user"):
                # It lists the organizations of the user's roles, and says when it does not know those.
                if not user.get("missingContext"):
                    self._seen(number, user, Read(None, answer.start, answer.end, f"profile of {answer.program}", write))
        return True

    def _note(self, number, version, plan, answer):
        """Of one version there is one plan."""
        if self.versions[number].setdefault(version, plan) != plan:
            self.stage.problems.add("one version of a subject has two plans", (
                f"{self.plans[number].name}: version {version}, {self.versions[number][version]} and {plan}: {answer}"))

    def _seen(self, number, user, read):
        """A plan as a profile has it: the user's own, or that of the organization among all."""
        subject = self.subjects[number]
        plans = {plan["subject"]["id"]: plan["tier"] for plan in user["plans"]}
        read.value = plans.get(subject["id"]) if subject else user["plan"]
        self.plans[number].add(read)

    def _read(self, number):
        rng = self.stage.random(f"purchases reader {number}")
        while not self.stage.is_over():
            service = rng.choice(("auth", "entitlement", "entitlement", *(["tenancy"] if self.subjects[number] else [])))
            self._look(number, service, rng.choice(self.stage.installation.names(service)))
            time.sleep(rng.uniform(0, 0.1))

    def _look(self, number, service, program):
        """Asks one program of a service once for the plan, or for what it makes possible."""
        subject, person = self.subjects[number], self.buyers[number]
        method, path, body = {
            "auth": ("GET", "users/me", None),
            "entitlement": ("GET", "entitlements" + (
                f"?subject.kind={subject['kind']}&subject.id={subject['id']}" if subject else ""), None),
            "tenancy": ("POST", "permissions/check", {"action": ACTION, "entityId": subject and subject["id"]}),
        }[service]
        try:
            answer = self.stage.installation.once(service, program, method, path, body, person.token)
        except Unknown:
            return
        if answer.refusal:
            self.stage.problems.add("a look at a plan was refused", f"{path}: {answer}")
            return
        self.reads += 1
        read = Read(None, answer.start, answer.end, program, None)
        if service == "auth":
            self._seen(number, answer.data, read)
            return
        if service == "entitlement":
            read.value = answer.data["tier"]
            self._note(number, answer.data["version"], read.value, answer)
        else:
            read.value = PLANS[SHARED] if answer.data["allowed"] else FREE
        self.plans[number].add(read)

    def _claim(self):
        """One purchase that two hand in at both programs at once: it is one's, until the other restores it."""
        rng, count = self.stage.random("purchases claims"), 0
        names = self.stage.installation.names("entitlement")
        while not self.stage.is_over():
            count += 1
            purchase = str(NUMBERS * 10 + count)
            signed = self.stage.app_store.transaction(UNIQUE, purchase)
            rivals = rng.sample(self.rivals, 2)
            answers = self._report([
                (rival, name, "transactions", {"signedTransaction": signed, "idempotencyKey": f"{purchase}-{rival}"})
                for rival, name in zip(rivals, names)])
            won = [rival for rival, answer in zip(rivals, answers) if answer and not answer.refusal]
            if len(won) != 1 or any(answer.refusal and answer.refusal.reason != "ALREADY_CLAIMED" for answer in answers):
                self.stage.problems.add("not one of two has a purchase", f"{purchase}: {answers}")
                return
            self.claimed[purchase] = won[0]
            if rng.random() < 0.3:
                self._restore(purchase, signed, next(rival for rival in rivals if rival is not won[0]))
            time.sleep(rng.uniform(0, 0.5))

    def _restore(self, purchase, signed, rival):
        answer, = self._report([(rival, None, "restore", {
            "signedTransactions": [signed], "idempotencyKey": f"{purchase}-restore"})])
        if not answer or answer.refusal or answer.data["transactions"][0]["result"] != APPLIED:
            self.stage.problems.add("a purchase was not restored", f"{purchase}: {answer}")
            return
        self.claimed[purchase] = rival

    def _listed(self, person, program):
        """The purchases of a person by their numbers; one that is there twice is a problem."""
        found, token = {}, ""
        while True:
            page = self.stage.installation.call(
                self.stage.random(f"{person} {token}"), "entitlement", "GET", f"iap/purchases?limit=1000&pageToken={token}",
                None, person.shows, program).data
            for one in page["purchases"]:
                if one["originalTransactionId"] in found:
                    self.stage.problems.add("a purchase is there twice", f"{person} at {program}: {one}")
                found[one["originalTransactionId"]] = one
            token = page["pagination"]["nextPageToken"]
            if not token:
                return found

    def judge(self):
        behind, oldest = Behind(self.stage), 0.0
        for register in self.plans:
            oldest = max(oldest, register.judge(behind, self.stage.problems))
        expected = {person: numbers for person, numbers in zip(self.buyers, self.bought)} | {
            rival: {number for number, owner in self.claimed.items() if owner is rival} for rival in self.rivals}
        for program in self.stage.installation.names("entitlement"):
            for person, numbers in expected.items():
                if (found := set(self._listed(person, program))) != numbers:
                    self.stage.problems.add("purchases are not those that were acknowledged", (
                        f"{person} at {program}: {sorted(found ^ numbers)[:5]} of {len(numbers)}"))
        writes = sum(len(register.writes) for register in self.plans)
        return (f"{writes} purchases and refunds, {self.reads} looks at what they give, the oldest answer {oldest:.2f} s "
                f"old, {len(self.claimed)} purchases of two people at once")
