"""A page's title without the name of its site."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

_SEPARATOR = re.compile(r"\s+[|\-–—·•»«:/~‹›]{1,2}\s+|\s*[|»]\s*|:\s+")
_JOINT = re.compile(r"\s*[|–—·•»:~‹›(\[]|\s+-+\s")  # what may stand between a heading and the rest of a title
_FOLDED = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W\d_]{4,}")
_MANUAL = re.compile(r"\b(?:documentation|docs|manual|wiki|forums?|handbook|reference|help cent(?:er|re))\b", re.I)


def clean_title(titles: Iterable[str], heading: str | None, site: str | None, url: str) -> str:
    """The best of several titles, given the page's heading."""
    candidates = list(titles)
    heading = (heading or "").rstrip("¶#§ ")
    names = _site_names(site, url)
    if heading and _is_slogan(candidates, heading, url):
        return heading
    for title in candidates:
        cleaned = _headed(title, heading, names) or _without_site(title, names)
        if _fold(cleaned) not in names:
            return cleaned
    return heading or next(iter(candidates), "")


def _is_slogan(titles: list[str], heading: str, url: str) -> bool:
    """Whether the titles are the site's slogan: no word of the heading in them, while the address has it."""
    words = _words(heading)
    shared = words & _words(unquote(urlsplit(url).path[:500]))
    return len(shared) >= min(2, len(words)) > 0 and not any(words & _words(title) for title in titles)


def _headed(title: str, heading: str, names: set[str]) -> str | None:
    """The heading, when the title is that heading with something after it."""
    if len(heading) < 4 or _fold(heading) in names:
        return None
    if not title.lower().startswith(heading.lower()):
        return None
    rest = title[len(heading) :]
    return heading if not rest or _JOINT.match(rest) else None


def _without_site(title: str, names: set[str]) -> str:
    parts = _parts(title)
    while len(parts) > 1 and (_fold(parts[-1][1]) in names or _MANUAL.search(parts[-1][1])):
        parts.pop()
    while len(parts) > 1 and _fold(parts[0][1]) in names:
        parts.pop(0)
    return "".join(text if not at else lead + text for at, (lead, text) in enumerate(parts)).strip()


def _parts(title: str) -> list[tuple[str, str]]:
    """(separator before, text) of each part."""
    found: list[tuple[str, str]] = []
    at, lead = 0, ""
    for match in _SEPARATOR.finditer(title):
        found.append((lead, title[at : match.start()]))
        lead, at = match[0], match.end()
    found.append((lead, title[at:]))
    return [part for part in found if part[1].strip()]


def _site_names(site: str | None, url: str) -> set[str]:
    """What a site is called: its declared name and the labels of its host."""
    try:
        host = (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        host = ""
    labels = host.split(".")
    names = {_fold(part) for part in (site or "", host, *_SEPARATOR.split(site or ""))}
    if len(labels) >= 2:
        owner = labels[-3] if len(labels) > 2 and len(labels[-2]) <= 3 else labels[-2]
        names |= {_fold(owner), _fold(owner + labels[-1])}
    return {name for name in names if name}


def _fold(text: str) -> str:
    return _FOLDED.sub("", text.lower())


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}
