"""Finds the subtitles that a page offers for its videos (`<track>`). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

from mcp_web.errors import InvalidUrl
from mcp_web.text.urls import join, parse_url

_TRACK = re.compile(r"<track\b([^<>]{1,2000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""([a-z-]{1,30})\s{0,5}=\s{0,5}(?:"([^"]{0,1500})"|'([^']{0,1500})'|([^\s"'>]{1,1500}))""", re.I
)
_MOST = 50
_SPOKEN = ("captions", "subtitles")


@dataclass(frozen=True, slots=True)
class Track:
    """One subtitle file of a video."""

    url: str
    language: str  # as the page writes it, in lower case; may be empty
    label: str  # for people; the language or the kind if the page has none


def spoken_tracks(html: bytes, base: str) -> list[Track]:
    """The caption and subtitle tracks among the first 50 tracks of a page whose URL is `base`: English ones first, and
    captions before subtitles. Those with an invalid URL are left out."""
    found: list[tuple[bool, bool, Track]] = []
    for match in list(_TRACK.finditer(html.decode("utf-8", "replace")))[:_MOST]:
        facts = {name.lower(): unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(match[1])}
        kind = facts.get("kind", "subtitles").lower()
        language = facts.get("srclang", "").lower()
        try:
            url = join(parse_url(base), facts.get("src", "")).href if facts.get("src") else ""
        except InvalidUrl:
            continue
        if url and kind in _SPOKEN:
            track = Track(url, language, facts.get("label") or language or kind)
            found.append((not language.startswith("en"), kind != "captions", track))
    found.sort(key=lambda one: one[:2])
    return [track for _, _, track in found]
