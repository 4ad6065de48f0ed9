"""The transcript of a video or a recording, from the structured data of a page (schema.org)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from turbohtml import Document as Tree

from mcp_web.extract.append import append
from mcp_web.extract.characters import clean_text
from mcp_web.extract.markdown import escape_start
from mcp_web.extract.structured import read_structured, types_of
from mcp_web.model.page import Document

_MEDIA = frozenset({"VideoObject", "AudioObject", "PodcastEpisode", "Clip", "RadioEpisode", "TVEpisode", "Movie"})
_CHARS = 500_000
_LEAST = 200  # characters; a shorter text is a link or a label


def read_transcripts(tree: Tree) -> tuple[str, ...]:
    """The transcripts in the structured data of a parsed page, as Markdown, without those under 200 characters."""
    found = (_paragraphs(text) for node in read_structured(tree).nodes() for text in _transcripts(node))
    return tuple(one for one in found if len(one) >= _LEAST)


def add_transcript(document: Document, transcripts: tuple[str, ...]) -> Document:
    """The document with the first transcript appended that the page does not show; unchanged if it shows all."""
    shown = " ".join(document.markdown.split())
    missing = next((one for one in transcripts if one[:80] not in shown), None)
    if missing is None:
        return document
    transcript = Document("Transcript", missing, "transcript")
    return append(document, transcript, "Transcript", "From the data of the page, which does not show it:")


def _paragraphs(text: str) -> str:
    """The lines of a transcript as paragraphs of Markdown."""
    lines = (" ".join(line.split()) for line in clean_text(text[:_CHARS])[0].splitlines())
    return "\n\n".join(escape_start(line) for line in lines if line)


def _transcripts(node: Any) -> Iterator[str]:
    """The transcripts of a schema.org object, and of the video, audio and associated media in it."""
    inner = (node, node.get("video"), node.get("audio"), node.get("associatedMedia"))
    for one in inner:
        if isinstance(one, dict) and _MEDIA.intersection(types_of(one)) and isinstance(one.get("transcript"), str):
            yield one["transcript"]
