"""Shows the passages of search results: cited, best page first, within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_web.model.passage import ScoredPassage
from mcp_web.model.search import Hit
from mcp_web.text.headings import below_title
from mcp_web.text.untrusted import one_line
from mcp_web.tools import budget
from mcp_web.tools.clean_output import clean_error

if TYPE_CHECKING:
    from mcp_web.services.read_results import ReadHit, ReadResults

TOKENS = 2_500  # of an answer with passages
_ENOUGH = 5  # pages that get a passage before any gets a second one


def passages_text(results: ReadResults, hits: tuple[Hit, ...], tokens: int) -> str:
    """The text of the pages that answer (or else all that were read) with their best passages, then the other results
    as a list; within `tokens` tokens."""
    answering = tuple(one for one in results.read if one.page.ranked[0].answered)
    left = tokens - budget.estimate(_others(results, hits, set())) - 40
    chosen = _chosen(answering or results.read, left)
    blocks = [
        f"{rank}. {_title(one)}\n   {one.hit.url}\n\n" + "\n\n".join(passages)
        for rank, (one, passages) in enumerate(chosen, start=1)
    ]
    others = _others(results, hits, {one.hit.url for one, _ in chosen})
    return "\n\n".join([*blocks, *([others] if others else [])])


def passages_data(results: ReadResults) -> list[dict[str, Any]]:
    """The pages that were read, each as an object with its passages."""
    return [
        {
            "url": one.hit.url,
            "title": one.page.opened.snapshot.document.title or one.hit.title,
            "snapshot": one.page.opened.snapshot.hash,
            "score": round(one.score, 3),
            "answered": one.page.ranked[0].answered,
            "passages": [
                {
                    "id": _id(one, each),
                    "text": each.passage.text,
                    "section_path": list(each.passage.section_path),
                    "score": round(each.score, 3),
                }
                for each in one.passages
            ],
        }
        for one in results.read
    ]


def _chosen(read: tuple[ReadHit, ...], tokens: int) -> list[tuple[ReadHit, list[str]]]:
    """The first five pages, each with the texts of its passages that fit into `tokens` tokens together.

    Every page gets its best passage before any gets a second one; a page without any is left out.
    """
    chosen: dict[str, tuple[ReadHit, list[str]]] = {}
    for turn in range(max((len(one.passages) for one in read), default=0)):
        for one in read[:_ENOUGH]:
            if turn >= len(one.passages):
                continue
            text = _passage(one, one.passages[turn])
            cost = budget.estimate(text) + (0 if one.hit.url in chosen else 40)
            if cost > tokens and (chosen or turn):
                continue
            text = budget.cut(text, tokens)
            tokens -= cost
            chosen.setdefault(one.hit.url, (one, []))[1].append(text)
    return [chosen[one.hit.url] for one in read if one.hit.url in chosen]


def _passage(one: ReadHit, each: ScoredPassage) -> str:
    """A passage as text: its id, the headings above it, and its words without the URLs of links."""
    from mcp_web.read.links import text_only

    above = below_title(each.passage.above, one.page.opened.snapshot.document.title)
    where = " > ".join(map(one_line, above))
    return f"[{_id(one, each)}] {where}".rstrip() + f"\n{text_only(each.passage.text).strip()}"


def _id(one: ReadHit, each: ScoredPassage) -> str:
    """The id by which a passage is cited: `snapshot#number`."""
    return f"{one.page.opened.snapshot.hash[:16]}#{each.passage.number}"


def _title(one: ReadHit) -> str:
    """The title of a page, followed by "may not answer" unless it clearly answers the query."""
    title = one_line(one.page.opened.snapshot.document.title or one.hit.title)
    return title if one.page.ranked[0].verdict == "answered" else f"{title} · may not answer"


def _others(results: ReadResults, hits: tuple[Hit, ...], shown: set[str]) -> str:
    """The results whose URL is not in `shown`: not read, failed or not answering; one line each. "" without any."""
    failed = {hit.url: clean_error(error).code for hit, error in results.failed}
    lines = [
        f"- {one_line(hit.title)[:100]} {hit.url}" + (f" ({failed[hit.url]})" if hit.url in failed else "")
        for hit in hits
        if hit.url not in shown
    ]
    return "other results:\n" + "\n".join(lines) if lines else ""
