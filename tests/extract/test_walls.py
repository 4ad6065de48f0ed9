"""What stands between us and a page, told apart on evidence, and never seen on ordinary pages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mcp_web.extract.document import extract_document
from mcp_web.extract.options import ExtractOptions
from mcp_web.extract.walls import detect_wall
from mcp_web.model.page import ExtractRequest, Fetched, Wall

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "extraction"
PROSE = "An ordinary sentence about gardens and rivers, as pages have them. " * 100


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<title>Just a moment...</title><script>window._cf_chl_opt={cvId:'3'}</script>", ""),
        ("<script>var dd={'rt':'c'}</script><script src=https://ct.captcha-delivery.com/c.js>", ""),
        ('<title>Access denied</title><div id="px-captcha"></div>', "Press & Hold to confirm you are a human"),
        ("Request unsuccessful. Incapsula incident ID: 1-2", "Request unsuccessful. Incapsula incident ID: 1-2"),
        ("<h1>Access Denied</h1> https://errors.edgesuite.net/18.1", "# Access Denied"),
        ("<script>window.gokuProps={}</script>", ""),
        ("<link href=/.within.website/x/cmd/anubis/static/x.css>", "Making sure you're not a bot!"),
        ("<title>Vercel Security Checkpoint</title>", "We're verifying your browser"),
        ("<p>Checking your browser before accessing example.org</p>", "Checking your browser before accessing"),
        ("<p>Please verify you are a human</p>", ""),
    ],
)
def test_challenge_pages_of_the_vendors_are_bot_walls(html: str, markdown: str) -> None:
    wall, note = detect_wall(f"<html><body>{html}</body></html>".encode(), markdown)
    assert wall == "bot"
    assert note


def test_challenge_header_is_enough() -> None:
    assert detect_wall(b"", "", 403, (("CF-Mitigated", "challenge"),))[0] == "bot"


def test_scripts_that_a_vendor_puts_on_every_page_are_no_wall() -> None:
    html = "<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script><script>window._pxAppId='x'</script>"
    assert detect_wall(html.encode(), PROSE) == (None, None)
    assert detect_wall(f"{html}<p>{PROSE[:400]}</p>".encode(), PROSE[:400]) == (None, None)


def test_article_about_bot_checks_is_no_wall() -> None:
    text = PROSE + " Sites ask you to verify you are human. Subscribe to continue reading, they say."
    assert detect_wall(f"<p>{text}</p>".encode(), text) == (None, None)


@pytest.mark.parametrize("declared", ['"isAccessibleForFree": false', '"isAccessibleForFree":"False"'])
def test_teaser_that_the_publisher_declares_as_not_free_is_a_paywall(declared: str) -> None:
    html = '<script type="application/ld+json">{' + declared + "}</script><p>Teaser</p>"
    assert detect_wall(html.encode(), "A teaser of one sentence.")[0] == "paywall"


def test_long_text_declared_as_not_free_is_only_noted() -> None:
    wall, note = detect_wall(b'<script>{"isAccessibleForFree": false}</script>', PROSE)
    assert wall is None
    assert note is not None
    assert "not free" in note


@pytest.mark.parametrize(
    "phrase",
    [
        "Subscribe to continue reading",
        "This post is for paid subscribers",
        "This article requires a subscription...",
        "Dieser Artikel ist nur für Abonnenten",
        "Cet article est réservé aux abonnés",
        "Already a subscriber? Sign in",
    ],
)
def test_short_text_that_asks_for_a_subscription_is_a_paywall(phrase: str) -> None:
    assert detect_wall(b"<p>x</p>", f"First paragraph of the story.\n\n{phrase}")[0] in ("paywall", "login")


def test_login_pages_are_login_walls() -> None:
    form = "<title>Sign in</title><form><input name=u><input type='password' name=p></form>"
    assert detect_wall(form.encode(), "Email Password")[0] == "login"
    assert detect_wall(b"<p>x</p>", "You must be logged in to view this page.")[0] == "login"
    assert detect_wall(b"", "", 401)[0] == "login"


def test_hidden_login_form_of_a_forum_is_no_login_wall() -> None:
    html = (
        "<title>A thread</title><form id=hidden-login-form><input type=password></form><p>The whole short answer.</p>"
    )
    assert detect_wall(html.encode(), "The whole short answer.") == (None, None)


def test_consent_page_is_told_apart() -> None:
    text = "We value your privacy. We and our 842 partners store information. Accept all cookies. Manage choices."
    assert detect_wall(b"<p>x</p>", text)[0] == "consent"


@pytest.mark.parametrize(
    "body",
    [
        "<noscript>You need to enable JavaScript to run this app.</noscript><div id='root'></div>",
        '<div id="__next"></div>',
        "<app-root></app-root>",
        "<section id=main></section>",
    ],
)
def test_page_that_only_scripts_would_fill_is_a_shell(body: str) -> None:
    html = f"<html><head><title>App</title></head><body>{body}<script src=/main.js></script></body></html>"
    wall, note = detect_wall(html.encode(), "")
    assert wall == "shell"
    assert note is not None
    assert "scripts" in note


def test_page_without_any_text_says_so() -> None:
    wall, note = detect_wall(b"<html><body><p></p></body></html>", "")
    assert wall is None
    assert note is not None
    assert "no text" in note


def test_short_page_without_scripts_is_no_shell() -> None:
    assert detect_wall(b"<html><body><p>It works!</p></body></html>", "It works!") == (None, None)


def test_short_page_with_an_analytics_script_is_no_shell() -> None:
    html = "<body><p>It works! This is the default page.</p><script src=/a.js></script></body>"
    assert detect_wall(html.encode(), "It works! This is the default page.") == (None, None)


def test_list_that_asks_for_a_login_only_to_answer_is_no_wall() -> None:
    threads = "\n\n".join(f"[A thread about pumps, number {at}](https://e.org/t/{at})" for at in range(30))
    assert detect_wall(b"<body><p>x</p></body>", f"{threads}\n\nYou must log in to post here.") == (None, None)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the extraction dev set is not beside this checkout")
def test_ordinary_pages_of_the_dev_set_are_not_flagged() -> None:
    """Every fourth of 732 real pages; over all of them three are flagged, teasers of declared paywalls."""
    allowed: dict[Wall, int] = {"paywall": 2, "shell": 1, "login": 0, "bot": 0, "consent": 0}
    flagged: dict[str, list[str]] = {}
    for line in (SHARED / "manifest.jsonl").read_text().splitlines()[::4]:
        row = json.loads(line)
        body = gzip.decompress((SHARED / "html" / row["set"] / f"{row['id']}.html.gz").read_bytes())
        page = Fetched(row["url"], row["url"], 200, (), body, "text/html", "utf-8", 0.0)
        document = extract_document(page, ExtractRequest(), ExtractOptions())
        wall, _ = detect_wall(body, document.markdown)
        if wall:
            flagged.setdefault(wall, []).append(row["id"])
    assert {wall: len(ids) for wall, ids in flagged.items() if len(ids) > allowed[wall]} == {}, flagged  # type: ignore[index]
