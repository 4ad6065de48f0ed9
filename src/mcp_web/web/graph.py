"""The citation graph as a picture: laid out on the server, so that it needs no script."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import anyio

from mcp_web.web.listing import is_day
from mcp_web.web.pages import page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_web.app import App

WIDTH, HEIGHT = 1200, 800
MOST_NODES = 300
FILTERS = ("collection", "since", "until", "focus")
LABELLED = 25  # the most cited documents carry their titles
_BATCH = 500
_STEPS = 120
_GRAVITY = 1.2  # towards the middle, so that what is not linked to the rest stays near

Edges = list[tuple[str, str]]


async def graph(app: App, request: Request) -> Response:
    store = await app.store()
    filters = {
        name: request.query_params.get(name, "").strip()[:200] for name in ("collection", "since", "until", "focus")
    }
    filters |= {name: "" for name in ("since", "until") if not is_day(filters[name])}
    focus = await store.snapshot(filters["focus"]) if filters["focus"] else None
    edges = await _around(app, focus.key) if focus else await _between(app, filters)
    keys = _most_linked(edges, focus.key if focus else "")
    edges = [(source, target) for source, target in edges if source in keys and target in keys]
    rows = await store.documents(list(keys))
    places = await anyio.to_thread.run_sync(layout, sorted(keys), edges)
    nodes, lines = _drawn(places, edges, rows, focus.key if focus else "")
    collections = sorted((await store.collections()).items())
    return page(request, "graph.html", filters=filters, collections=collections, nodes=nodes, edges=lines,
                width=WIDTH, height=HEIGHT)  # fmt: skip


async def _around(app: App, key: str) -> Edges:
    """Two steps of citations in both directions."""
    store = await app.store()
    found: dict[tuple[str, str], None] = {}
    waiting, seen = [key], {key}
    for _ in range(2):
        edges = [*await store.cites(waiting, MOST_NODES), *await store.cited_by(waiting, MOST_NODES)]
        found |= {(edge.source, edge.target): None for edge in edges if edge.target}
        waiting = list({end for edge in edges for end in (edge.source, edge.target) if end} - seen)[:MOST_NODES]
        seen |= set(waiting)
        if not waiting:
            break
    return list(found)


async def _between(app: App, filters: dict[str, str]) -> Edges:
    """Citations between documents of a collection, or of everything."""
    store = await app.store()
    found: dict[tuple[str, str], None] = {}
    after = ""
    while (keys := await store.keys(after, _BATCH, collection=filters["collection"] or None)) and len(found) < 5000:
        after = keys[-1]
        wanted = await _in_time(app, keys, filters)
        edges = await store.cites(wanted, 5000) if wanted else []
        found |= {(edge.source, edge.target): None for edge in edges if edge.target and edge.target != edge.source}
    return list(found)


async def _in_time(app: App, keys: list[str], filters: dict[str, str]) -> list[str]:
    since, until = filters["since"], filters["until"]
    if not (since or until):
        return keys
    rows = await (await app.store()).documents(keys)
    return [key for key, row in rows.items() if row.date >= since and (not until or row.date <= until)]


def _most_linked(edges: Edges, focus: str) -> set[str]:
    degree = Counter(end for edge in edges for end in edge)
    kept = {key for key, _ in degree.most_common(MOST_NODES)}
    return kept | {focus} if focus else kept


def layout(keys: list[str], edges: Edges) -> dict[str, tuple[float, float]]:
    """Places by springs: linked documents attract each other, all repel. The same input gives the same picture."""
    import numpy as np

    count = len(keys)
    if count == 0:
        return {}
    number = {key: at for at, key in enumerate(keys)}
    turn = np.arange(count) * 2.39996  # the golden angle spreads the start evenly over a disc
    spread = np.sqrt((np.arange(count) + 0.5) / count)
    at = np.stack([spread * np.cos(turn), spread * np.sin(turn)], axis=1)
    pairs = np.array([(number[a], number[b]) for a, b in edges if a in number and b in number], int).reshape(-1, 2)
    ideal = 1.6 / math.sqrt(count)
    for step in range(_STEPS):
        away = at[:, None, :] - at[None, :, :]
        far = np.maximum(np.sqrt((away**2).sum(2)), 1e-3)
        force = (away * (ideal**2 / far**2)[:, :, None]).sum(1) - at * _GRAVITY
        if len(pairs):
            along = at[pairs[:, 0]] - at[pairs[:, 1]]
            pull = along * (np.sqrt((along**2).sum(1)) / ideal)[:, None]
            np.add.at(force, pairs[:, 0], -pull)
            np.add.at(force, pairs[:, 1], pull)
        length = np.maximum(np.sqrt((force**2).sum(1)), 1e-9)
        at += force / length[:, None] * np.minimum(length, 0.1 * (1 - step / _STEPS))[:, None]
    low, high = at.min(0), at.max(0)
    scaled = (at - low) / np.maximum(high - low, 1e-9)
    return {key: (40 + scaled[n, 0] * (WIDTH - 240), 40 + scaled[n, 1] * (HEIGHT - 80)) for key, n in number.items()}


def _drawn(
    places: dict[str, tuple[float, float]], edges: Edges, rows: Any, focus: str
) -> tuple[list[dict[str, Any]], list[dict[str, float]]]:
    cited = Counter(target for _, target in edges)
    named = {key for key, _ in Counter(end for edge in edges for end in edge).most_common(LABELLED)} | {focus}
    link = {key: {"href": f"/archive/{rows[key].hash}", "title": rows[key].title or rows[key].url} for key in rows}
    nodes = [
        link[key]
        | {
            "x": round(x, 1),
            "y": round(y, 1),
            "r": round(4 + 2 * math.sqrt(cited[key]), 1),
            "focus": key == focus,
            "label": link[key]["title"][:32] if key in named else "",
            "cites": [link[target] for source, target in edges if source == key and target in link],
        }
        for key, (x, y) in places.items()
        if key in link
    ]
    lines = [
        {
            "x1": round(places[a][0], 1),
            "y1": round(places[a][1], 1),
            "x2": round(places[b][0], 1),
            "y2": round(places[b][1], 1),
        }
        for a, b in edges
        if a in places and b in places
    ]
    return nodes, lines
