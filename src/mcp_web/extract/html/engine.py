"""HTML → `Document`: parse, read metadata, remove hidden text, choose the content, write Markdown."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from turbohtml import Document as Tree
from turbohtml import Element, Node

import mcp_web
from mcp_web.errors import ExtractFailed, InvalidInput, SelectorNotFound
from mcp_web.extract import sites
from mcp_web.extract.css.effort import TooComplex
from mcp_web.extract.css.names import PageNames
from mcp_web.extract.hidden.remove import remove_hidden
from mcp_web.extract.html.choose import ScoredBlocks, prune, score_blocks
from mcp_web.extract.html.explain import explain_choice, explain_config
from mcp_web.extract.html.kind import declared_kind, kind_of
from mcp_web.extract.html.parse import body_of, parse_page
from mcp_web.extract.html.rules import NEVER, UNSEEN, choose_by_rules, cut_off, open_dialogs
from mcp_web.extract.html.write.writer import write_markdown
from mcp_web.extract.metadata import read_metadata
from mcp_web.extract.options import ExtractOptions
from mcp_web.extract.walls import detect_wall
from mcp_web.model.page import Document, ExtractRequest, Fetched, Metadata, PageKind
from mcp_web.text.dates import read_date
from mcp_web.text.spaces import fold_spaces
from mcp_web.text.untrusted import quoted
from mcp_web.text.urls import absolute

_SHEET = re.compile(rb"<style\b|<link\b[^>]{0,9}\srel\s*=[^>]{0,100}>", re.I)
_SHEET_END = re.compile(rb"</style(?=[\s/>])", re.I)
_NAME = re.compile(r"[^\W\d][\w-]*")  # of an id that needs no escape in a selector
_FITS = 3  # of a page too large for memory, the first third is read
_LEAST = 20  # characters that the body of a config must have to be used
_ENOUGH = 0.4  # share of the text outside links, of the page or of its scored content, that a packaged config must find


@dataclass(slots=True)
class _Found:
    """The elements chosen as the content of a page, and what was found with them: kind, title, author, date."""

    roots: Sequence[Node]
    kind: PageKind = "unknown"
    siteconfig: str | None = None
    title: str | None = None
    author: str | None = None
    date: str | None = None
    next_page: str | None = None
    explain: dict[str, Any] | None = None
    note: str | None = None


@dataclass
class _Page:
    """A parsed page whose content is not chosen yet."""

    tree: Tree
    body: Element
    url: str
    title: str  # of the title element, with the name of the site: headings are compared with it
    metadata: Metadata
    names: PageNames

    @cached_property
    def scored(self) -> ScoredBlocks | None:
        """What `score_blocks` returns, computed once; the first use removes from the tree what is never content."""
        return score_blocks(self.tree, self.body, self.title, declared_kind(self.metadata))


def read_html(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Read an HTML page, fetched or rendered.

    Raises ExtractFailed, InvalidInput for a selector or site config that is not valid, SelectorNotFound for one that
    finds nothing, and MemoryError if the page may be read again with more memory; if it may not, only its first third
    is read.
    """
    with _collector_paused():
        try:
            return _read(page, request, options)
        except TooComplex as error:
            raise ExtractFailed(
                f"The style sheets of {page.final_url} are too complex to tell which of its text a person sees.",
                suggestion="Open it with mode=rendered, if rendering is enabled, or look for another source.",
                url=page.final_url,
            ) from error
        except MemoryError:
            if not _has_all_memory():
                raise  # the page is read again with more memory
        # The tree does not fit into memory: the source is cut. The style sheets of the rest may hide text before it.
        end = page.body.rfind(b">", 0, len(page.body) // _FITS) + 1
        document = _read(replace(page, body=page.body[:end] + _sheets_after(page.body, end)), request, options)
        note = f"The page is made of more elements than fit into memory; only the first {end:,} bytes were read."
        return replace(document, notes=(*document.notes, note))


def _sheets_after(body: bytes, at: int) -> bytes:
    """The `style` and `link` elements of a source from an offset on; a `style` without an end takes all the rest."""
    found: list[bytes] = []
    while start := _SHEET.search(body, at):
        at = start.end()
        if start[0][:6].lower() == b"<style":
            closing = _SHEET_END.search(body, at)
            at = closing.start() if closing else len(body)
            found.append(body[start.start() : at] + b"</style>")
        else:
            found.append(start[0])
    return b"".join(found)


def _read(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    url = page.final_url
    tree, notes, has_shadows = parse_page(page)
    body = body_of(tree)
    if body is None:
        raise ExtractFailed(f"The page at {url} contains no HTML element.", url=url)
    base = tree.base_url(url)
    title, metadata = read_metadata(tree, url, page.headers)
    names = PageNames(tree)
    transcripts: tuple[str, ...] = ()
    if b'"transcript"' in page.body and not request.selector:
        # Imported only if needed: modules count against the memory limit of the worker.
        from mcp_web.extract.transcript import read_transcripts

        transcripts = read_transcripts(tree)
    open_dialogs(tree, body, page.body)
    # What is removed in any case, unless a caller or a user's config may select it.
    removed_later = "" if request.selector or request.siteconfig or options.site_configs else NEVER
    hidden = remove_hidden(tree, names, removed_later, has_shadows)
    found = _find(_Page(tree, body, url, metadata.page_title or title, metadata, names), request, options.site_configs)
    written = write_markdown(found.roots, base, names.classes, include_images=request.include_images)
    metadata = replace(metadata, author=found.author or metadata.author, published=found.date or metadata.published)
    wall, sentence = detect_wall(page.body, written.markdown, page.status, page.headers)
    document = Document(
        title=found.title or title or (written.headings[0].text if written.headings else ""),
        markdown=written.markdown,
        extractor=f"mcp-web@{mcp_web.__version__}",
        kind=found.kind,
        metadata=metadata,
        headings=written.headings,
        links=written.links,
        images=written.images,
        siteconfig=found.siteconfig,
        wall=wall,
        hidden=hidden + written.hidden,
        notes=(*notes, *(note for note in (found.note, sentence) if note)),
        explain=found.explain,
        next_page=absolute(base, found.next_page),
    )
    if not transcripts:
        return document
    from mcp_web.extract.transcript import add_transcript

    return add_transcript(document, transcripts)


def _find(page: _Page, request: ExtractRequest, folder: str) -> _Found:
    """Choose the content: by the selector or site config of the request, else by a config that fits the page (of the
    user's `folder` or packaged), else by the model."""
    if request.selector:
        roots = _selected(page, request.selector)
        why = {"method": "selector", "selector": request.selector, "matches": len(roots)}
        return _Found(roots, explain=why if request.explain else None)
    if request.siteconfig:
        config = sites.explicit(request.siteconfig, folder)
        applied = sites.apply_config(config, page.tree)
        if applied is None:
            raise SelectorNotFound(
                f"No body rule of the site config {config.name} matches {page.url}.",
                suggestion="Correct the body rules (see docs/guides/site-configs.md) or leave siteconfig out.",
                url=page.url,
                siteconfig=config.name,
            )
        return _configured(applied, request.explain)
    for config, own in sites.fitting(page.tree, page.url, page.names.lowered, folder):
        accept = None if own else partial(_has_enough, page)
        applied = sites.apply_config(config, page.tree, _LEAST, accept)
        if applied is not None:
            return _configured(applied, request.explain)
    return _chosen(page, request.explain)


def _has_all_memory() -> bool:
    """Whether the memory limit of this process is at its maximum: a worker reads small pages with a lower one."""
    try:
        import resource
    except ImportError:  # not on Windows
        return True
    now, most = resource.getrlimit(resource.RLIMIT_AS)
    return now == most


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A context in which the garbage collector is off.

    Reading makes thousands of objects and no cycles; to search them for cycles would take a tenth of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _configured(applied: sites.Applied, explain: bool) -> _Found:
    for root in applied.roots:
        root.remove(NEVER)
    return _Found(
        applied.roots,
        applied.config.kind,
        applied.config.name,
        applied.title,
        applied.author,
        read_date(applied.date),
        applied.next_page,
        explain_config(applied) if explain else None,
    )


def _has_enough(page: _Page, roots: list[Element]) -> bool:
    """Whether what a packaged config found can be the content of a page. May remove from the tree what is never
    content.

    A config that was written for other pages of the same software may find only a small part. If it leaves out most of
    the text outside links, the blocks are scored too, and the config is not used if they have much more such text.
    """
    if any(root.closest(NEVER) is not None for root in roots):
        return False  # hidden text in these elements was not removed
    page.tree.remove(NEVER)
    found = sum([len(root.text) for root in roots])
    # Folding the text takes longer than reading it, and most configs find nearly all of it.
    if found >= _ENOUGH * len(page.body.text):
        return True
    linked = sum([len(fold_spaces(link.text)) for link in page.body.find_all("a")])
    if found >= _ENOUGH * (len(fold_spaces(page.body.text)) - linked) or page.scored is None:
        return True
    kept = zip(page.scored.features.read.blocks, page.scored.kept, strict=True)
    return found >= _ENOUGH * sum([len(block.text) - block.links for block, keep in kept if keep])


def _chosen(page: _Page, explain: bool) -> _Found:
    scored, elements = page.scored, 0
    if scored is None:
        root = choose_by_rules(page.tree, page.body)
        elements = cut_off(root)
    else:
        root = prune(scored)
    why = explain_choice(root, scored) if explain else None
    note = f"The page has {elements:,} elements; only its beginning was read." if elements else None
    return _Found([root], declared_kind(page.metadata) or kind_of(page.url), explain=why, note=note)


def _selected(page: _Page, selector: str) -> list[Element]:
    try:
        found = page.tree.select(selector)
    except ValueError as error:
        raise InvalidInput(f"The selector {selector!r} is not valid CSS: {error}.", selector=selector) from error
    if not found:
        offers = _suggested_selectors(page.body)
        named = ", ".join(quoted(offer) for offer in offers)
        raise SelectorNotFound(
            f"Nothing on {page.url} matches the selector {selector!r}.",
            suggestion=f"The page offers {named}; or open it without a selector to see its outline."
            if offers
            else None,
            url=page.url,
            selector=selector,
            offers=offers,
        )
    roots = sites.outermost(found)
    for root in roots:
        root.remove(UNSEEN)
    return roots


def _suggested_selectors(body: Element) -> list[str]:
    """At most 12 CSS selectors of the larger parts of a page, to suggest for a selector that matched nothing."""
    offers: list[str] = []
    for element in body.select("main,article,section[id],div[id],[role=main],table[id],#content")[:200]:
        name = element.attr("id")
        selector = f"{element.tag}#{name}" if name and _NAME.fullmatch(name) else element.tag
        if selector not in offers and selector not in ("div", "section", "table") and len(element.text) > 200:
            offers.append(selector)
    return offers[:12]
