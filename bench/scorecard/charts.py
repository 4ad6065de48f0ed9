"""Horizontal bars as SVG, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_WIDTH, _LABEL, _LINE = 720, 190, 26
_OURS, _THEIRS, _TEXT = "#0b7285", "#adb5bd", "#6c757d"


def bars(title: str, rows: Sequence[tuple[str, float, str]], ours: str) -> str:
    """One bar a row: name, value, and the value as it is written; ours has its own colour."""
    most = max((value for _, value, _ in rows), default=1.0) or 1.0
    room = _WIDTH - _LABEL - 110
    lines = [_text(0, 18, title, weight="bold")]
    for number, (name, value, shown) in enumerate(rows):
        top = 34 + number * _LINE
        colour = _OURS if name.startswith(ours) else _THEIRS
        length = max(1.0, room * value / most)
        lines.append(_text(_LABEL - 8, top + 13, name, anchor="end"))
        lines.append(f'<rect x="{_LABEL}" y="{top}" width="{length:.1f}" height="18" rx="2" fill="{colour}"/>')
        lines.append(_text(_LABEL + length + 6, top + 13, shown))
    height = 44 + len(rows) * _LINE
    size = f'viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}'
    return f'{head} font-family="sans-serif" font-size="13" fill="{_TEXT}">\n' + "\n".join(lines) + "\n</svg>\n"


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}" font-weight="{weight}">{escape(text)}</text>'
