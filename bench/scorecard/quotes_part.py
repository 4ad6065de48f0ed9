"""Quotes checked: exact, retyped, altered and foreign ones, with our tool and by searching in what a peer returned."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bench.scorecard.contestants import Contestant, Make
from bench.scorecard.corpus import Corpus, Question
from bench.scorecard.installs import Installed
from bench.scorecard.pages_part import Openings
from bench.scorecard.rows import OURS, gain_row
from bench.scorecard.servers import running
from bench.scorecard.site import Web
from bench.scorecard.table import Row, Table

_KINDS = {
    "exact quotes confirmed": True,
    "retyped quotes confirmed": True,
    "altered quotes noticed": False,
    "foreign quotes noticed": False,
}
_STATE = re.compile(r"^(\d+)\. (exact|normalised|fuzzy|absent)", re.MULTILINE)
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")


@dataclass(frozen=True, slots=True)
class Quote:
    page: str
    text: str
    kind: str


def quotes_of(corpus: Corpus) -> list[Quote]:
    """Four quotes for each passage that is prose; the same in every run."""
    prose = [question for question in corpus.questions if question.passage.endswith(".")]
    made: list[Quote] = []
    for number, question in enumerate(prose):
        page = question.page or ""
        foreign = prose[(number + 7) % len(prose)]
        made.append(Quote(page, question.passage, "exact quotes confirmed"))
        made.append(Quote(page, _retyped(question.passage), "retyped quotes confirmed"))
        made.append(Quote(page, _altered(question), "altered quotes noticed"))
        made.append(Quote(page, foreign.passage, "foreign quotes noticed"))
    return [quote for quote in made if quote.text]


def _retyped(text: str) -> str:
    """As a person types it again: other spacing, dashes and quotation marks."""
    return text.replace("'", "’").replace(" – ", " - ").replace(", ", ",  ").replace("; ", ";\n")


def _altered(question: Question) -> str:
    """One number or one word is another."""
    chance = random.Random(question.id)
    text = question.passage
    if digits := re.search(r"\d", text):
        return text[: digits.start()] + str((int(digits[0]) + 3) % 10) + text[digits.end() :]
    for at, word in enumerate(_NUMBERS):
        if re.search(rf"\b{word}\b", text):
            return re.sub(rf"\b{word}\b", _NUMBERS[(at + 3) % len(_NUMBERS)], text, count=1)
    words = text.split()
    place = chance.randrange(1, len(words) - 1)
    words[place] = "never" if words[place] != "never" else "always"
    return " ".join(words)


def quotes_table(web: Web, makes: dict[str, Make], installed: dict[str, Installed], opened: Openings) -> Table:
    quotes = quotes_of(opened.corpus)
    with running({OURS: makes[OURS]}, installed, web.hosts) as field:
        mine = field.each(lambda server: _verified(server, quotes, web))[OURS]
    rows: list[Row] = []
    for name, pages in opened.found.items():
        if name != OURS:
            rows += _rows(name, quotes, mine, [quote.text in pages.texts[quote.page] for quote in quotes])
    method = (
        f"{len(quotes)} quotes: each prose passage of the race as it stands, retyped (spacing, dashes, quotation "
        "marks), with one number or word altered, and quoted from a page that it does not stand in. Ours: "
        "`verify_quotes`. No peer has such a tool, so theirs is what an agent can do without: search for the quote in "
        "the text that the peer returned."
    )
    return Table("quotes", "Quotes", method, tuple(rows))


def _verified(server: Contestant, quotes: Sequence[Quote], web: Web) -> list[bool]:
    """Whether each quote is said to stand there word for word; all quotes of a page in one call."""
    said: dict[Quote, bool] = {}
    for page in dict.fromkeys(quote.page for quote in quotes):
        asked = [quote for quote in quotes if quote.page == page]
        source = web.addresses[page]
        text = server.session.call("verify_quotes", source=source, quotes=[one.text for one in asked]).text
        found = {int(number): state for number, state in _STATE.findall(text)}
        said |= {one: found.get(at) in ("exact", "normalised") for at, one in enumerate(asked, 1)}
    return [said[quote] for quote in quotes]


def _rows(peer: str, quotes: Sequence[Quote], ours: Sequence[bool], theirs: Sequence[bool]) -> list[Row]:
    rows = []
    for kind, wanted in _KINDS.items():
        places = [at for at, quote in enumerate(quotes) if quote.kind == kind]
        mine, other = ([float(said[at] == wanted) for at in places] for said in (ours, theirs))
        rows.append(gain_row(kind, peer, mine, other, "the page's Markdown differs from the words of the quote"))
    return rows
