"""One reading of a URL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_web.errors import InvalidUrl
from mcp_web.text.urls import host_matches, join, parse_url, url_key

WPT = Path(__file__).resolve().parents[2] / ".." / "shared" / "security" / "wpt" / "urltestdata.json"


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("example.org", "https://example.org/"),
        ("  Example.ORG/A b?q=1#frag \n", "https://example.org/A%20b?q=1"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/x", "https://example.org/x"),
        ("example.org:8080/x", "https://example.org:8080/x"),
        ("//example.org/x", "https://example.org/x"),
        ("HTTP://EXAMPLE.org./x", "http://example.org/x"),
        ("https://bücher.example/ä?ö=ü", "https://xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC"),
        ("https://example.org/a/../b/./c", "https://example.org/b/c"),
        ("https://example.org/?b=2&a=1&b=3", "https://example.org/?b=2&a=1&b=3"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::FFFF:1.2.3.4]/", "http://[::ffff:102:304]/"),
        ("https://example.org/%2e%2e/x", "https://example.org/x"),
        ("localhost:3000", "https://localhost:3000/"),
    ],
)
def test_it_is_made_canonical(typed: str, canonical: str) -> None:
    assert parse_url(typed).href == canonical
    assert parse_url(canonical).href == canonical


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "/etc/passwd",
        "../x",
        "?q=1",
        "file:///etc/passwd",
        "local_file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "mailto:a@example.org",
        "http://",
        "http://exa mple.org/",
        "http://user@example.org/",
        "http://:pw@example.org/",
        "http://example.org\\@evil.example/",
        "http://example.org/a\\b",
        "http://exam\tple.org/",
        "http://example.org/a\r\nX-Injected: 1",
        "http://example.org/\x00",
        "http://example.org:99999/",
        "http://example.org:0/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://a..b/",
        "http://example.org../",
        "https://example.org/" + "a" * 9000,
    ],
)
def test_it_is_refused_with_a_sentence(typed: str) -> None:
    with pytest.raises(InvalidUrl) as caught:
        parse_url(typed)
    assert caught.value.message.endswith(".")
    assert len(caught.value.message) < 300


def test_the_parts_are_what_a_socket_and_a_request_line_want() -> None:
    url = parse_url("http://[2606:4700::1]:8080/a/b?c=d")
    assert (url.scheme, url.host, url.port, url.path, url.query) == ("http", "2606:4700::1", 8080, "/a/b", "c=d")
    assert url.origin == "http://[2606:4700::1]:8080"
    assert url.authority == "[2606:4700::1]:8080"
    assert url.target == "/a/b?c=d"
    assert str(url) == url.href


@pytest.mark.parametrize(
    ("reference", "joined"),
    [
        ("c", "https://example.org/a/c"),
        ("/c", "https://example.org/c"),
        ("?x", "https://example.org/a/b?x"),
        ("//other.example/c", "https://other.example/c"),
        ("http://other.example", "http://other.example/"),
        ("", "https://example.org/a/b?q"),
    ],
)
def test_a_reference_is_resolved_against_its_page(reference: str, joined: str) -> None:
    assert join(parse_url("https://example.org/a/b?q"), reference).href == joined


@pytest.mark.parametrize("reference", ["javascript:x", "http://u:p@example.org/", "/a\\b", "/a\nb", "http://[::1"])
def test_a_reference_is_refused_like_a_url(reference: str) -> None:
    with pytest.raises(InvalidUrl):
        join(parse_url("https://example.org/"), reference)


@pytest.mark.skipif(not WPT.exists(), reason="the URL test data of the web platform are not on this machine")
def test_hosts_agree_with_the_web_platform_tests() -> None:
    rows = [row for row in json.loads(WPT.read_text()) if isinstance(row, dict) and row.get("base") is None]
    compared = 0
    for row in rows:
        typed = row["input"]
        if not typed.lower().startswith(("http://", "https://")):
            continue
        try:
            url = parse_url(typed)
        except InvalidUrl:
            continue  # stricter than a browser on purpose: credentials, backslashes, control characters
        compared += 1
        assert not row.get("failure"), typed
        assert url.authority.rstrip(".") == row["host"].rstrip(".")
    assert compared > 80


@given(st.text(max_size=100))
def test_any_text_gives_a_canonical_url_or_a_clean_error(text: str) -> None:
    try:
        url = parse_url(text)
    except InvalidUrl:
        return
    assert parse_url(url.href) == url
    assert url.scheme in ("http", "https")
    assert "@" not in url.authority
    assert url.href.isascii()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://www.example.org/a/", "http://example.org/a"),
        ("https://m.example.org/a?utm_source=x&b=2&a=1", "https://example.org/a?a=1&b=2"),
        ("https://example.org/a?fbclid=1&gclid=2#frag", "https://example.org/a"),
        ("https://en.m.wikipedia.org/wiki/X", "https://en.wikipedia.org/wiki/X"),
        ("https://example.org", "https://example.org/"),
        ("https://www.example.org/\ud800?q=\ud800", "http://example.org/\ud800?q=\ud800"),
    ],
)
def test_spellings_of_one_page_have_one_key(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/a?v=1", "https://example.org/a?v=2"),
        ("https://example.org/A", "https://example.org/a"),
        ("https://a.example.org/", "https://b.example.org/"),
        ("https://m.co/", "https://co/"),
        ("https://example.org:8080/", "https://example.org/"),
        ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ],
)
def test_different_pages_have_different_keys(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


@pytest.mark.parametrize(
    ("host", "pattern", "matches"),
    [
        ("example.org", "example.org", True),
        ("a.b.example.org", "example.org", True),
        ("example.org", "Example.ORG.", True),
        ("example.org", "https://example.org/path", True),
        ("example.org", ".example.org", True),
        ("a.example.org", "*.example.org", True),
        ("example.org", "*.example.org", False),
        ("notexample.org", "example.org", False),
        ("example.org.evil.example", "example.org", False),
        ("xn--bcher-kva.example", "bücher.example", True),
        ("anything.example", "*", True),
        ("10.0.0.1", "0.0.1", False),
    ],
)
def test_domains_are_compared_by_whole_labels(host: str, pattern: str, matches: bool) -> None:
    assert host_matches(host, pattern) is matches
