"""Extractive summaries: sentences of the document itself, chosen to tell what it is about.

Nothing is generated, so a summary never says what the page does not. Early sentences, sentences that share
the title's words and sentences made of the document's frequent words win; the lead alone is a strong choice
on the web, so a sentence must be clearly better to displace it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from mcp_web.model.page import Document
from mcp_web.text.inline import inline_text, links, without_images
from mcp_web.text.markdown import BULLET, CHECKBOX, Block, blocks
from mcp_web.text.sentences import OWN_STOPS, STOPS, sentences
from mcp_web.text.shorten import shortened_at_word

_LONGEST = 500
_SUMMARY_READS = 5_000  # characters read: the subject of a document is stated at its beginning
_SUMMARY_SENTENCES = 18
_ITEM_MARK = re.compile(rf"(?:^|\n)[ \t]*{BULLET}[ \t]+{CHECKBOX}")
_ENDS = STOPS + OWN_STOPS + ")”\"'"
_WORD = re.compile(r"[^\W\d_]{3,}")
_PLAIN_WORD = re.compile(r"[a-z]{3,}")  # the same in ASCII, in half the time
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FURNITURE = re.compile(
    r"\b(?:cookies?|subscribe|newsletter|sign up|log ?in|all rights reserved|©|copyright|share this|read more|"
    r"click here|advertisement|affiliate|min(?:ute)? read|skip to|table of contents|last updated|edit this page)\b",
    re.I,
)
_FURNITURE_SIGNS = (
    "cookie", "subscribe", "newsletter", "sign up", "log", "all rights", "©", "copyright", "share this", "read",
    "click", "advertise", "affiliate", "skip to", "table of", "last up", "edit this",
)  # fmt: skip
# The commonest words of the languages we meet most; they say nothing about a text.
_COMMON = frozenset(
    _WORD.findall(
        "the and for that with this from are was were has have had not but you your its can will all one our their "
        "they which when what how who also more than into about such may use used using these those there been being "
        "other some any each only over most out his her she him der die das und ist ein eine den dem des mit auf "
        "für von nicht auch sich les une est dans pour que qui sur avec pas los las por con del para como más che per"
    )
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    words: frozenset[str]
    place: int  # among the prose sentences
    section: int
    opens: bool  # its paragraph


def summary_of(document: Document) -> str:
    """A document's summary: the one it was read with, else made now. Few callers ask for that of an HTML page."""
    return document.summary or summarise(document.markdown, document.title, document.metadata.description)


def summarise(markdown: str, title: str, description: str | None) -> str:
    """What the document is about in at most 500 characters of its own words."""
    found = list(islice(_sentences(markdown[:_SUMMARY_READS]), _SUMMARY_SENTENCES))
    lead = _useful(description, title, found)
    if not found:
        return lead or shortened_at_word(inline_text(markdown[: _LONGEST * 2]), _LONGEST)
    weight = _weights(found)
    topic = _words(title)
    ranked = sorted(found, key=lambda each: _score(each, weight, topic), reverse=True)
    chosen: list[_Sentence] = []
    left = _LONGEST - len(lead)
    known = _words(lead)
    for each in ranked:
        if (lead or chosen) and each.text[-1] not in _ENDS:
            continue
        if (
            len(each.text) + 1 <= left
            and not _repeats(known, each)
            and not any(_alike(each, other) for other in chosen)
        ):
            chosen.append(each)
            left -= len(each.text) + 1
        if left < 60 or len(chosen) == 6:
            break
    chosen.sort(key=lambda each: each.place)
    text = " ".join(part for part in (lead, *(each.text for each in chosen)) if part)
    return text or shortened_at_word(found[0].text, _LONGEST)


def _sentences(markdown: str) -> Iterator[_Sentence]:
    """The prose: no headings, code, tables, navigation. List items count when they are sentences."""
    place = section = 0
    for block in blocks(markdown):
        section += block.kind == "heading"
        for source in _prose_of(markdown, block):
            text = inline_text(source)
            opens = block.kind == "paragraph"
            for start, end in sentences(text) if not _is_furniture(text, source) else ():
                sentence = text[start:end].strip()
                words = _words(sentence)
                is_statement = len(words) >= 4 and len(sentence) <= _LONGEST and sentence[-1] != ":"
                if is_statement and not (len(sentence) < 150 and _asks(sentence)):
                    yield _Sentence(sentence, words, place, section, opens)
                    place += 1
                    opens = False


def _prose_of(markdown: str, block: Block) -> list[str]:
    """A paragraph, or the items of a list, without images."""
    text = markdown[block.start : block.end]
    if block.kind == "paragraph":
        return [without_images(text)]
    return [without_images(item) for item in _ITEM_MARK.split(text) if item] if block.kind == "list" else []


def _is_furniture(text: str, source: str) -> bool:
    """Lines that belong to the page rather than to what it says."""
    if len(text) < 40 and (text.isascii() or not _CJK.search(text)):
        return True
    linked = sum(link.close - link.start - 1 for link in links(source))
    return linked > len(text) * 0.6


def _asks(sentence: str) -> bool:
    """A sentence that asks for a click, not one that states something."""
    lowered = sentence.lower()
    for sign in _FURNITURE_SIGNS:
        if sign in lowered:
            return _FURNITURE.search(sentence) is not None
    return False


def _words(text: str) -> frozenset[str]:
    if text.isascii():
        return frozenset(_PLAIN_WORD.findall(text.lower())) - _COMMON
    # Languages without spaces: their characters stand in for words.
    return (frozenset(_WORD.findall(text.lower())) - _COMMON).union(_CJK.findall(text))


def _weights(found: list[_Sentence]) -> dict[str, float]:
    """How much a word stands for the document: the share of sentences that have it, once that is at least two."""
    counts = Counter(chain.from_iterable(each.words for each in found))
    return {word: count / len(found) for word, count in counts.items() if count > 1}


def _centre(each: _Sentence, weight: dict[str, float]) -> float:
    return sum([weight[word] for word in each.words if word in weight]) / (len(each.words) ** 0.5 or 1.0)


def _score(each: _Sentence, weight: dict[str, float], topic: frozenset[str]) -> float:
    shared = len(each.words & topic) / max(1, min(len(topic), 6))
    early = 1.0 / (1.0 + each.place / 2)
    whole = 0.15 * each.opens - 0.5 * (each.text[-1] not in _ENDS)
    return 1.5 * early + 0.8 * shared + _centre(each, weight) + whole


def _alike(one: _Sentence, other: _Sentence) -> bool:
    return len(one.words & other.words) > 0.7 * min(len(one.words), len(other.words))


def _repeats(known: frozenset[str], each: _Sentence) -> bool:
    return len(each.words & known) > 0.6 * len(each.words)


def _useful(description: str | None, title: str, found: list[_Sentence]) -> str:
    """The page's own description, unless it says nothing of this page: too short, the title again, or off topic."""
    text = shortened_at_word(" ".join((description or "").split()), 300)
    words = _words(text)
    if len(text) < 50 or len(words) < 5 or words <= _words(title):
        return ""
    if found:
        said = frozenset().union(*(each.words for each in found))
        if len(words & said) < 0.4 * len(words):
            return ""
    if text.endswith(("...", "…", "[…]")) and found:
        return ""
    return text
