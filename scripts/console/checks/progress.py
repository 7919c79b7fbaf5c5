"""Deletions of accounts and objects, and imports, as they go on."""

import json

from .pages import looked_at
from .support import sam

ROWS_PER_PAGE = 50


def _import(stage, run, position, count):
    """Imports so many accounts of a run, from a position on."""
    return stage.as_("olivia", "auth", "POST", "operators/imports", {
        "source": "old-crm", "run": run, "position": position, "rows": [
            {"sourceId": f"{run}-{one}", "email": f"{run}-{one}@import.example"} for one in range(position, position + count)]})


def _cells(page, beginning):
    """What the row that begins so says."""
    return page.evaluate(f"""[...document.querySelectorAll("tbody tr")].find((row) => row.innerText.includes({json.dumps(beginning)}))?.innerText""") or ""


def deletions(stage):
    """One that waits is in the list with the person, its state and when it goes on; taken back, it is gone."""
    stage.sign_up("dell", "Della Deleting")
    begun = stage.as_("dell", "auth", "POST", "users/me/deletion", {})
    page = stage.enter("olivia", path="/under-way")
    page.shows("Della Deleting")
    row = _cells(page, "Della Deleting")
    assert "Can still be cancelled" in row and "in 7 days" in row and begun["id"] in row, row
    page.settled()
    looked_at(stage, page, "olivia-deletions")
    page.click(begun["id"])
    page.shows("How far a deletion is")
    page.shows("Can still be cancelled")
    page.go("/under-way")
    page.click("Della Deleting")
    page.until("document.querySelector('h1').textContent === 'Della Deleting'")
    stage.sign_in("dell")
    stage.as_("dell", "auth", "DELETE", "users/me/deletion")
    page.go("/under-way")
    page.shows("No account is being deleted.")


def finished(stage):
    """What erases at once is seen to go on without a reload, and then is among those that are done, without a name."""
    file = stage.data / "auth.json"
    before = file.read_text()
    with stage.away("auth"):
        file.write_text(json.dumps(json.loads(before) | {"deletion": {"grace_hours": 0}}))
    try:
        stage.sign_up("eda", "Eda Erased")
        page = stage.enter("olivia", path="/under-way")
        page.shows("Deletions of accounts")
        page.settled()
        with stage.frozen("entitlement"):
            begun = stage.as_("eda", "auth", "POST", "users/me/deletion", {})
            page.reload()
            page.shows("Being erased", 15)
            page.shows(begun["id"])
            page.evaluate("window.stays = true")
        page.shows("No account is being deleted.", 90)
        assert page.evaluate("window.stays"), "the page was loaded again"
        page.evaluate("""(() => { const box = document.querySelector("select[name=finished]"); box.value = "true";
            box.dispatchEvent(new Event("change")); })()""")
        page.shows(begun["id"])
        assert "Eda" not in page.text() and "Erased" in _cells(page, begun["id"]), page.text()
        assert page.evaluate("location.hash").endswith("?finished=true")
    finally:
        with stage.away("auth"):
            file.write_text(before)


def imports(stage):
    """A run that goes on is read again by itself, as far as the list is shown; a proof is not asked for by itself."""
    stage.sign_in("olivia")
    for number in range(ROWS_PER_PAGE + 1):
        _import(stage, f"run-{number:02}", 0, 1)
    page = stage.enter("olivia", path="/under-way")
    newest = f"run-{ROWS_PER_PAGE:02}"
    page.shows(newest)
    page.settled()
    assert "run-00" not in page.text(), "the first page has all"
    page.click("Show more")
    page.shows("run-00")
    assert page.evaluate("[...document.querySelectorAll('tbody tr')].filter((row) => row.innerText.includes('run-')).length") == ROWS_PER_PAGE + 1
    _import(stage, newest, 1, 2)
    page.until(f"""[...document.querySelectorAll("tbody tr")].some((row) =>
        row.innerText.includes("{newest}") && [...row.cells].some((cell) => cell.innerText.trim().endsWith("3")))""", 8)
    assert "run-00" in page.text(), "what was shown is gone"
    looked_at(stage, page, "olivia-imports")
    page.evaluate("""(() => { const plain = window.fetch; window.fetch = async (url, options) =>
        String(url).includes("/operators/imports?") && !window.proven ? new Response(JSON.stringify({status: "error", message: "prove it",
          details: {code: "UNAUTHENTICATED", reason: "STEP_UP_REQUIRED", metadata: {step_up: "fresh", acr_values: "pwd"}}}), {status: 401})
        : plain(url, options); })()""")
    page.shows("to look again takes a recent proof", 8)
    assert not page.evaluate("Boolean(document.querySelector('dialog'))"), "it asks for a proof by itself"
    page.evaluate("window.proven = true")
    page.click("Look again")
    page.until("!document.body.innerText.includes('takes a recent proof')")


# Lets the pauses of a module pass at once, and keeps how long they would have been.
HURRY = """(() => { const plain = window.setTimeout; window.pauses = [];
    window.setTimeout = (run, pause, ...more) => {
      if (!new Error().stack.split("\\n")[2]?.includes("/pace.js")) return plain(run, pause, ...more);
      window.pauses.push(pause);
      return plain(run, window.holds ? 1e6 : 30, ...more); }; })()"""

# Several of the pauses that HURRY leaves.
A_WHILE = "new Promise((resolve) => { setTimeout(resolve, 300); })"


def _asked(page, part):
    return sum(part in url for _, url in page.requests)


def pauses(stage):
    """The longer nothing is new, the seldomer the lists are read, and not at all while nobody can see them: each reading
    stands in the audit log."""
    stage.sign_up("dorothy", "Dorothy Deleting")
    stage.as_("dorothy", "auth", "POST", "users/me/deletion", {})
    page = stage.enter("olivia", path="/")
    page.evaluate(HURRY)
    page.go("/under-way")
    page.shows("Dorothy Deleting")
    page.until("pauses.includes(480000) && pauses.filter((one) => one === 600000).length >= 4")
    page.evaluate("window.holds = true")
    pauses = page.evaluate("pauses")  # of all lists, which wait for answers of their own
    doubled = [60_000, 120_000, 240_000, 480_000]
    assert [one for one in pauses if one in doubled] == doubled and max(pauses) == 600_000, pauses
    page.until("pauses.length > 5 && !document.querySelector('[aria-busy=true]')")
    page.evaluate("""Object.defineProperty(document, "hidden", {configurable: true, get: () => window.isHidden ?? false});
        window.isHidden = true; document.dispatchEvent(new Event("visibilitychange"))""")
    waiting, asked = page.evaluate("pauses.length"), _asked(page, "/operators/deletions?")
    page.evaluate("window.holds = false")
    stage.sign_in("dorothy")
    stage.as_("dorothy", "auth", "DELETE", "users/me/deletion")
    page.evaluate(A_WHILE)
    assert page.evaluate("pauses.length") == waiting and _asked(page, "/operators/deletions?") == asked, "it looks while hidden"
    page.evaluate("window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    page.shows("No account is being deleted.")


def of_object(stage):
    """A deletion of an object that does not go on is looked at less often, and no longer once another is looked for."""
    place = stage.entity("ada", "portfolio", "Gone Homes")
    page = stage.enter("ada", path="/")
    page.evaluate(HURRY)
    with stage.frozen("entitlement"):
        number = stage.as_("ada", "tenancy", "DELETE", f"entities/{place}?cascade=true")["deletionId"]
        page.go(f"/deletions?id={number}")
        page.shows("Under way")
        page.until("pauses.filter((one) => one === 24000).length >= 2")
        # The deletion, and the list of the viewer's own.
        pauses = page.evaluate("pauses")
        assert [pauses.count(one) for one in (3_000, 6_000, 12_000, 24_000)] == [2, 2, 2, 2], pauses
        page.fill("id", "edl_nothing")
        page.press("Enter")
        page.shows("or not for you")
        asked = _asked(page, number)
        page.evaluate(A_WHILE)
        assert _asked(page, number) == asked, "the one before is looked at still"
    page.go(f"/deletions?id={number}&again=1")
    page.shows("Finished", 60)


def objects(stage):
    """People find what they have deleted in a list, with its name; support people see everybody's, and by whom."""
    stage.sign_up("odo", "Odo Owner")
    family_ = stage.entity("odo", "family", "The Goners")
    with stage.frozen("entitlement"):
        begun = stage.as_("odo", "tenancy", "DELETE", f"entities/{family_}?cascade=true")["deletionId"]
        page = sam(stage)
        page.click("Under way")
        page.shows("The Goners")
        row = _cells(page, "The Goners")
        assert all(part in row for part in ("Family", "Odo Owner", "Under way", "0 of 1", begun)), row
        page.settled()
        looked_at(stage, page, "sam-deletions")
        page.evaluate("window.stays = true")
        own = stage.enter("odo", path="/deletions")
        own.shows("The Goners")
        assert "Odo Owner" not in _cells(own, "The Goners"), "a list of one's own says who"
    page.shows("No object is being deleted.", 90)
    own.until("document.querySelector('tbody')?.innerText.includes('Finished')", 90)
    assert page.evaluate("window.stays"), "the page was loaded again"
    page.evaluate("""(() => { const box = document.querySelector("select[name=finished_objects]"); box.value = "true";
        box.dispatchEvent(new Event("change")); })()""")
    page.click(begun)
    page.until("['Odo Owner', '1 of 1'].every((one) => document.querySelector('dl')?.innerText.includes(one))")
    page.click("Odo Owner")
    page.until("document.querySelector('h1').textContent === 'Odo Owner'")
    page.go("/deletions?id=edl_nothing")
    page.shows("or not for you")


def by_support(stage):
    """Support people see the same, and are offered nothing to decide."""
    stage.sign_up("dov", "Dov Deleting")
    stage.as_("dov", "auth", "POST", "users/me/deletion", {})
    page = sam(stage)
    page.click("Under way")
    page.shows("Dov Deleting")
    page.shows("Imports of accounts")
    page.settled()
    assert "Suspended people" not in page.text() and not page.evaluate("Boolean(document.querySelector('main .danger'))")
    stage.sign_in("dov")
    stage.as_("dov", "auth", "DELETE", "users/me/deletion")
