"""A hundred thousand people with a role on one place: how soon the list is there, and what reading far costs."""

import sqlite3
import subprocess
import time

from .pages import looked_at

COUNT, PER_PAGE, PAGES = 100_000, 50, 50
SHOWN_MAX, OPENED_MAX, GROWN_MAX = 4 * PER_PAGE, 1.0, 1_000_000
DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def _identifier(kind, number):
    """An identifier as services make them, by a number."""
    text = ""
    for _ in range(26):
        number, digit = divmod(number, 32)
        text = DIGITS[digit] + text
    return f"{kind}_{text}"


def _move_in(stage, unit):
    """Writes the people and their roles into the store of TenancyService: giving them one by one takes hours."""
    now = int(time.time() * 1000)
    with stage.away("tenancy"):
        store = sqlite3.connect(stage.data / "tenancy.db")
        [revision] = store.execute("SELECT max(revision) FROM association").fetchone()
        store.executemany("INSERT INTO person (user_id, name, name_key, version, asked_at) VALUES (?, ?, ?, 1, ?)", (
            (_identifier("usr", one), f"Member {one:06}", f"member {one:06}", now) for one in range(COUNT)))
        store.executemany("""INSERT INTO association (id, user_id, entity_id, role, granted_by, created_at, added, variant,
            updated_at, revision, name_key) VALUES (?, ?, ?, 'tenant', ?, ?, ?, '', ?, ?, ?)""", (
            (_identifier("asc", one), _identifier("usr", one), unit, stage.accounts["grace"]["id"], now, one - COUNT, now,
             revision, f"member {one:06}") for one in range(COUNT)))
        store.commit()
        store.close()
        # Another program has changed it.
        subprocess.run([stage.programs / "tenancy-service", "accept-store", "--config", stage.data / "tenancy.json"],
                       check=True, stdout=subprocess.DEVNULL)


def _heap(page):
    """Bytes that the page's script holds, what is no longer needed left out."""
    page.send("HeapProfiler.collectGarbage")
    return page.send("Runtime.getHeapUsage")["usedSize"]


def _rows(page):
    return page.evaluate("document.querySelectorAll('tbody tr').length")


def _search(page, text):
    """Types into the one search field that is shown."""
    page.evaluate("""[...document.querySelectorAll("[name=search]")].find((one) => one.checkVisibility()).select()""")
    page.send("Input.insertText", text=text)


def many(stage):
    """The first page comes within a second, fifty pages take no more memory than four, and a search answers for what was
    typed last, whichever answer comes first."""
    unit = stage.as_("grace", "tenancy", "POST", f"properties/{stage.things['property']}/units", {"name": "Stadium"})["id"]
    _move_in(stage, unit)
    # What a service has just been started with, it reads once.
    began = time.monotonic()
    stage.as_("grace", "tenancy", "GET", f"entities/{unit}")
    started = time.monotonic() - began
    page = stage.enter("grace")
    began = time.monotonic()
    page.go(f"/objects/{unit}")
    page.shows("Member 000049")
    opened = time.monotonic() - began
    page.settled()
    longest, sizes = 0, []
    for number in range(1, PAGES):
        began = time.monotonic()
        page.click("Show more")
        page.shows(f"Member {PER_PAGE * (number + 1) - 1:06}")
        longest = max(longest, time.monotonic() - began)
        assert _rows(page) <= SHOWN_MAX, f"{_rows(page)} rows are shown"
        if number in (5, PAGES - 1):
            sizes.append(_heap(page))
    focused = page.evaluate("document.activeElement.closest('tr')?.innerText ?? ''")
    assert f"Member {PER_PAGE * (PAGES - 1):06}" in focused, f"the focus is on {focused}"
    page.shows(f"Rows {PER_PAGE * (PAGES - 4) + 1:,} to {PER_PAGE * PAGES:,}")
    looked_at(stage, page, "grace-members")
    page.click("Show earlier ones")
    page.shows(f"Member {PER_PAGE * (PAGES - 5):06}")
    page.shows(f"Rows {PER_PAGE * (PAGES - 5) + 1:,} to {PER_PAGE * (PAGES - 1):,}")
    began = time.monotonic()
    _search(page, "Member 0999")
    page.shows("Member 099900")
    found = time.monotonic() - began
    assert "Member 00" not in page.text(), "what was there before the search is left over"
    _answers_out_of_order(page)
    print(f"checks/console: of {COUNT:,} members the first page is there after {1000 * opened:.0f} ms, the slowest of {PAGES} "
          f"after {1000 * longest:.0f} ms, a search after {1000 * found:.0f} ms; the page holds {sizes[0] / 1e6:.1f} MB "
          f"after 6 pages and {sizes[1] / 1e6:.1f} MB after {PAGES}; the "
          f"first call after a start took {1000 * started:.0f} ms", flush=True)
    assert opened <= OPENED_MAX and longest <= OPENED_MAX and found <= OPENED_MAX, (opened, longest, found)
    assert sizes[1] - sizes[0] <= GROWN_MAX, f"{sizes[1] - sizes[0]} bytes more after {PAGES} pages"


def _answers_out_of_order(page):
    """The answer for what was typed first comes last, and is not shown."""
    page.evaluate("""(() => { const plain = window.fetch; window.fetch = async (url, options) => {
        const answer = await plain(url, options);
        const isFirst = /text=Member\\+0123(&|$)/.test(String(url));
        const text = await answer.text();
        if (isFirst) await new Promise((go) => setTimeout(go, 1500));
        // Behind all that follows from the answer without another wait.
        answer.text = async () => { if (isFirst) setTimeout(() => { window.late = true; }, 100); return text; };
        return answer;
      }; })()""")
    _search(page, "Member 0123")
    page.until("performance.getEntriesByType('resource').some((one) => /text=Member\\+0123(&|$)/.test(one.name))")
    _search(page, "Member 077777")
    page.shows("Member 077777")
    page.until("window.late")
    assert "Member 077777" in page.text() and "Member 012300" not in page.text(), "an answer for what was typed before is shown"
