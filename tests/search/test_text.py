"""Snippets, dates, addresses and queries as text."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_web.search.dates import published, span_of, split_prefix
from mcp_web.search.escape import escape_operators
from mcp_web.search.hits import clean, make_hit, snippet
from mcp_web.search.locales import locale
from mcp_web.text.shorten import shortened_at_word
from mcp_web.text.urls import domain_of, in_domain, url_key

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("<strong>a</strong> &amp; b", "a & b"),
        ("it&amp;#39;s", "it's"),
        ("use &lt;b&gt; for bold", "use <b> for bold"),
        ("two\u00a0\u2003words\n\tlines", "two words lines"),
        ("in\u200bvis\u202eible\u0007", "invisible"),
        ("cafe\u0301", "café"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
    ],
)
def test_text_is_one_clean_line(raw: str, read: str) -> None:
    assert clean(raw) == read


def test_snippets_lose_their_dots_and_end_at_a_word() -> None:
    assert snippet("one ... ... two ...") == "one … two …"
    assert snippet("...") == ""
    long = "word " * 100
    assert len(snippet(long)) <= 200
    assert snippet(long).endswith("word…")


@settings(deadline=None)
@given(st.text(max_size=400), st.integers(20, 250))
def test_a_shortened_line_is_never_longer_than_asked(text: str, limit: int) -> None:
    assert len(shortened_at_word(clean(text), limit)) <= limit


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-10-02T08:14:05", "2026-10-02T08:14:05+00:00"),
        ("2026-10-02T08:00:00.000Z", "2026-10-02T08:00:00+00:00"),
        ("2026-10-02 08:00:00", "2026-10-02T08:00:00+00:00"),
        ("2026-10-02", "2026-10-02"),
        ("Fri, 02 Oct 2026 08:00:00 GMT", "2026-10-02T08:00:00+00:00"),
        ("September 9, 2023", "2023-09-09"),
        ("Oct 2, 2026", "2026-10-02"),
        ("2 Oct 2026", "2026-10-02"),
        ("Thursday, January 15, 2026", "2026-01-15"),
        ("2026-10-02, 10:00", "2026-10-02"),
        ("2026-10-02 10:00:00 +0000 UTC", "2026-10-02T10:00:00+00:00"),
        ("2026-10-02T10:00:00+02:00[Europe/Berlin]", "2026-10-02T10:00:00+02:00"),
        ("2026-10-02 was a day", None),
        ("2 days ago", "2026-11-13"),
        ("3 hours ago", "2026-11-15T09:00:00+00:00"),
        ("an hour ago", "2026-11-15T11:00:00+00:00"),
        ("5 mins ago", "2026-11-15T11:55:00+00:00"),
        ("1 month ago", "2026-10-16"),
        ("yesterday", "2026-11-14"),
        (1794724438, "2026-11-15T06:33:58+00:00"),
        (1794724438000, "2026-11-15T06:33:58+00:00"),
        (2021, None),
        (float("nan"), None),
        ("", None),
        ("soon", None),
        ("2026-13-45", None),
        (None, None),
    ],
)
def test_dates_in_many_hands(written: object, read: str | None) -> None:
    assert published(written, NOW) == read


@pytest.mark.parametrize(
    ("said", "read"),
    [
        *[
            (text, "2026-11-13")
            for text in ("vor 2 Tagen", "il y a 2 jours", "hace 2 días", "há 2 dias", "2 giorni fa")
        ],
        *[(text, "2026-11-13") for text in ("2 dagen geleden", "för 2 dagar sedan", "2 dni temu", "2 дня назад")],
        *[(text, "2026-11-13") for text in ("2 gün önce", "2 日前", "2天前", "2일 전", "2 hari yang lalu", "2d ago")],
        *[(text, "2026-11-15T09:00:00+00:00") for text in ("vor 3 Std.", "il y a 3 h", "3 ore fa", "3 uur geleden")],
        *[(text, "2026-11-15T09:00:00+00:00") for text in ("3 часа назад", "3 時間前", "3小时前", "3시간 전")],
        *[(text, "2025-11-15") for text in ("vor einem Jahr", "il y a 1 an", "1 год назад", "1年前", "há 1 ano")],
        *[(text, "2026-11-14") for text in ("gestern", "hier", "ayer", "ontem", "вчера", "昨日", "어제")],
        *[(text, "2026-10-02") for text in ("02.10.2026", "2. 10. 2026", "2026年10月2日", "2026. 10. 2.")],
        *[(text, None) for text in ("3 Tage", "2 days", "999999 years ago", "31.02.2026", "vor Tagen", "9" * 400)],
        ("1794724438", "2026-11-15T06:33:58+00:00"),
        (10**400, None),
    ],
)
def test_ages_and_numbers_need_no_language(said: object, read: str | None) -> None:
    assert published(said, NOW) == read


def test_a_spoken_date_in_another_language() -> None:
    assert published("vor 2 Tagen", NOW, "de") == "2026-11-13"
    assert published("il y a 3 jours", NOW, "fr-FR") == "2026-11-12"


def test_googles_date_before_the_snippet() -> None:
    assert split_prefix("Oct 2, 2026 ... asyncio is", NOW) == ("2026-10-02", "asyncio is")
    assert split_prefix("2026-10-02 - asyncio is", NOW) == ("2026-10-02", "asyncio is")
    assert split_prefix("2 days ago — news", NOW) == ("2026-11-13", "news")
    assert split_prefix("vor 3 Tagen — Neues", NOW) == ("2026-11-12", "Neues")
    assert split_prefix("2 oct 2026 · texto", NOW, "es") == ("2026-10-02", "texto")
    notes = "2026-10-02 release notes — text"
    for plain in (
        notes,
        "Plain - text",
        "Chapter 3 — text",
        "In May 2026 — we met",
        "1984 — a novel",
        "Hier — ein Text",
    ):
        assert split_prefix(plain, NOW, "en") == (None, plain)


def test_spans() -> None:
    assert span_of("2026-01-01..2026-02-01", date(2026, 11, 15)) == (date(2026, 1, 1), date(2026, 2, 1))
    assert span_of("week", date(2026, 11, 15))[0] == date(2026, 11, 8)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://www.Example.org:80/a/", "https://example.org/a"),
        ("https://m.example.org/a?utm_source=x&b=2&a=1", "https://example.org/a?a=1&b=2#top"),
        ("https://example.org/index.html", "https://example.org"),
        ("https://example.org/a%20b", "https://example.org/a b"),
        ("https://amp.example.org/x?fbclid=1", "https://example.org/x?gclid=2"),
    ],
)
def test_the_same_page_under_two_addresses(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/watch?v=1", "https://example.org/watch?v=2"),
        ("https://example.org/?id=1", "https://example.org/"),
        ("https://example.org:8080/", "https://example.org/"),
        ("https://docs.example.org/", "https://example.org/"),
        ("https://app.example/#/one", "https://app.example/#/two"),
        ("https://m.co/a", "https://co/a"),
    ],
)
def test_different_pages_stay_different(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (" https://a.example/x \n", "https://a.example/x"),
        ("//a.example/x", "https://a.example/x"),
        ("HTTPS://A.example/x", "HTTPS://A.example/x"),
        ("https://a.example/a b", "https://a.example/a%20b"),
        ("https://a.example/a\n\tb", "https://a.example/ab"),
        ("https://a.example/\u202egnp.exe", "https://a.example/%E2%80%AEgnp.exe"),
        ('https://a.example/</x>"', "https://a.example/%3C/x%3E%22"),
        ("https://a.example/a%2Fb?x=1%26y#top", "https://a.example/a%2Fb?x=1%26y#top"),
        ("https://b\u00fccher.example/\u00e4", "https://b\u00fccher.example/\u00e4"),
        ("https://a.example/\ud800", None),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("magnet:?xt=1", None),
        ("/relative", None),
        ("https://", None),
        ("", None),
        (7, None),
        (None, None),
    ],
)
def test_an_address_is_one_line_that_opens(written: object, read: str | None) -> None:
    hit = make_hit("T", written)
    assert (hit.url if hit else None) == read


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_has_a_key(text: str) -> None:
    assert isinstance(url_key(text), str)
    assert isinstance(domain_of(text), str)


def test_domains() -> None:
    assert domain_of("https://www.imdb.com/title") == "imdb.com"
    assert in_domain("https://docs.python.org/3/", "python.org")
    assert in_domain("https://docs.python.org/3/library/", "docs.python.org/3")
    assert not in_domain("https://notpython.org/", "python.org")
    assert not in_domain("https://python.org/2/", "python.org/3")
    assert in_domain("https://python.org/docs", "python.org/docs/")
    assert not in_domain("https://python.org/docs-old/", "python.org/docs")


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("!!g test", '"!!g" test'),
        ("!wp berlin", '"!wp" berlin'),
        ("css !important rule", 'css "!important" rule'),
        (":de wetter", '":de" wetter'),
        ("<3 hearts", '"<3" hearts'),
        ("?what", '"?what"'),
        ("!! test", "test"),
        ('"exact !g phrase" x', '"exact g phrase" x'),
        ("what is http://a.example/x?y=!z", "what is http://a.example/x?y=!z"),
        ("  spaced   out ", "spaced out"),
        ("c++ a != b", 'c++ a "!=" b'),
        ("!!", '"!!"'),
    ],
)
def test_no_word_of_a_query_is_a_command(asked: str, sent: str) -> None:
    assert escape_operators(asked) == sent


@settings(deadline=None)
@given(st.text(alphabet='ab!:<? "\t\n', max_size=40))
def test_no_word_begins_like_a_command(text: str) -> None:
    assert not any(word.startswith(("!", ":", "<", "?")) for word in escape_operators(text).split())


def test_locales_in_each_providers_codes() -> None:
    british = locale("en", "GB")
    assert (british.brave_country, british.brave_language, british.google_gl) == ("GB", "en-gb", "uk")
    assert (british.ddgs, british.searxng) == ("uk-en", "en-GB")
    assert locale("ja", None).brave_language == "jp"
    assert locale("zh-TW", None) == locale("zh-Hant", None) == locale("zh-hant", "TW")
    assert locale("zh-TW", None).google_lr == "lang_zh-TW"
    assert locale("sr-Latn", None) == locale("sr", None)
    assert locale("he-IL", None).google_hl == "iw"
    assert locale("id", None).brave_language is None
    assert locale("hi", None).google_lr is None
    assert locale("de", "US").brave_country == "US"
    assert locale(None, "CZ").brave_country == "ALL"
    assert locale(None, None) == locale("", "")
    assert locale("no", None).brave_language == "nb"
    assert locale("xx", "YY").searxng == "xx-YY"
