"""The picture of the graph stays useful with many documents."""

from __future__ import annotations

import random
from itertools import combinations

from mcp_web.store.protocol import Headline
from mcp_web.web import graph

KEYS = [f"{number:064x}" for number in range(2000)]


def _pairs(count: int) -> graph.Pairs:
    chance = random.Random(1)
    return tuple({(chance.choice(KEYS), chance.choice(KEYS[:200])): None for _ in range(count)})


def test_every_document_that_is_shown_cites_or_is_cited_by_another() -> None:
    pairs = _pairs(3000)
    kept = graph._most_linked(pairs, "")
    linked = {end for pair in pairs if set(pair) <= kept for end in pair}
    assert kept == linked
    assert len(kept) == graph.MOST_NODES


def test_the_document_in_the_middle_comes_with_its_own_citations_first() -> None:
    center = KEYS[1500]
    pairs = (*_pairs(3000), *((center, KEYS[number]) for number in range(1900, 1950)))
    assert {KEYS[number] for number in range(1900, 1950)} <= graph._most_linked(pairs, center)


def test_the_same_documents_make_the_same_picture_inside_its_frame() -> None:
    pairs = _pairs(100)
    keys = tuple(sorted({end for pair in pairs for end in pair}))
    first = graph.layout(keys, pairs)
    graph.layout.cache_clear()
    assert graph.layout(keys, pairs) == first
    assert all(0 < x < graph.WIDTH and 0 < y < graph.HEIGHT for x, y in first.values())


def test_a_document_that_many_cite_is_whole_inside_the_picture() -> None:
    pairs = tuple((key, KEYS[number % 2]) for number, key in enumerate(KEYS[2:250]))
    keys = tuple(KEYS[:250])
    radius = graph._radius(keys, pairs)
    for key, (x, y) in graph._inside(dict.fromkeys(keys, (0.0, 0.0)) | {KEYS[1]: (1200.0, 760.0)}, radius).items():
        assert radius[key] < x < graph.WIDTH - radius[key]
        assert radius[key] < y < graph.HEIGHT - radius[key] - graph._LINE


def test_no_title_covers_another() -> None:
    pairs = _pairs(200)
    keys = tuple(sorted({end for pair in pairs for end in pair}))
    titles = {key: Headline(f"A document with a long title {key[-3:]}", "https://a.example/", None) for key in keys}
    nodes = graph._nodes(graph.layout(keys, pairs), graph._radius(keys, pairs), pairs, titles, "")
    labelled = [(node["label"][1], node["y"] + node["r"], len(node["label"][0])) for node in nodes if node["label"][0]]
    assert len(labelled) > 5
    for (x1, y1, long1), (x2, y2, long2) in combinations(labelled, 2):
        assert abs(y1 - y2) >= graph._LINE - 1 or abs(x1 - x2) >= (long1 + long2) * graph._CHAR_WIDTH / 2 - 1
