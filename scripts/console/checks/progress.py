"""Deletions of accounts and imports, as they go on."""

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
