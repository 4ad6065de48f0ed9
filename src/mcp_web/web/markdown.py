"""Kept Markdown → HTML for reading: heading anchors, highlighted code, links to kept copies where there are any."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from mcp_web.web.catalogue import gettext as _
from mcp_web.web.passages import Passage, mark, signed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LOCAL = "file:///"  # the address of a synced file
_CODE_CHARS = 40_000  # longer listings are shown without colours: lexers are slow


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """The HTML of a page, and its table of contents."""

    html: str
    contents: tuple[tuple[int, str, str], ...]  # level, anchor, text


class Parsed:
    """A page's Markdown, parsed once: for the list of its links, then for HTML that links to the kept copies."""

    def __init__(self, markdown: str, passages: Sequence[Passage] = ()) -> None:
        self._env: dict[str, Any] = {}
        self._tokens = mark(_parser().parse(signed(markdown, passages), self._env), passages, markdown)

    def addresses(self) -> list[str]:
        """The web addresses and synced files that the page links to, each once and without its fragment."""
        targets = (_page_of(link) for link, _end in _links(self._tokens))
        return list(dict.fromkeys(target for target in targets if target.startswith(("http", _LOCAL))))

    def html(self, kept: Mapping[str, str]) -> RenderedPage:
        """The page as HTML, with its table of contents; `kept` gives the hash of the copy that is kept of a URL."""
        parser = _parser()
        contents = _with_anchors(self._tokens)
        _align_by_class(self._tokens)
        _with_links(self._tokens, kept)
        return RenderedPage(str(parser.renderer.render(self._tokens, parser.options, self._env)), contents)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.tasklists import tasklists_plugin

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "highlight": _highlighted})
    parser.enable(["table", "strikethrough"]).use(footnote_plugin).use(tasklists_plugin)
    # Links between the files of a synced folder; one without a kept copy is removed, since browsers do not follow it.
    is_safe = parser.validateLink
    parser.validateLink = lambda url: url.startswith(_LOCAL) or is_safe(url)  # type: ignore[method-assign]
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    # Images of other sites are never loaded: their description and address are shown instead.
    parser.add_render_rule("image", _image)
    return parser


def _highlighted(code: str, language: str, attributes: str) -> str:
    """The HTML of code, with classes for syntax highlighting; "" if it is too long or its language is unknown."""
    if not language or len(code) > _CODE_CHARS:
        return ""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return ""
    inside = highlight(code, lexer, HtmlFormatter(nowrap=True, classprefix="hl-"))
    return f'<pre tabindex="0"><code>{inside}</code></pre>'


def _image(self: Any, tokens: list[Token], index: int, options: Any, env: Any) -> str:
    return f'<span class="picture">{escape(tokens[index].content or _("picture"))}</span>'


def _with_anchors(tokens: list[Token]) -> tuple[tuple[int, str, str], ...]:
    """Give each heading an id; returns the level, id and text of each."""
    found: list[tuple[int, str, str]] = []
    taken: set[str] = set()
    for at, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        text = "".join(
            child.content for child in tokens[at + 1].children or () if child.type in ("text", "code_inline")
        )
        anchor = _anchor(text, taken)
        token.attrSet("id", anchor)
        found.append((int(token.tag[1]), anchor, text))
    return tuple(found)


def _align_by_class(tokens: list[Token]) -> None:
    """Replace the styles that align table cells by classes: the content security policy allows no inline styles."""
    for token in tokens:
        if token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", None)):
            token.attrSet("class", str(style).replace("text-align:", "align-"))


def _anchor(text: str, taken: set[str]) -> str:
    """An id, made from a text, that is not yet in `taken`; it is added there."""
    made = "s-" + (re.sub(r"[^\w]+", "-", text.lower()).strip("-")[:60] or "section")
    name, number = made, 1
    while name in taken:
        number += 1
        name = f"{made}-{number}"
    taken.add(name)
    return name


def _with_links(tokens: list[Token], kept: Mapping[str, str]) -> None:
    """Make links lead to kept copies (`kept`: hash by URL), and others open a new window; changes the tokens.

    Of links to files of which no copy is kept, only the text stays.
    """
    for link, end in _links(tokens):
        target = _page_of(link)
        if target in kept:
            link.attrSet("href", f"/archive/{kept[target]}")
            link.attrSet("class", "kept")
            link.attrSet("title", _("A copy is kept"))
        elif target.startswith(_LOCAL):
            link.hidden = end.hidden = True
        elif target.startswith(("http://", "https://")):
            link.attrSet("rel", "noreferrer noopener")
            link.attrSet("target", "_blank")


def _links(tokens: list[Token]) -> Iterator[tuple[Token, Token]]:
    """The tokens that begin and end each link; links nest, as with an address in angle brackets in the text of one."""
    for token in tokens:
        begun: list[Token] = []
        for child in token.children or ():
            if child.type == "link_open":
                begun.append(child)
            elif child.type == "link_close":
                yield begun.pop(), child


def _page_of(link: Token) -> str:
    """The address of a link without its fragment."""
    return str(link.attrGet("href") or "").partition("#")[0]
