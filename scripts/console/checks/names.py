"""Names that would do something if they were taken for more than text: shown as they are, everywhere."""

import json

from ..people import Refused
from .pages import EXPECTED

BASES = [
    "<img src=x onerror=pwned=1>", "<svg onload=pwned=1>", "<script>pwned=1</script>", "\"><script>pwned=1</script>",
    "' onmouseover='pwned=1", "javascript:pwned=1", "{{constructor.constructor('pwned=1')()}}", "${pwned=1}",
    "<iframe srcdoc='<script>parent.pwned=1</script>'>", "<a href=javascript:pwned=1>x</a>", "<math><mtext><img src=x onerror=pwned=1>",
    "<style>*{display:none}</style>", "</title><script>pwned=1</script>", "<!--<script>pwned=1</script>-->", "&lt;b&gt;&amp;", "%3Cscript%3E",
    "<details open ontoggle=pwned=1>", "=HYPERLINK(1)", "+1+1", "@SUM(1)", "a" * 199, "Ünïcödé ☃ 漢字 عربى", "__proto__", "constructor", "toString",
]
TAILS = ["", " a", " <b>", " \"", " '", " &amp;", " `", " \\"]


def corpus():
    """200 names, each of at most 200 bytes."""
    return [(base + tail).encode()[:200].decode(errors="ignore").strip() for base in BASES for tail in TAILS]


def everywhere(stage):
    """As names of devices in lists and titles, and of people in search, members and dialogs."""
    texts = sorted(set(corpus()))
    house, made = stage.things["property"], []
    room = stage.as_("grace", "tenancy", "POST", f"properties/{house}/units", {"name": "<b>Attic</b>"})["id"]
    for start in range(0, len(texts), 45):
        for text in texts[start:start + 45]:
            try:
                made.append((stage.as_("grace", "tenancy", "POST", "devices", {
                    "propertyId": house, "unitId": room, "name": text, "type": "light", "attributes": {}})["id"], text))
            except Refused as refused:
                assert refused.args[0] in (400, 403), f"{text}: {refused.args}"
    assert len(made) >= 150, f"only {len(made)} names were taken"
    page = stage.enter("grace", path=f"/objects/{room}")
    page.settled()
    shown = set(page.evaluate("[...document.querySelectorAll('tbody th a bdi')].map((one) => one.textContent)"))
    assert len(shown) == 50 and shown <= {text for _, text in made}, sorted(shown - {text for _, text in made})[:3]
    for device, text in made[::8]:
        page.go(f"/devices/{device}")
        page.until(f"document.querySelector('h1 bdi')?.textContent === {json.dumps(text)}")
    page.settled()
    eve = stage.enter("olivia", path=f"/people/{stage.accounts['eve']['id']}")
    eve.until("document.querySelector('h1 bdi')?.textContent.startsWith('<img')")
    eve.click("Disable")
    eve.until("document.querySelector('dialog[open] p').textContent.includes('<img src=x')")
    for one in (page, eve):
        assert one.evaluate("typeof window.pwned") == "undefined", "a name ran"
        said = [text for text in one.messages if not text.startswith(EXPECTED)]
        assert not said, said
