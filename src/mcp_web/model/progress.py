"""How work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

OnProgress = Callable[[str, float, float], None]  # what is done now, how far the work is, and how far it goes
