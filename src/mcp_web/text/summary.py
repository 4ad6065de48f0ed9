"""Extractive summaries: sentences of the document that describe its subject.

Nothing is generated, so a summary never says what the page does not. Sentences score higher the earlier they are, the
more words of the title and the more frequent words of the document they have. On the web the first sentences alone are
a good summary, so a later sentence must score clearly higher to be chosen.
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
from mcp_web.text.stop_words import STOP_WORDS

_LONGEST = 500
_SUMMARY_READS = 5_000  # characters read: the subject of a document is stated at its beginning
_SUMMARY_SENTENCES = 18
_ITEM_MARK = re.compile(rf"(?:^|\n)[ \t]*{BULLET}[ \t]+{CHECKBOX}")
_ENDS = STOPS + OWN_STOPS + ")”\"'"
_WORD = re.compile(r"[^\W\d_]{3,}")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# In requests to the reader and notices of the site, such as "Subscribe" or "© 2026".
_REQUEST = re.compile(
    r"\b(?:cookies?|subscribe|newsletter|sign up|log ?in|all rights reserved|©|copyright|share this|read more|"
    r"click here|advertisement|affiliate|min(?:ute)? read|skip to|table of contents|last updated|edit this page)\b",
    re.I,
)
_STOP_WORDS = frozenset().union(*STOP_WORDS.values())  # of all languages: they do not describe a text


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    words: frozenset[str]
    place: int  # among the prose sentences
    opens: bool  # it is the first sentence of its paragraph


def summary_of(document: Document) -> str:
    """A document's summary, computed now if it has none: for HTML it is not computed in advance."""
    return document.summary or summarise(document.markdown, document.title, document.metadata.description)


def summarise(markdown: str, title: str, description: str | None) -> str:
    """A summary of at most 500 characters: the page's description, if it is useful, and the best sentences."""
    found = list(islice(_sentences(markdown[:_SUMMARY_READS]), _SUMMARY_SENTENCES))
    lead = _useful_description(description, title, found)
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
        if len(each.text) + 1 <= left and not _repeats(each, known, chosen):
            chosen.append(each)
            left -= len(each.text) + 1
        if left < 60 or len(chosen) == 6:
            break
    chosen.sort(key=lambda each: each.place)
    text = " ".join(part for part in (lead, *(each.text for each in chosen)) if part)
    return text or shortened_at_word(found[0].text, _LONGEST)


def _sentences(markdown: str) -> Iterator[_Sentence]:
    """The sentences of paragraphs and list items, without navigation and requests such as "Subscribe"."""
    place = 0
    for block in blocks(markdown):
        for source in _prose_of(markdown, block):
            text = inline_text(source)
            opens = block.kind == "paragraph"
            for start, end in sentences(text) if not _is_navigation(text, source) else ():
                sentence = text[start:end].strip()
                words = _words(sentence)
                is_statement = len(words) >= 4 and len(sentence) <= _LONGEST and sentence[-1] != ":"
                if is_statement and not (len(sentence) < 150 and _REQUEST.search(sentence)):
                    yield _Sentence(sentence, words, place, opens)
                    place += 1
                    opens = False


def _prose_of(markdown: str, block: Block) -> list[str]:
    """A paragraph, or the items of a list, without images; nothing for other blocks."""
    text = markdown[block.start : block.end]
    if block.kind == "paragraph":
        return [without_images(text)]
    return [without_images(item) for item in _ITEM_MARK.split(text) if item] if block.kind == "list" else []


def _is_navigation(text: str, source: str) -> bool:
    """Whether a text is short or mostly links, as navigation is."""
    if len(text) < 40 and (text.isascii() or not _CJK.search(text)):
        return True
    linked = sum(link.close - link.start - 1 for link in links(source))
    return linked > len(text) * 0.6


def _words(text: str) -> frozenset[str]:
    """The words of at least three letters that are not stop words; of languages without spaces, the characters."""
    return (frozenset(_WORD.findall(text.lower())) - _STOP_WORDS).union(_CJK.findall(text))


def _weights(found: list[_Sentence]) -> dict[str, float]:
    """The weight of each word that at least two sentences have: the share of sentences that have it."""
    counts = Counter(chain.from_iterable(each.words for each in found))
    return {word: count / len(found) for word, count in counts.items() if count > 1}


def _score(each: _Sentence, weight: dict[str, float], topic: frozenset[str]) -> float:
    """How well a sentence describes the document; `topic` are the words of the title."""
    central = sum([weight[word] for word in each.words if word in weight]) / (len(each.words) ** 0.5 or 1.0)
    shared = len(each.words & topic) / max(1, min(len(topic), 6))
    early = 1.0 / (1.0 + each.place / 2)
    whole = 0.15 * each.opens - 0.5 * (each.text[-1] not in _ENDS)
    return 1.5 * early + 0.8 * shared + central + whole


def _repeats(each: _Sentence, known: frozenset[str], chosen: list[_Sentence]) -> bool:
    """Whether most words of a sentence are among the known words or in one of the chosen sentences."""
    return len(each.words & known) > 0.6 * len(each.words) or any(
        len(each.words & other.words) > 0.7 * min(len(each.words), len(other.words)) for other in chosen
    )


def _useful_description(description: str | None, title: str, found: list[_Sentence]) -> str:
    """The page's description; empty if it is too short, repeats the title, is cut off, or is about something else."""
    text = shortened_at_word(" ".join((description or "").split()), 300)
    words = _words(text)
    if len(text) < 50 or len(words) < 5 or words <= _words(title):
        return ""
    if found:
        used = frozenset().union(*(each.words for each in found))
        if len(words & used) < 0.4 * len(words):
            return ""
    if text.endswith(("...", "…", "[…]")) and found:
        return ""
    return text
