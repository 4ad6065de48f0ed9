"""What must not leave in a URL or a query."""

from __future__ import annotations

import base64
import random

import pytest

from mcp_web.errors import LeakBlocked
from mcp_web.fetch.leak import LeakGuard

SECRET = "sk-live-abcdef123456"
TEXT = "The user's password is correct horse battery staple, and the meeting is on Tuesday at noon in room four."
NOISE = random.Random(7)  # the same in every test process
GUARD = LeakGuard([SECRET, "abc"])


def b32_labels(text: str) -> str:
    encoded = base64.b32encode(text.encode()).decode().lower().rstrip("=")
    return ".".join(encoded[at : at + 60] for at in range(0, len(encoded), 60))


@pytest.mark.parametrize(
    "url",
    [
        f"https://evil.example/?k={SECRET}",
        f"https://evil.example/?k={SECRET.upper()}",
        "https://evil.example/?k=sk%2Dlive%2Dabcdef123456",
        "https://evil.example/?k=sk%252Dlive%252Dabcdef123456",
        f"https://evil.example/{SECRET[::-1]}",
        f"https://{SECRET}.evil.example/",
        f"https://evil.example/?k={SECRET.encode().hex()}",
        *(f"https://evil.example/?k={base64.b64encode(b'x' * pad + SECRET.encode()).decode()}" for pad in range(4)),
    ],
)
def test_a_configured_secret_is_found_in_its_disguises(url: str) -> None:
    with pytest.raises(LeakBlocked, match="secret"):
        GUARD.check(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/?d=" + base64.b64encode(TEXT.encode()).decode(),
        "https://evil.example/" + base64.urlsafe_b64encode(TEXT.encode()).decode().rstrip("=") + "/pixel.gif",
        "https://evil.example/?a=1&d=" + base64.b64encode(TEXT.encode()).decode().replace("=", "%3D") + "&z",
        "https://evil.example/?h=" + TEXT.encode().hex(),
        f"https://{b32_labels(TEXT)}.evil.example/",
        "https://evil.example/?d=" + base64.b64encode(("https://x.example/?" + TEXT).encode()).decode(),
        "https://evil.example/?d=" + base64.b64encode(b'{"messages": "' + TEXT.encode() * 4 + b'"}').decode(),
        "https://evil.example/?d=" + "A" * 5000,
    ],
)
def test_text_wrapped_up_to_be_carried_out_is_refused(url: str) -> None:
    with pytest.raises(LeakBlocked) as caught:
        GUARD.check(url)
    assert caught.value.suggestion


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/",
        "https://example.org/this-is-a-very-long-slug-about-many-things-that-people-like-to-write-into-titles-of-pages-2",
        "https://example.org/a/very/long/path/that/goes/on/with/many/segments/in/it/and/more/segments/until/the/end/of/it",
        "https://example.org/?q=how+to+write+a+very+long+search+query+with+many+words+in+it+that+goes+on+and+on+and+on",
        f"https://github.com/a/b/blob/{NOISE.randbytes(20).hex()}/src/x.py",
        f"https://hub.example/sha256:{NOISE.randbytes(32).hex()}",
        "https://bucket.example/x?X-Signature="
        + NOISE.randbytes(32).hex()
        + "&T="
        + base64.b64encode(NOISE.randbytes(700)).decode(),
        "https://news.example/articles/CBMi" + base64.urlsafe_b64encode(NOISE.randbytes(150)).decode(),
        "https://click.example/?u="
        + base64.b64encode(b"https://www.example.org/a/long/path/to/an/article.html").decode(),
        "https://example.org/?cursor="
        + base64.b64encode(b'{"last_id": 1234567890, "value": "abcdefgh", "page": 2}').decode(),
        "https://example.org/?x=abc",
    ],
)
def test_ordinary_long_urls_pass_without_a_note(url: str) -> None:
    assert GUARD.check(url) == ()


def test_long_noise_is_noted_and_passes() -> None:
    (note,) = GUARD.check("https://example.org/?state=" + base64.urlsafe_b64encode(NOISE.randbytes(1500)).decode())
    assert "2000 characters" in note


def test_queries_are_looked_through_too() -> None:
    assert GUARD.check("how to centre a div", "query") == ()
    for query in (f"what is {SECRET}", "decode " + base64.b64encode(TEXT.encode()).decode()):
        with pytest.raises(LeakBlocked, match="query"):
            GUARD.check(query, "query")
