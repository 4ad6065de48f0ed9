"""Inspects the bytes of an HTML page: whether scripts fill it, and its text without them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_READ_BYTES = 1_000_000
_SHORT = 600  # characters: a longer text that speaks of JavaScript is about it

_ROOT = re.compile(
    rb"<(?:div|main|section|app-root|body)\b[^<>]{0,200}\b(?:id|class)\s*=\s*[\"']?"
    rb"(?:root|app|__next|__nuxt|svelte|react-root|app-root|main-app|gatsby|q-app|ember\d*|mount|application)[\"'\s>]",
    re.I,
)
# A root element that is empty, or has only the few tags of a spinner.
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
    rb"|<elements-api\b|\bstoplight/elements\b|\bgraphiql\b"
)
# One of them is in every match: searching for the pattern takes four times as long as all else on a large page.
_DOCS_SIGNS = (
    b"docsify",
    b"swagger-ui",
    b"redoc",
    b"rapi-doc",
    b"scalar/",
    b"elements-api",
    b"stoplight/",
    b"graphiql",
)
_TAG = re.compile(rb"<[^<>]*>")
_CODE = re.compile(rb"<(script|style|svg)\b", re.I)
_SILENT = re.compile(rb"<(script|style|noscript|template|svg|title)\b", re.I)


@dataclass(frozen=True, slots=True)
class HtmlFacts:
    """How much text and how many scripts an HTML page has, and signs that scripts fill it."""

    chars: int  # of text outside scripts and styles
    scripts: int
    root: bool  # a framework's mounting point is there
    empty_root: bool  # and it is empty
    wants_script: bool  # the page itself says that it needs JavaScript
    docs_shell: bool  # a known viewer that draws documentation from a specification


def html_facts(body: bytes) -> HtmlFacts:
    """Read from the bytes of a page how it is built, in linear time and without a parser."""
    body = body[:_READ_BYTES]
    lowered = body.lower()
    shown, noscript = _split(body, _SILENT)
    text = _without_tags(shown)
    return HtmlFacts(
        chars=len(text),
        scripts=len(_SCRIPT.findall(body)),
        root=_ROOT.search(body) is not None,
        empty_root=_EMPTY_ROOT.search(body) is not None,
        wants_script=bool(_WANTS_SCRIPT.search(noscript) or (len(text) < _SHORT and _WANTS_SCRIPT.search(text))),
        docs_shell=any(sign in lowered for sign in _DOCS_SIGNS) and _DOCS.search(lowered) is not None,
    )


def page_text(body: bytes) -> str:
    """The text in the first million bytes of a page, including its title and `noscript` elements, without scripts,
    styles and drawings; white space is collapsed."""
    return _without_tags(_split(body[:_READ_BYTES], _CODE)[0])


def _without_tags(html: bytes) -> str:
    return " ".join(_TAG.sub(b" ", html).decode("utf-8", "replace").split())


def _split(body: bytes, silent: re.Pattern[bytes]) -> tuple[bytes, str]:
    """(the page without the elements whose opening tags match `silent`, the text of those that are `noscript`)."""
    lowered = body.lower()
    kept: list[bytes] = []
    noscript: list[bytes] = []
    at = 0
    while (begin := silent.search(body, at)) is not None:
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
