"""Decides from a page's bytes whether it needs a browser. In doubt it does not: a browser costs a hundred fetches.

A page that has text to read is never rendered, whatever it is built with: frameworks that render on the
server leave the same marks as those that do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mcp_web.model.page import Document

# A page with less text than this counts as empty. A short but complete page ("It works!") has no scripts.
ENOUGH_CHARS = 600
# The most text that a loading screen has.
SHELL_CHARS = 200
_READ_BYTES = 1_000_000

_ROOT = re.compile(
    rb"<(?:div|main|section|app-root|body)\b[^<>]{0,200}\b(?:id|class)\s*=\s*[\"']?"
    rb"(?:root|app|__next|__nuxt|svelte|react-root|app-root|main-app|gatsby|q-app|ember\d*|mount|application)[\"'\s>]",
    re.I,
)
# A root that holds nothing (or a spinner's few tags) before it ends.
_EMPTY_ROOT = re.compile(
    rb"<(div|main|section|app-root)\b[^<>]{0,200}\b(?:id|class)\s*=\s*[\"']?"
    rb"(?:root|app|__next|__nuxt|svelte|react-root|app-root|main-app|gatsby|q-app|mount|application)[\"'\s>][^<]{0,200}"
    rb"(?:<(?:div|span|p|svg|i|img)\b[^<>]{0,200}>[^<]{0,60}(?:</(?:div|span|p|svg|i)>)?\s{0,20}){0,3}\s{0,50}</\1>"
    rb"|<app-root[^<>]{0,200}>\s{0,50}(?:</app-root>|loading)",
    re.I,
)
_WANTS_SCRIPT = re.compile(
    r"(?:enable|turn on|activate|need|require[sd]?|without|activ\w+|habilit\w+|activer|aktivier\w+).{0,40}java ?script"
    r"|java ?script.{0,60}(?:enable|turned? on|activ|need|required?|disabled|deactiv|aktivier|habilit|nécessaire)",
    re.I | re.S,
)
_SCRIPT = re.compile(rb"<script\b(?![^<>]{0,200}\btype\s*=\s*[\"']?(?:application/(?:ld\+)?json|text/template))", re.I)
_DOCS = re.compile(
    rb"\bdocsify\b|\bswagger-ui\b|\bredoc(?:\.standalone|-container)?\b|<redoc\b|<rapi-doc\b|\bscalar/api-reference\b"
    rb"|<elements-api\b|\bstoplight/elements\b|\bgraphiql\b",
    re.I,
)
_TAG = re.compile(rb"<[^<>]*>")
_SILENT = re.compile(rb"<(script|style|noscript|template|svg|title)\b", re.I)


@dataclass(frozen=True, slots=True)
class HtmlFacts:
    """What the bytes of a page show about how it is built."""

    chars: int  # of text outside scripts and styles
    scripts: int
    root: bool  # a framework's mounting point is there
    empty_root: bool  # and it is empty
    wants_script: bool  # the page itself says that it needs JavaScript
    docs_shell: bool  # a known viewer that draws documentation from a specification


def html_facts(body: bytes) -> HtmlFacts:
    """Read the facts from the page's bytes; linear, no parser, so that no page can make it expensive."""
    body = body[:_READ_BYTES]
    spoken, noscript = _spoken(body)
    text = re.sub(rb"\s+", b" ", _TAG.sub(b" ", spoken)).strip()
    visible = text[:4000].decode("utf-8", "replace")
    return HtmlFacts(
        chars=len(text.decode("utf-8", "replace")),
        scripts=len(_SCRIPT.findall(body)),
        root=_ROOT.search(body) is not None,
        empty_root=_EMPTY_ROOT.search(body) is not None,
        wants_script=bool(_WANTS_SCRIPT.search(noscript) or (len(text) < 600 and _WANTS_SCRIPT.search(visible))),
        docs_shell=_DOCS.search(body) is not None,
    )


def _spoken(body: bytes) -> tuple[bytes, str]:
    """The page's visible text, and the text of its `noscript` elements."""
    lowered = body.lower()
    kept: list[bytes] = []
    noscript: list[bytes] = []
    at = 0
    while (begin := _SILENT.search(body, at)) is not None:
        kept.append(body[at : begin.start()])
        name = begin.group(1).lower()
        end = lowered.find(b"</" + name, begin.end())
        if end < 0:  # never closed: the rest is inside
            at = len(body)
            break
        if name == b"noscript":
            noscript.append(body[begin.end() : end][:2000])
        at = end
    kept.append(body[at:])
    return b" ".join(kept), b" ".join(noscript[:10]).decode("utf-8", "replace")


def needs_browser(document: Document | None, facts: HtmlFacts) -> str | None:
    """Why this page needs a browser, a sentence, or None. `document` is what was extracted without one, if anything."""
    read = len(document.markdown.strip()) if document is not None else 0
    if facts.scripts == 0 or read >= ENOUGH_CHARS:
        return None
    if document is not None and document.wall in ("paywall", "login", "bot"):
        return None  # a browser would meet the same wall
    if facts.docs_shell and facts.chars < ENOUGH_CHARS:
        return "The page draws its documentation with a script."
    if facts.empty_root:
        return "The page is an empty frame that its script fills."
    if facts.wants_script and facts.chars < ENOUGH_CHARS:
        return "The page says that it needs JavaScript."
    if facts.chars < SHELL_CHARS and (facts.root or read < SHELL_CHARS):
        return "The page has scripts and next to no text."
    if document is not None and document.wall == "shell":
        return "The page is a shell without its content."
    if facts.root and read < SHELL_CHARS:
        return f"Only {read} characters could be read of a page built by scripts."
    return None
