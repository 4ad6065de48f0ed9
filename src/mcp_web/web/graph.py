"""The citation graph as SVG, laid out on the server, so that no script is needed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response

from mcp_web.app import App
from mcp_web.archive.graph import edges_around
from mcp_web.services.list_documents import list_documents
from mcp_web.text.shorten import shortened
from mcp_web.web.listing import given_filters
from mcp_web.web.pages import page

WIDTH, HEIGHT = 1200, 760
MOST_NODES = 250  # laid out in about 40 ms of CPU
MOST_DOCUMENTS = 1000  # whose citations are looked at: those that were read last
MOST_CITED = 15  # documents of the table
LABELLED = 25  # the most linked documents carry their titles
_LABEL_CHARS = 28
_CHAR_WIDTH, _LINE = 7.8, 17.0  # titles in DejaVu Sans, a wide font, take 6.1 to 7.7 a character
FILTERS = ("collection", "since", "until", "focus")
_MOST_EDGES = 50  # of one document
_STEPS = 60
_GRAVITY = 1.2  # towards the middle, so that what is not linked to the rest stays near
_MARGIN = 60
_NAME = 20  # digits of a document's key that name it here: there are hundreds of links

Pairs = tuple[tuple[str, str], ...]
Places = dict[str, tuple[float, float]]


async def graph(app: App, request: Request) -> Response:
    store = await app.store()
    filters = given_filters(request, FILTERS)
    focus = await store.snapshot(filters["focus"]) if filters["focus"] else None
    center = focus.key if focus else ""
    edges = await (edges_around(store, [center], 2, _MOST_EDGES) if focus else _among_recent(app, filters))
    found = tuple({(one.source, one.target): None for one in edges if one.target and one.target != one.source})
    keys = _most_linked(found, center)
    pairs = tuple(pair for pair in found if pair[0] in keys and pair[1] in keys)
    titles = await store.headlines(list(keys))
    radius = _radius(keys, pairs)
    places = _inside(await anyio.to_thread.run_sync(layout, tuple(sorted(keys)), pairs), radius)
    nodes = _nodes(places, radius, pairs, titles, center)
    return page(
        request,
        "graph.html",
        filters=filters,
        focus_title=(focus.document.title or focus.url) if focus else "",
        collections=sorted((await store.collections()).items()),
        nodes=nodes,
        most_cited=sorted((node for node in nodes if node["cited"]), key=lambda node: -node["cited"])[:MOST_CITED],
        edges=_lines(places, pairs, radius),
        is_cut=len(pairs) < len(found),
        width=WIDTH,
        height=HEIGHT,
    )


async def _among_recent(app: App, filters: dict[str, str]) -> Sequence[Any]:
    """The citations made by the most recently used documents that match the filters."""
    wanted: Any = {name: filters[name] or None for name in ("collection", "since", "until")}
    infos, _ = await list_documents(app, limit=MOST_DOCUMENTS, **wanted)
    return await (await app.store()).cites([info.key for info in infos], _MOST_EDGES)


def _most_linked(pairs: Pairs, center: str) -> set[str]:
    """The keys of the documents to show, at most MOST_NODES.

    First `center` ("" for none) and its neighbours, then the most cited documents and those that cite them.
    """
    cited = Counter(target for _, target in pairs)
    kept = {center} if center else set[str]()
    for source, target in sorted(pairs, key=lambda pair: (center not in pair, -cited[pair[1]], pair[1])):
        if len(kept) + (source not in kept) + (target not in kept) <= MOST_NODES:
            kept |= {source, target}
    return kept


@lru_cache(maxsize=32)
def layout(keys: tuple[str, ...], pairs: Pairs) -> Places:
    """The place of each document in the image, in pixels; equal input gives an equal layout.

    The layout is force-directed: linked documents attract each other, all repel.
    """
    import numpy as np

    count = len(keys)
    if count == 0:
        return {}
    number = {key: at for at, key in enumerate(keys)}
    turn = np.arange(count) * 2.39996  # the golden angle spreads the start evenly over a disc
    spread = np.sqrt((np.arange(count) + 0.5) / count)
    at = np.stack([spread * np.cos(turn), spread * np.sin(turn)], axis=1).astype(np.float32)
    ends = np.array([(number[a], number[b]) for a, b in pairs], int).reshape(-1, 2)
    ideal = 1.6 / math.sqrt(count)
    for step in range(_STEPS):
        squares = (at**2).sum(1)
        push = at @ (-2 * at.T)  # becomes the squared distances, then the forces, in place: it is the largest array
        push += squares[:, None]
        push += squares[None, :]
        np.maximum(push, 1e-4, out=push)
        np.divide(ideal**2, push, out=push)
        force = at * push.sum(1)[:, None] - push @ at - at * _GRAVITY
        along = at[ends[:, 0]] - at[ends[:, 1]]
        pull = along * (np.sqrt((along**2).sum(1)) / ideal)[:, None]
        np.add.at(force, ends[:, 0], -pull)
        np.add.at(force, ends[:, 1], pull)
        length = np.maximum(np.sqrt((force**2).sum(1)), 1e-9)
        at += force / length[:, None] * np.minimum(length, 0.1 * (1 - step / _STEPS))[:, None]
    low, high = at.min(0), at.max(0)
    scaled = ((at - low) / np.maximum(high - low, 1e-9)).tolist()
    return {
        key: (_MARGIN + x * (WIDTH - 2 * _MARGIN), _MARGIN / 2 + y * (HEIGHT - 1.5 * _MARGIN))
        for key, (x, y) in zip(keys, scaled, strict=True)
    }


def _radius(keys: Iterable[str], pairs: Pairs) -> dict[str, float]:
    """The radius of the circle of each document, in pixels: larger if it is cited more often."""
    cited = Counter(target for _, target in pairs)
    return {key: round(5 + 2.5 * math.sqrt(cited[key]), 1) for key in keys}


def _inside(places: Places, radius: Mapping[str, float]) -> Places:
    """The places, moved so that each circle and the title below it are inside the image."""
    return {
        key: (
            min(max(x, radius[key] + 2), WIDTH - radius[key] - 2),
            min(max(y, radius[key] + 2), HEIGHT - radius[key] - _LINE - 2),
        )
        for key, (x, y) in places.items()
    }


def _nodes(
    places: Places, radius: Mapping[str, float], pairs: Pairs, titles: Mapping[str, Any], center: str
) -> list[dict[str, Any]]:
    """The circles of the documents in `titles` for the template, with links, titles and citations."""
    cited = Counter(target for _, target in pairs)
    degree = Counter(end for pair in pairs for end in pair)
    link = {key: {"href": f"/archive/{key[:_NAME]}", "title": one.title or one.url} for key, one in titles.items()}
    order = ([center] if center else []) + [key for key, _ in degree.most_common() if key != center]
    labels = _labels([key for key in order if key in link], places, radius, link)
    cites: dict[str, list[dict[str, str]]] = {}
    for source, target in pairs:
        if target in link:
            cites.setdefault(source, []).append(link[target])
    return [
        link[key]
        | {
            "name": key[:_NAME],
            "x": round(x),
            "y": round(y),
            "r": radius[key],
            "focus": key == center,
            "label": labels.get(key, ("", 0.0)),
            "cited": cited[key],
            "cites": cites.get(key, []),
        }
        for key, (x, y) in places.items()
        if key in link
    ]


def _labels(
    order: list[str], places: Places, radius: Mapping[str, float], link: Mapping[str, Mapping[str, str]]
) -> dict[str, tuple[str, float]]:
    """The title below each circle and the x of its middle, for the first 25 of `order` that fit without overlap."""
    found: dict[str, tuple[str, float]] = {}
    boxes: list[tuple[float, float, float]] = []  # middle, half of the width, height of the line
    for key in order:
        title = link[key]["title"]
        text = shortened(title, _LABEL_CHARS)
        half, y = len(text) * _CHAR_WIDTH / 2, places[key][1] + radius[key]
        x = min(max(places[key][0], half), WIDTH - half)
        if all(abs(x - other[0]) >= half + other[1] or abs(y - other[2]) >= _LINE for other in boxes):
            found[key] = (text, round(x))
            boxes.append((x, half, y))
        if len(found) == LABELLED:
            break
    return found


def _lines(places: Places, pairs: Pairs, radius: Mapping[str, float]) -> list[tuple[int, ...]]:
    """An arrow (x1, y1, x2, y2) for each citation, ending at the edge of the circle of the cited document."""
    lines = []
    for source, target in pairs:
        (x1, y1), (x2, y2) = places[source], places[target]
        far = math.hypot(x2 - x1, y2 - y1) or 1.0
        short = min(1.0, (radius.get(target, 0.0) + 2) / far)
        lines.append(tuple(map(round, (x1, y1, x2 - (x2 - x1) * short, y2 - (y2 - y1) * short))))
    return lines
