"""Normalised names of documents, so that a citation matches its target however it was written."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from mcp_web.model.snapshot import Snapshot
from mcp_web.text.urls import domain_of, host_of, url_key

DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}|\\^`\[\]]{1,200}")
ARXIV = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?")
_ARXIV_PATH = re.compile(rf"/(?:abs|pdf|html|e-print)/({ARXIV.pattern})(?:\.pdf)?$")


def url_name(url: str) -> str | None:
    """The name of a web page: its key, or None for what is no URL of the web."""
    is_web = url.strip().lower().startswith(("http://", "https://")) and host_of(url)
    return f"//{url_key(url)}" if is_web else None


def doi_name(text: str) -> str:
    # A sentence's full stop or a closing bracket is not part of the identifier.
    doi = unquote(text).rstrip(".,;:'\"")
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;:")
    return "doi:" + doi.lower()


def arxiv_name(text: str) -> str:
    return "arxiv:" + re.sub(r"v\d{1,2}$", "", text)


def identifier_in(url: str) -> str | None:
    """The DOI or arXiv id that a URL stands for."""
    host = domain_of(url)
    if not host:
        return None
    parts = urlsplit(url)
    if host in ("doi.org", "dx.doi.org"):
        found = DOI.match(unquote(parts.path.lstrip("/")))
        return doi_name(found[0]) if found else None
    if host in ("arxiv.org", "export.arxiv.org", "ar5iv.org", "ar5iv.labs.arxiv.org"):
        found = _ARXIV_PATH.search(parts.path)
        return arxiv_name(found[1]) if found else None
    return None


def path_name(path: str) -> str:
    return "path:" + unicodedata.normalize("NFC", path)


def joined_path(base: str, target: str) -> str | None:
    """Where a relative link in a file leads, inside the folder; None when it leads out of it."""
    place = unquote(target.partition("#")[0].partition("?")[0])
    if not place or place.startswith("/") or "\\" in place or "\0" in place:
        return None
    found = posixpath.normpath(posixpath.join(posixpath.dirname(base), place))
    return None if found == ".." or found.startswith("../") else found


def wiki_name(title: str) -> str:
    folded = unicodedata.normalize("NFC", title).casefold()
    return "wiki:" + re.sub(r"[\s_-]+", " ", folded).strip()


def names_of(snapshot: Snapshot) -> tuple[str, ...]:
    """All names by which this document may be cited."""
    document = snapshot.document
    found: list[str | None] = []
    for url in (snapshot.url, snapshot.final_url, document.metadata.canonical_url):
        if url:
            found += [url_name(url), identifier_in(url)]
    found += [doi_name(doi) for doi in _own_dois(document.metadata.structured_data)]
    if snapshot.path:
        bare, _ = posixpath.splitext(snapshot.path)
        found += [path_name(snapshot.path), path_name(bare), wiki_name(posixpath.basename(bare))]
        found.append(wiki_name(document.title))
    return tuple(dict.fromkeys(name for name in found if name))


def _own_dois(data: tuple[Mapping[str, Any], ...]) -> Iterator[str]:
    """DOIs that the page's own structured data gives as its identifier."""
    for item in data:
        for key in ("doi", "citation_doi", "identifier", "sameAs", "@id"):
            value = item.get(key)
            if isinstance(value, str) and (match := DOI.search(value)):
                yield match[0]
