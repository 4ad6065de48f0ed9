"""Why a page is only part of what its readers get: paywall, login, bot check, consent, empty shell.

On evidence: names that a vendor's own challenge page carries, declarations of the publisher, or a phrase on
a page that has next to no text. A long page is never called a wall because of a word in it. The markers were
checked against a thousand ordinary pages (`tests/extract/test_walls.py`): none of those may be flagged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcp_web.extract import wall_signs as signs
from mcp_web.model.page import Wall
from mcp_web.text.markdown import prose

if TYPE_CHECKING:
    from turbohtml import Node

WallFinding = tuple[Wall | None, str | None]

_SHORT = 1500  # characters of visible text; bot checks and logins stay far below
_EMPTY = 300
_BLANK = 15
_PREVIEW = 3500  # a teaser of some paragraphs
_LOOKED_AT = 2_000_000  # characters of source
_CHALLENGE = 200_000  # characters of source; a page that only asks for proof is a fraction of it
_FORM_PAGE = 600  # characters of all text on a page that is only a form


def detect_wall(
    source: Node | str | bytes, markdown: str, status: int = 200, headers: Iterable[tuple[str, str]] = ()
) -> WallFinding:
    """The kind of wall in front of the page, and a sentence about it; (None, note) where it is only likely.

    `source` is the page as it came (bytes or text), or a tree that nothing was pruned from.
    """
    sent = {name.lower(): value.lower() for name, value in headers}
    if found := _by_status(status, sent):
        return found
    if _shows_plenty(markdown[:6_000]):
        return _not_free(source, markdown)
    shown = _shown(markdown[:12_000])
    if len(shown) > _PREVIEW:
        return _not_free(source, markdown)
    if len(shown) > _SHORT:
        return _paywall(source, shown) or (None, None)
    html = _lowered(source)
    return _instead_of_text(html, shown) or _paywall(source, shown) or _shell(html, shown)


def _shows_plenty(markdown: str) -> bool:
    """Whether more than a preview is shown; a quick count that leaves out white space and possible link targets."""
    first, *rest = markdown.split("](")
    seen = len(first) + sum([len(piece) - end for piece in rest if (end := piece.find(")")) >= 0])
    return seen - markdown.count(" ") - markdown.count("\n") > _PREVIEW


def _by_status(status: int, sent: dict[str, str]) -> WallFinding | None:
    for name, value in signs.BOT_HEADERS.items():
        if name in sent and sent[name].startswith(value):
            return "bot", f"The site answered with a bot check (header {name}) instead of the page."
    if status == 401 or (status in (403, 407) and "www-authenticate" in sent):
        return "login", f"The site asks for a login (HTTP {status})."
    if status == 402:
        return "paywall", "The site asks for payment (HTTP 402)."
    return None


def _not_free(source: Node | str | bytes, markdown: str) -> WallFinding:
    """A page with plenty of text: only the publisher's own declaration counts, and the text may be whole."""
    raw = source if isinstance(source, (str, bytes)) else source.html
    declaration = b"isAccessibleForFree" if isinstance(raw, bytes) else "isAccessibleForFree"
    if declaration not in raw or not signs.NOT_FREE.search(_lowered(raw)):  # type: ignore[operator]  # same kind of string
        return None, None
    if match := signs.PAYWALL_WORDS.search(_shown(markdown[-4000:])):
        return "paywall", f"Content appears to be behind a paywall (“{match[0]}”); only its beginning is shown."
    return None, "The publisher marks this page as not free; the text may stop before its end."


def _instead_of_text(html: str, shown: str) -> WallFinding | None:
    """Pages that are nothing but the wall."""
    if len(shown) > _SHORT:
        return None
    head = html[:_CHALLENGE]
    for vendor, marks in signs.BOT_MARKS:
        if any(mark in head for mark in marks):
            return "bot", f"The site shows a bot check by {vendor} instead of the page."
    if match := signs.BOT_WORDS.search(shown) or signs.BOT_WORDS.search(_words(html) if len(shown) <= _EMPTY else ""):
        return "bot", f"The site shows a bot check instead of the page (“{match[0]}”)."
    asked: set[str] = set()
    if signs.CONSENT_WORDS.search(shown):
        asked = {match[0].lower() for match in signs.CONSENT_WORDS.pattern.finditer(shown)}
    if len(asked) >= 2 or (asked and any(mark in html for mark in signs.CONSENT_MARKS)):
        return "consent", "The page shows little but a cookie or consent dialogue."
    # Below a list of threads the same words only ask who wants to answer.
    if match := signs.LOGIN_WORDS.search(shown if len(shown) <= _FORM_PAGE else shown[:_EMPTY]):
        return "login", f"The page asks for a login (“{match[0]}”)."
    return ("login", "The page is a login form.") if _is_login_form(html) else None


def _is_login_form(html: str) -> bool:
    if "password" not in html or not signs.PASSWORD.search(html):
        return False
    # Forums have a hidden login form on every page; only one with a visible request to log in counts.
    title = signs.TITLE.search(html)
    if title and signs.LOGIN_TITLE.search(title[1]):
        return True
    words = _words(html)
    return len(words) <= _FORM_PAGE and bool(signs.LOGIN_TITLE.search(words))


def _paywall(source: Node | str | bytes, shown: str) -> WallFinding | None:
    if match := signs.PAYWALL_WORDS.search(shown[-2500:]):
        return "paywall", f"Content appears to be behind a paywall (“{match[0]}”); only its beginning is shown."
    if isinstance(source, bytes) and b"isAccessibleForFree" not in source and b"article:content_tier" not in source:
        return None
    html = _lowered(source)
    if signs.NOT_FREE.search(html) or signs.LOCKED.search(html):
        return "paywall", "The publisher marks this page as not free, and only its beginning is shown."
    return None


def _shell(html: str, shown: str) -> WallFinding:
    """A page that its scripts would fill. Scripts alone prove nothing: every page has them."""
    nothing = None if shown else "The page shows no text that can be read."
    if len(shown) > _EMPTY or not any(mark in html for mark in ("<script", "modulepreload", 'as="script"')):
        return None, nothing
    asked = any(signs.ASKS_SCRIPTS.search(match[1]) for match in signs.NOSCRIPT.finditer(html))
    blank = len(shown) <= _BLANK and len(_words(html[html.find("<body") :])) <= _BLANK
    if asked or blank or signs.ROOT.search(html) or signs.ASKS_SCRIPTS.search(shown.lower()):
        return "shell", "The page holds almost no text without its scripts."
    return None, nothing


def _shown(markdown: str) -> str:
    """The text without link targets, white space folded."""
    return " ".join(prose(markdown).split())


def _lowered(source: Node | str | bytes) -> str:
    if isinstance(source, bytes):
        # Every mark is ASCII, so any ASCII-compatible reading will do.
        return source[:_LOOKED_AT].lower().decode("latin-1")
    return (source if isinstance(source, str) else source.html)[:_LOOKED_AT].lower()


def _words(html: str) -> str:
    """The text of a page without its scripts and tags."""
    text = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", html[:300_000], flags=re.S)
    return " ".join(re.sub(r"<[^>]{0,2000}>", " ", text).split())
