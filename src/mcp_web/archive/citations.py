"""What a document cites: links in every Markdown style, DOIs, arXiv ids, bare URLs, each with its sentence."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urljoin

from mcp_web.model.citation import CitationKind, Mention
from mcp_web.model.snapshot import Snapshot
from mcp_web.text.inline import links
from mcp_web.text.markdown import CODE_SPAN, fenced_lines
from mcp_web.text.papers import ARXIV, DOI, arxiv_name, doi_name, identifier_in
from mcp_web.text.sentences import sentence_around
from mcp_web.text.urls import host_of, url_key


def url_name(url: str) -> str | None:
    """The name by which citations identify a web page, the same for all spellings of its URL; None if not http(s)."""
    is_web = url.strip().lower().startswith(("http://", "https://")) and host_of(url)
    return f"//{url_key(url)}" if is_web else None


def path_name(path: str) -> str:
    """The name by which citations identify a file of a synced folder: "path:" and its path in Unicode form NFC."""
    return "path:" + unicodedata.normalize("NFC", path)


def joined_path(base: str, target: str) -> str | None:
    """The path to which a relative link in the file `base` leads; None if it leads out of the synced folder, with whose
    name both paths begin, or is not a relative path."""
    place = unquote(target.partition("#")[0].partition("?")[0])
    if not place or place.startswith("/") or "\\" in place or "\0" in place:
        return None
    found = posixpath.normpath(posixpath.join(posixpath.dirname(base), place))
    folder = base[: base.find("/") + 1]
    return found if f"{found}/".startswith(folder) and found.partition("/")[0] != ".." else None


def wiki_name(title: str) -> str:
    """The name by which citations identify a note: "wiki:" and its title, the same for any case, spaces and hyphens."""
    folded = unicodedata.normalize("NFC", title).casefold()
    return "wiki:" + re.sub(r"[\s_-]+", " ", folded).strip()


def names_of(snapshot: Snapshot) -> tuple[str, ...]:
    """All names by which citations in other documents may identify this one, made of its URLs, DOIs, path and title."""
    document = snapshot.document
    found: list[str | None] = []
    for url in (snapshot.url, snapshot.final_url, document.metadata.canonical_url):
        if url:
            found += [url_name(url), identifier_in(url)]
    found += [doi_name(doi) for doi in _own_dois(document.metadata.structured_data)]
    if snapshot.path:
        bare, _ = posixpath.splitext(snapshot.path)
        found += [path_name(snapshot.path), path_name(bare), wiki_name(posixpath.basename(bare))]
        if posixpath.basename(bare).lower() in ("index", "readme"):
            found.append(path_name(posixpath.dirname(bare)))
        found.append(wiki_name(document.title))
    return tuple(dict.fromkeys(name for name in found if name))


def _own_dois(data: tuple[Mapping[str, Any], ...]) -> Iterator[str]:
    """DOIs that the page's own structured data gives as its identifier."""
    for entry in data:
        item = inner if isinstance(inner := entry.get("data"), Mapping) else entry
        for key in ("doi", "DOI", "citation_doi", "identifier", "sameAs", "@id"):
            value = item.get(key)
            if isinstance(value, str) and (match := DOI.search(value)):
                yield match[0]


MOST = 2000  # mentions of one document; only link farms have more
_READ_MOST = 2_000_000
_SENTENCE_REACH = 300

# Every pattern is bounded in length and cannot match in two ways, so hostile text costs linear time.
_CODE = re.compile(CODE_SPAN)
_DEFINITION = re.compile(r"^ {0,3}\[(?P<id>[^\[\]\n]{1,200})\]:[ \t]+<?(?P<url>[^\s<>]{1,2000})>?", re.MULTILINE)
_REFERENCE = re.compile(r"(?<!!)\[(?P<text>[^\[\]]{1,500})\](?:\[(?P<id>[^\[\]\n]{0,200})\])?(?![\[(:])")
_WIKI = re.compile(r"(?<!!)\[\[(?P<title>[^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]")
# These always begin with a letter or digit, so that the search can skip ahead quickly; the character before a match
# is checked afterwards.
_BARE = re.compile(r"https?://[^\s<>\"\]\[`|]{3,2000}")
_BARE_ARXIV = re.compile(rf"ar[xX]iv:\s?(?P<id>{ARXIV.pattern})")
_BLOCK_END = re.compile(r"\n\s*(?:\n|[*|#>-]+[ \t]*)")  # with the mark of the next block


def mentions(markdown: str, base_url: str = "", path: str | None = None) -> tuple[Mention, ...]:
    """Each target that a document cites, once, with the sentence that cites it: the first inline link to it, or else
    reference link, wiki link, bare URL, DOI or arXiv id, or link definition. Relative links are resolved against
    `path`, for a file of a synced folder, else against `base_url`. At most MOST targets."""
    text = _without_code(markdown[:_READ_MOST])
    found: dict[str, Mention] = {}
    seen: set[tuple[CitationKind, str]] = set()  # a page may link to one URL hundreds of times
    for read in (_inline, _references, _wiki, _bare, _definitions):
        for start, kind, target, confidence in read(text):
            if (kind, target) in seen:
                continue
            seen.add((kind, target))
            resolved = _resolve(kind, target, base_url, path)
            if resolved is None:
                continue
            name, url, kind = resolved
            if name not in found:
                found[name] = Mention(name, url, kind, *_sentence(markdown, start), confidence)
                if len(found) == MOST:
                    return tuple(found.values())
    return tuple(found.values())


def _without_code(text: str) -> str:
    """The text with code replaced by spaces, so that offsets stay valid."""
    if "```" in text or "~~~" in text:
        text = "".join(" " * len(line) if is_code else line for line, is_code in fenced_lines(text))
    return _CODE.sub(lambda match: " " * len(match[0]), text)


_Raw = tuple[int, CitationKind, str, float]  # a citation: offset in the text, kind, target as written, confidence


def _inline(text: str) -> Iterator[_Raw]:
    """(offset, kind, target as written, confidence) of each inline link: `[text](url)`."""
    for link in links(text):
        if not link.is_image:
            yield link.start, "link", text[link.url_start : link.url_end], 1.0


def _references(text: str) -> Iterator[_Raw]:
    """(offset, kind, target as written, confidence) of each reference link, `[text][id]` with `[id]: url` elsewhere."""
    definitions = {_label(match["id"]): match for match in _DEFINITION.finditer(text)}
    for match in _REFERENCE.finditer(text) if definitions else ():
        label = _label(match["id"] or match["text"])
        if label in definitions and match.start() != definitions[label].start():
            yield match.start(), "reference", definitions[label]["url"], 0.95


def _definitions(text: str) -> Iterator[_Raw]:
    """(offset, kind, target as written, confidence) of each link definition, `[id]: url`."""
    for match in _DEFINITION.finditer(text):
        yield match.start(), "reference", match["url"], 0.6


def _wiki(text: str) -> Iterator[_Raw]:
    """(offset, kind, title, confidence) of each link by title, as in Obsidian: `[[title]]`."""
    for match in _WIKI.finditer(text):
        yield match.start(), "wiki", match["title"].strip(), 0.9


def _bare(text: str) -> Iterator[_Raw]:
    """(offset, kind, target, confidence) of each URL, DOI and arXiv id that is written without link syntax."""
    defined = {match.start("url") for match in _DEFINITION.finditer(text)}
    for match in _BARE.finditer(text):
        if match.start() in defined:
            continue
        before = text[max(0, match.start() - 2) : match.start()]
        if before != "](" and not (before[-1:].isalnum() or before[-1:] in tuple("_[\"'=/")):
            yield match.start(), "url", _trimmed(match[0]), 0.8
    for match in DOI.finditer(text):
        before = text[max(0, match.start() - 1) : match.start()]
        if not (before.isalnum() or before in tuple("_/.=")):
            yield match.start(), "doi", match[0], 0.9
    for match in _BARE_ARXIV.finditer(text):
        yield match.start(), "arxiv", match["id"], 0.9


def _resolve(kind: CitationKind, target: str, base_url: str, path: str | None) -> tuple[str, str, CitationKind] | None:
    """(name that identifies it, URL or path to follow, kind) of a target as written; None for a link inside the page,
    to a path that `joined_path` refuses, or to another scheme than http(s)."""
    if kind == "wiki":
        return wiki_name(target), target, "wiki"
    if kind == "doi":
        name = doi_name(target)
        return name, "https://doi.org/" + name.removeprefix("doi:"), "doi"
    if kind == "arxiv":
        return arxiv_name(target), "https://arxiv.org/abs/" + target, "arxiv"
    if target.startswith("#"):
        return None
    if path is not None and target.startswith("file:///"):  # the extraction made it absolute
        inside = unquote(target.removeprefix("file:///").partition("#")[0]).rstrip("/")
        folder = path.partition("/")[0]
        # In the sources of a site, `/guide/start` is a page of the same folder.
        within = inside if f"{inside}/".startswith(f"{folder}/") else f"{folder}/{inside}"
        return (path_name(within), within, kind) if inside else None
    if path is not None and not re.match(r"[A-Za-z][\w+.-]*:|//", target):
        place = joined_path(path, target)
        return (path_name(place), place, kind) if place else None
    return _web(kind, target, base_url)


def _web(kind: CitationKind, target: str, base_url: str) -> tuple[str, str, CitationKind] | None:
    """(name, URL, kind) of a link to the web, which may be relative to `base_url`; the kind of a paper's is "doi" or
    "arxiv". None if it is not an http(s) URL."""
    try:
        url = urljoin(base_url, target) if base_url else target
    except ValueError:
        return None
    identifier = identifier_in(url)
    if identifier is not None:
        return identifier, url, "doi" if identifier.startswith("doi:") else "arxiv"
    name = url_name(url)
    return (name, url, kind) if name else None


def _sentence(text: str, at: int) -> tuple[int, int]:
    """(start, end) of the sentence around the offset `at`, within its block and _SENTENCE_REACH characters of `at`."""
    left, right = max(0, at - _SENTENCE_REACH), min(len(text), at + _SENTENCE_REACH)
    left = max((found.end() for found in _BLOCK_END.finditer(text, left, at)), default=left)
    block_end = _BLOCK_END.search(text, at, right)
    start, end = sentence_around(text[left : block_end.start() if block_end else right], at - left)
    return left + start, left + end


def _trimmed(url: str) -> str:
    """A URL without the punctuation that follows it in a sentence."""
    url = url.rstrip(".,;:!?'*_")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(".,;:!?'*_")
    return url


def _label(text: str) -> str:
    """The label of a reference link, normalised for comparison: in lower case, with single spaces."""
    return re.sub(r"\s+", " ", text).strip().casefold()
