"""How much is sent, and how soon one can use it."""

import gzip
import time
import urllib.request

from ..stage import HOME

BYTES_MAX, REQUESTS_MAX, MILLISECONDS_MAX = 150_000, 9, 1000


def _fetch(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
        return answer.headers, answer.read()


def budget(stage):
    page = stage.nobody()
    page.open(HOME)
    page.shows("Forgotten your password?")
    own = [url for method, url in page.requests if method == "GET" and "/console/" in url]
    sent = sum(len(_fetch(url.split("#")[0])[1]) for url in own)
    packed = sum(len(gzip.compress(_fetch(url.split("#")[0])[1])) for url in own)
    assert len(own) <= REQUESTS_MAX, f"{len(own)} requests"
    assert sent <= BYTES_MAX, f"{sent} bytes"
    print(f"checks/console: the first page is {sent:,} bytes ({packed:,} in gzip) in {len(own)} requests", flush=True)


def quick(stage):
    """From Enter to the first screen, and from a reload to it."""
    page = stage.enter("tom")
    page.reload()
    page.shows("Hello, Tom Tenant")
    page.settled()
    took = page.evaluate("performance.now()")
    assert took <= MILLISECONDS_MAX, f"{took:.0f} ms after a reload"
    print(f"checks/console: a reload is usable after {took:.0f} ms", flush=True)


def kept(stage):
    """The page is asked for again, what it loads is not."""
    headers, body = _fetch(HOME)
    assert headers["cache-control"] == "no-cache" and headers["etag"], headers
    script = body.decode().split('src="')[1].split('"')[0]
    headers, plain = _fetch(f"http://localhost:7401{script}")
    assert "immutable" in headers["cache-control"], headers["cache-control"]
    for word in ("script-src 'self'", "require-trusted-types-for 'script'", "frame-ancestors 'none'"):
        assert word in headers["content-security-policy"], word
    deadline = time.monotonic() + 10
    while True:
        # The first who asks has it packed, and gets it as it is.
        headers, packed = _fetch(f"http://localhost:7401{script}", **{"accept-encoding": "gzip"})
        if headers["content-encoding"] or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    assert headers["content-encoding"] == "gzip" and gzip.decompress(packed) == plain
