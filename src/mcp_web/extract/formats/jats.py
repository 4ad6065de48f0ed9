"""JATS, the XML format of scholarly articles → HTML → Markdown: sections, tables, lists, formulas, references."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import assemble
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.extract.xml_elements import Element, attribute, child, local, parse_xml
from mcp_web.model.page import Document, Fetched

MEDIA_TYPE = "application/jats+xml"
_SAME = frozenset("table thead tbody tfoot tr th td sub sup p code hr col colgroup".split())  # noqa: SIM905
_TAGS = {
    "italic": "em", "bold": "strong", "monospace": "code", "list-item": "li", "disp-quote": "blockquote",
    "preformat": "pre", "caption": "div", "label": "strong", "def-list": "dl", "def": "dd", "term": "dt",
    "ref-list": "section", "ref": "li", "fig": "div", "table-wrap": "div", "boxed-text": "section", "sec": "section",
    "abstract": "section", "ack": "section", "app": "section", "fn": "p", "disp-formula": "p", "break": "br",
}  # fmt: skip
_DROPPED = frozenset(
    "graphic media inline-graphic tex-math supplementary-material object-id pub-id comment processing-meta".split()  # noqa: SIM905
)
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_SECTIONS = frozenset({"sec", "abstract", "ack", "app", "ref-list", "boxed-text"})


def read_jats(page: Fetched) -> Document:
    """Reads the title, body, figures, appendices and references of an article; raises ExtractFailed without text."""
    root = _parsed(page.body, page.final_url)
    article = root if local(root.tag) == "article" else next(root.iter("article"), root)
    title = "".join(_texts(child(article, "front", "article-meta", "title-group", "article-title")))
    parts = [_html(part, 1) for name in ("body", "floats-group", "back") if (part := child(article, name)) is not None]
    text, hidden = snippet_markdown("".join(parts), page.final_url, relative_links=False)
    if not text:
        raise ExtractFailed(f"{page.final_url} has no text of the article.", url=page.final_url)
    return assemble(page, "jats", text, title=title, kind="article", hidden=hidden)


def abstract_markdown(xml: str, base: str) -> str:
    """An abstract as catalogues provide it (with JATS elements, with HTML, or plain) as Markdown, without a heading."""
    plain = xml.replace("jats:", "")
    try:
        html = _html(_parsed(f"<abstract>{plain}</abstract>".encode(), base), 2)
    except ExtractFailed:
        html = plain  # HTML, or a text with a bare "<"
    text = snippet_markdown(html, base)[0]
    return text.removeprefix("## Abstract").removeprefix("### Abstract").strip()


def _parsed(data: bytes, url: str) -> Element:
    """The root element of an article. Raises ExtractFailed."""
    try:
        return parse_xml(data)
    except ValueError as error:
        raise ExtractFailed(f"The article at {url} {error}.", url=url) from error


def _html(element: Element, depth: int) -> str:
    """A JATS element as HTML; `depth` is the level of its headings, 1 for the highest."""
    name = local(element.tag)
    if not name or name in _DROPPED:
        return ""
    inner = escape(element.text or "", quote=False) + "".join(
        _html(one, depth + (name in _SECTIONS)) + escape(one.tail or "", quote=False) for one in element
    )
    if name == "title":
        level = min(depth, 6)
        return f"<h{level}>{inner}</h{level}>"
    if name in ("ext-link", "uri"):
        target = attribute(element, "href") or ""
        return f'<a href="{escape(target)}">{inner}</a>' if target.startswith(("http://", "https://")) else inner
    if name == "list":
        kind = "ol" if attribute(element, "list-type") == "order" else "ul"
        return f"<{kind}>{inner}</{kind}>"
    if name in ("element-citation", "name", "person-group"):
        return " ".join(filter(None, (part.strip() for part in _texts(element))))
    if str(element.tag).startswith(_MATHML):
        return f"<{name}{_attributes(element)}>{inner}</{name}>"
    tag = name if name in _SAME else _TAGS.get(name)
    return f"<{tag}{_attributes(element)}>{inner}</{tag}>" if tag else inner


def _attributes(element: Element) -> str:
    """The attributes of an element that HTML needs too, as HTML."""
    kept = ("colspan", "rowspan", "mathvariant", "open", "close", "separators", "accent")
    return "".join(f' {name}="{escape(value)}"' for name in kept if (value := element.get(name, "")))


def _texts(element: Element | None) -> Iterator[str]:
    """The texts in an element and its descendants, in order; nothing for None."""
    return element.itertext() if element is not None else iter(())
