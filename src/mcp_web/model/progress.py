"""How work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

OnProgress = Callable[[str, float, float], None]  # the current step, the work done, and the total
