"""Normalised names of documents, so that a citation matches its target however it was written."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from mcp_web.model.snapshot import Snapshot
from mcp_web.text.papers import DOI, doi_name, identifier_in
from mcp_web.text.urls import host_of, url_key


def url_name(url: str) -> str | None:
    """The name of a web page: its key, or None for what is no URL of the web."""
    is_web = url.strip().lower().startswith(("http://", "https://")) and host_of(url)
    return f"//{url_key(url)}" if is_web else None


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
    for entry in data:
        inner = entry.get("data")
        item = inner if isinstance(inner, Mapping) else entry
        for key in ("doi", "DOI", "citation_doi", "identifier", "sameAs", "@id"):
            value = item.get(key)
            if isinstance(value, str) and (match := DOI.search(value)):
                yield match[0]
