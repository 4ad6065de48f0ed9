"""Subtitles (WebVTT, SubRip) → Markdown: the spoken text in paragraphs, each with its start time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import assemble
from mcp_web.extract.decode import decode
from mcp_web.extract.markdown import escape_start
from mcp_web.model.page import Document, Fetched

_TIMES = re.compile(r"^(?:(\d{1,3}):)?(\d{2}):(\d{2})[.,](\d{3})[ \t]+-->[ \t]+(?:\d{1,3}:)?\d{2}:\d{2}[.,]\d{3}", re.M)
_VOICE = re.compile(r"<v(?:\.[\w.-]{1,50})?[ \t]+([^<>\n]{1,100})>")
_TAG = re.compile(r"<[^<>\n]{0,200}>|\{\\[^{}\n]{0,100}\}")
_CUES = 50_000
_PAUSE = 4.0  # seconds of silence after which a new paragraph begins
_LONG = 60.0  # seconds after which a new paragraph begins in any case


def read_subtitles(page: Fetched) -> Document:
    """Reads text/vtt and application/x-subrip; raises ExtractFailed for text without subtitles."""
    decoded = decode(page)
    text = "\n\n".join(_paragraphs(_cues(decoded.text.replace("\r\n", "\n").replace("\r", "\n"))))
    if not text:
        raise ExtractFailed(f"{page.final_url} contains no subtitles.", url=page.final_url)
    return assemble(page, "subtitles", text, notes=decoded.notes)


def _cues(source: str) -> Iterator[tuple[float, str]]:
    """The start in seconds and the text of each cue, without lines that the cue before it had (rolling captions)."""
    shown: list[str] = []
    count = 0
    for block in re.split(r"\n[ \t]*\n", source):
        times = _TIMES.search(block)
        if times is None:
            continue
        text = [plain for line in block[times.end() :].split("\n")[1:] if (plain := _plain(line))]
        added = [line for line in text if line not in shown]
        shown = text
        if added:
            count += 1
            yield _seconds(times), " ".join(added)
        if count >= _CUES:
            return


def _paragraphs(cues: Iterator[tuple[float, str]]) -> Iterator[str]:
    """The cues as paragraphs, each after its start time ("[0:01:30]"); a pause or a minute begins a new one."""
    start = last = 0.0
    words: list[str] = []
    for moment, text in cues:
        if words and (moment - last > _PAUSE or moment - start > _LONG):
            yield _paragraph(start, words)
            words = []
        start = start if words else moment
        last = moment
        words.append(text)
    if words:
        yield _paragraph(start, words)


def _paragraph(start: float, words: list[str]) -> str:
    """The words of a paragraph after its start time, such as `[0:01:05]`; `start` is in seconds."""
    minutes, seconds = divmod(int(start), 60)
    hours, minutes = divmod(minutes, 60)
    return f"[{hours}:{minutes:02d}:{seconds:02d}] {escape_start(' '.join(words))}"


def _seconds(found: re.Match[str]) -> float:
    """The start time in a match of `_TIMES`, in seconds."""
    return int(found[1] or 0) * 3600 + int(found[2]) * 60 + int(found[3]) + int(found[4]) / 1000


def _plain(line: str) -> str:
    """A line of a subtitle without its markup; the speaker's name stays."""
    return " ".join(unescape(_TAG.sub("", _VOICE.sub(r"\1: ", line))).split())
