"""Every page for each kind of person: nothing in the console, nothing for axe to find, no sideways scrolling."""

import json
import re
import subprocess

EXPECTED = ("Failed to load resource: the server responded with a status of 4",)
WIDTHS = (390, 1280)

# Screens by who looks at them: a name for the picture, the address, and a text that has to be seen.
SCREENS = {
    "olivia": [
        ("start", "/", "Hello, Olivia Operator"), ("places", "/places", "Harbour Homes"),
        ("people", "/people?text=tom", "tom@example.com"), ("person", "/people/<tom>", "Ways to sign in"),
        ("requests", "/requests", "Number of the request"),
        ("why", "/why?person=<tom>&object=<door>&action=device.update", "does not allow it"),
        ("object", "/objects/<property>", "Grace Manager"), ("not-there", "/people/usr_nobody", "or not for you"),
        ("under-way", "/under-way", "Imports of accounts"), ("portfolio", "/objects/<portfolio>", "Set the plan"),
        ("workbench", "/workbench", "Compare with the policy in force")],
    "ada": [
        ("start", "/", "Harbour Homes"), ("places", "/places", "Pier 4"), ("portfolio", "/objects/<portfolio>", "Properties"),
        ("report", "/objects/<portfolio>/report", "Show the report"), ("deletions", "/deletions", "Number of the deletion"),
        ("plan", "/plan?of=<portfolio>", "Features and limits")],
    "grace": [
        ("unit", "/objects/<unit1>", "Tom Tenant"), ("invitations", "/objects/<unit3>", "paula@example.com"),
        ("device", "/devices/<door>", "Guest passes"),
        ("why", "/why?person=<tom>&object=<door>&action=device.update", "Grace Manager")],
    "tom": [
        ("start", "/", "Flat 1"), ("devices", "/devices", "Living room"), ("device", "/devices/<door>", "Unlock"), ("account", "/account", "Language of mails"),
        ("security", "/account/security", "Authenticator app"), ("sessions", "/account/sessions", "This one"),
        ("data", "/account/data", "Export my data")],
    "gus": [("start", "/", "Front door"), ("places", "/places", "Front door"), ("device", "/devices/<door>", "State"),
            ("forbidden", "/people", "or not for you")],
    "fay": [("family", "/objects/<family>", "Paired devices"), ("child", "/objects/<kim>", "Reading"),
            ("places", "/places", "Kim")],
    "rita": [("organization", "/objects/<organization>", "Elbe Stables"), ("stable", "/objects/<stable>", "Hanoverian"),
             ("roles", "/objects/<organization>/roles", "No roles of your own yet"),
             ("webhooks", "/objects/<organization>/webhooks", "No webhooks yet"), ("horse", "/objects/<horse>", "Fury")],
    "nora": [("start", "/", "You have no access yet"), ("plan", "/plan", "Free")],
}
OPEN = [("sign-in", "", "Forgotten your password?"), ("sign-up", "#/sign-up", "Your name"),
        ("forgotten", "#/forgotten", "Send the mail"), ("verify", "verify-email#A_code", "This is my address"),
        ("reset", "reset-password#A_code", "Set a new password"), ("no-code", "reset-password", "Code from the mail"),
        ("invitation", "accept-invitation#A_code", "An invitation is for an account")]


def _address(stage, path):
    for key, value in ({who: account["id"] for who, account in stage.accounts.items()} | stage.things).items():
        path = path.replace(f"<{key}>", value)
    return path


# Words of tables, buttons and marks that go over two lines though they are short.
BROKEN = """[...document.querySelectorAll("table, button, .button, .badge")].filter((one) => one.checkVisibility()).flatMap((one) => {
    const found = [], walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const {0: word, index} of node.textContent.matchAll(/(?<!\\S)\\p{L}{2,20}(?!\\S)/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({top}) => Math.round(top))).size > 1) found.push(word);
      }
    }
    return found; })"""
# Buttons that are called the same, of which a person cannot know which does what.
SAME = """[...document.querySelectorAll(".title button, .title .button, dialog[open] button")].map((one) => one.ariaLabel || one.textContent)
    .filter((one, index, all) => all.indexOf(one) !== index)"""


def inspect(stage, page, name, width, dark):
    """What is wrong with what the page shows."""
    page.picture(stage.pictures / f"{name}-{width}-{'dark' if dark else 'light'}.png")
    problems = []
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        problems.append(f"scrolls sideways by {wide} px")
    if page.evaluate("typeof window.axe") == "undefined":
        page.evaluate(stage.axe + ";0")
    found = page.evaluate("""axe.run(document, {resultTypes: ["violations"]}).then(({violations}) =>
        violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`))""")
    problems += [f"axe: {one}" for one in found]
    if page.evaluate("[...document.querySelectorAll('[hidden]')].some((one) => one.checkVisibility())"):
        problems.append("something hidden is visible")
    if page.evaluate("document.querySelectorAll('h1').length") != 1:
        problems.append("has not one h1")
    problems += [f"breaks the word {one}" for one in page.evaluate(BROKEN)[:5]]
    problems += [f"has two buttons {one}" for one in page.evaluate(SAME)]
    if page.evaluate("typeof window.pwned") != "undefined":
        problems.append("ran a name")
    problems += [f"said: {one}" for one in page.messages if not one.startswith(EXPECTED)]
    page.messages.clear()
    return [f"{name} at {width} px, {'dark' if dark else 'light'}: {one}" for one in problems]


def looked_at(stage, page, name):
    """Has what a check shows be narrow and dark, then wide and light, with nothing wrong."""
    problems = []
    for width, dark in ((WIDTHS[0], True), (WIDTHS[1], False)):
        page.look(width, dark)
        page.settled()
        problems += inspect(stage, page, name, width, dark)
    assert not problems, "\n".join(problems)


def checker(stage):
    """What is wrong is found: what finds nothing proves nothing otherwise."""
    page = stage.nobody()
    page.open("http://localhost:7401/console/")
    page.shows("Forgotten your password?")
    page.evaluate("""document.querySelector("main").append(document.createElement("button"),
        Object.assign(document.createElement("div"), {textContent: "wide", className: "planted"}));
        document.querySelector(".planted").style.width = "3000px"; console.warn("planted"); window.pwned = 1;
        const narrow = Object.assign(document.createElement("button"), {textContent: "together"});
        narrow.style.cssText = "width: 3rem; padding: 0; display: block; overflow-wrap: anywhere";
        const title = Object.assign(document.createElement("div"), {className: "title"});
        for (const one of [1, 2]) title.append(Object.assign(document.createElement("button"), {textContent: "Twice"}));
        document.querySelector("main").append(narrow, title)""")
    found = " ".join(inspect(stage, page, "nobody-planted", 1280, False))
    for sign in ("button-name", "scrolls sideways", "said: planted", "ran a name", "breaks the word together", "two buttons Twice"):
        assert sign in found, f"{sign} was not found: {found}"


def everybody(stage):
    """Each screen narrow and wide, the one light and the other dark, in turns."""
    problems = []
    for who, screens in SCREENS.items():
        page = stage.enter(who)
        for width in WIDTHS:
            for index, (name, path, text) in enumerate(screens):
                dark = (index % 2 == 0) == (width == WIDTHS[0])
                page.look(width, dark)
                page.go(_address(stage, path))
                page.shows(text)
                page.settled()
                problems += inspect(stage, page, f"{who}-{name}", width, dark)
    assert not problems, "\n".join(problems)


def entrance(stage):
    """What nobody has to sign in for; codes of mails leave the address at once."""
    problems = []
    for index, (name, path, text) in enumerate(OPEN):
        page = stage.nobody()
        for width in WIDTHS:
            dark = (index % 2 == 0) == (width == WIDTHS[0])
            page.look(width, dark)
            page.open("about:blank")
            page.open(f"http://localhost:7401/console/{path}")
            page.shows(text)
            problems += inspect(stage, page, f"nobody-{name}", width, dark)
            assert "A_code" not in page.evaluate("location.href + document.title"), f"{name} keeps its code in the address"
    assert not problems, "\n".join(problems)


def narrow(stage):
    """The narrowest and the widest windows."""
    page = stage.enter("grace")
    for width in (320, 2560):
        page.look(width)
        for path in ("/places", _address(stage, "/devices/<door>"), _address(stage, "/objects/<unit1>"), "/account/security"):
            page.go(path)
            page.settled()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} at {width} px"


# Numbers what takes the focus, in the order of the page; then what has it, and whether one sees that.
NUMBERED = """[...document.querySelectorAll("a[href],button,input,select,textarea,summary,[tabindex]")]
    .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0).map((one, index) => { one.dataset.order = index; return one.type ?? ""; })"""
FOCUSED = """(() => { const one = document.activeElement; if (!one || one === document.body) return null;
    const {top, bottom} = one.getBoundingClientRect();
    return {order: Number(one.dataset.order ?? -1), seen: getComputedStyle(one).outlineStyle !== "none" && top < innerHeight && bottom > 0, html: one.outerHTML.slice(0, 160)}; })()"""
# A control for a time has so many stops of its own.
STOPS = 8


def keyboard(stage):
    """Tab reaches all that can be used, in the order of the page, where one sees it; a dialog gives the focus back."""
    problems = []
    for who, path, width in (("tom", "/devices", 1280), ("tom", "/account/security", 390), ("ada", "/places", 1280), ("grace", "/objects/<unit1>", 390),
                             ("olivia", "/people/<tom>", 1280), ("fay", "/objects/<kim>", 1280), ("rita", "/objects/<organization>/roles", 390)):
        page = stage.enter(who, width)
        page.go(_address(stage, path))
        page.settled()
        kinds = page.evaluate(NUMBERED)
        page.evaluate("document.querySelector('.skip').focus()")
        visited = []
        for _ in range(len(kinds) + STOPS * kinds.count("datetime-local")):
            if not (focused := page.evaluate(FOCUSED)):
                break
            if not focused["seen"]:
                problems.append(f"{who} at {path}: nobody sees the focus on {focused['html']}")
            if not visited or visited[-1] != focused["order"]:
                visited.append(focused["order"])
            page.press("Tab")
        if visited != list(range(len(kinds))):
            problems.append(f"{who} at {path}: Tab goes to {visited} of {len(kinds)}")
    assert not problems, "\n".join(problems)
    page = stage.enter("grace", path=_address(stage, "/objects/<unit1>"))
    for label, way in (("Let a guest in", "Escape"), ("Change", "Cancel")):
        page.evaluate(f"[...document.querySelectorAll('main button')].find((one) => one.textContent === {json.dumps(label)}).focus()")
        page.press("Enter")
        page.until("Boolean(document.querySelector('dialog[open]')?.contains(document.activeElement))")
        if way == "Escape":
            page.press("Escape")
        else:
            page.click(way)
        page.until(f"!document.querySelector('dialog') && document.activeElement.textContent === {json.dumps(label)}")


def german(stage):
    """What people see most in German, narrow and wide; actions, attributes and values of the products too."""
    page = stage.enter("tom")
    page.click("Deutsch")
    page.shows("Hallo, Tom Tenant")
    assert page.evaluate("document.documentElement.lang") == "de"
    page.go(f"/devices/{stage.things['door']}")
    page.shows("Gästepässe")
    page.shows("Aufschließen")
    page.shows("abgeschlossen → aufgeschlossen")
    page.settled()
    problems = inspect(stage, page, "tom-german", 1280, False)
    for who, path, text in (("fay", "/objects/<kim>", "Geburtsjahr"), ("fay", "/objects/<family>", "Gekoppelte Geräte"),
                            ("rita", "/objects/<organization>/roles", "Eigene Rollen"), ("ada", "/objects/<portfolio>/report", "Bericht anzeigen"),
                            ("grace", "/objects/<unit1>", "Thermostat"), ("grace", "/devices", "Aufschließen"), ("grace", "/why?person=<tom>&object=<door>&action=device.update", "darf „Ändern“ bei Front door nicht"),
                            ("olivia", "/people/<tom>", "Konto deaktivieren"), ("olivia", "/under-way", "Gesperrte Personen")):
        page = stage.enter(who)
        page.click("Deutsch")
        for width in WIDTHS:
            page.look(width, dark=width == WIDTHS[0])
            page.go(_address(stage, path))
            page.shows(text)
            page.settled()
            problems += inspect(stage, page, f"{who}-{path.strip('/').split('/')[-1].split('?')[0].strip('<>')}-german", width, width == WIDTHS[0])
    assert not problems, "\n".join(problems)


def terms(stage):
    """Actions, attributes, values and features of the products have a German name, and no name is for what is gone."""
    schema = stage.as_("grace", "tenancy", "GET", "schema")
    wanted = {f"feature.{one}" for one in json.loads((stage.root / "tiers/default.json").read_text())["features"]}
    for kind in schema["types"]:
        values = list(kind["attributes"])
        for action in kind["actions"]:
            wanted.add("action." + action["name"].split(".", 1)[1])
            operation = action.get("operation") or {}
            values += operation.get("parameters", [])
            wanted |= {f"attribute.{one['sets']}" for one in operation.get("parameters", []) if one.get("sets")}
            if state := operation.get("desiredState"):
                wanted.add(f"value.state.{state}")
        for one in values:
            wanted |= {f"attribute.{one['name']}"} | {f"value.{one['name']}.{choice}" for choice in one["value"]["choices"]}
    keys = {language: set(re.findall(r'"([\w./]+)": "', (stage.root / f"console/terms-{language}.js").read_text())) for language in ("en", "de")}
    own = {key for key in keys["de"] if not key.startswith("look.")}
    assert own == wanted, f"without a name, or names of nothing: {sorted(own ^ wanted)}"
    assert keys["en"] <= keys["de"], f"only in English: {sorted(keys['en'] - keys['de'])}"


def words(stage):
    """Both languages have the same words, and all that screens ask for."""
    folder = stage.root / "console"
    keys = {}
    for language in ("en", "de"):
        text = (folder / f"words-{language}.js").read_text()
        keys[language] = set(re.findall(r'(?:^ +|", |\}, |",\n +)"?([\w.-]+)"?: (?=["{])', text, re.M)) - {"one", "other"}
    assert keys["en"] == keys["de"], f"only in one language: {sorted(keys['en'] ^ keys['de'])}"
    for language in keys:
        keys[language] |= {f"reason.{reason}" for reason in _reasons(folder / f"reasons-{language}.js")}
    names = set(re.findall(r'name: "([a-z_.]+)"', (folder / "event-types.js").read_text()))
    for language in ("en", "de"):
        titles = set(re.findall(r'^  "?([a-z_.]+)"?: "', (folder / f"events-{language}.js").read_text(), re.M))
        wanted = names | {one.split(".")[0] for one in names}
        assert len(names) > 40 and titles == wanted, f"{language}: events without a title, or titles of none: {sorted(titles ^ wanted)}"
    actions = set(subprocess.run([stage.root / "scripts/checks/events", "--list"], check=True, capture_output=True,
                                 text=True).stdout.split())
    for language in ("en", "de"):
        called = set(re.findall(r'^  "([a-z_.]+)": "', (folder / f"deeds-{language}.js").read_text(), re.M))
        assert len(actions) > 100 and called == actions, f"{language}: actions without a name, or names of none: {sorted(called ^ actions)}"
    asked = set()
    for file in folder.glob("*.js"):
        asked |= set(re.findall(r'\bt\("([\w.-]+)"', file.read_text()))
    assert asked <= keys["en"], f"no words for {sorted(asked - keys['en'])}"


def _reasons(file):
    return set(re.findall(r'^  ([A-Z_]+): "', file.read_text(), re.M))


def reasons(stage):
    """Every reason of errors.md has a sentence in both languages, and no sentence is for a reason that is gone."""
    tables = (stage.root / "docs/reference/errors.md").read_text()
    documented = {reason for line in re.findall(r"^\| (`[^|]*) \|", tables, re.M) for reason in re.findall(r"`([A-Z_]+)`", line)}
    assert len(documented) > 250, f"only {len(documented)} reasons were found"
    for language in ("en", "de"):
        words = (stage.root / f"console/words-{language}.js").read_text()
        own = _reasons(stage.root / f"console/reasons-{language}.js")
        said = own | set(re.findall(r'"reason\.([A-Z_]+)": "', words))
        assert documented <= said, f"{language} has no sentence for {sorted(documented - said)}"
        assert own - {"LAST"} <= documented, f"{language} has sentences for {sorted(own - documented)}, which nothing answers"


def sources(stage):
    """Nothing in the files that could make markup of text, or load from elsewhere."""
    for file in (stage.root / "console").iterdir():
        for word in ("insertAdjacentHTML", "document.write", "eval(", "new Function", 'style="', "http://"):
            text = file.read_text().replace("http://www.w3.org/2000/svg", "")
            assert word not in text, f"{file.name} has {word}"

