"""One tool call under way: the parts it may use, its deadline, and a way to say how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from mcp_web.tools.envelope import Envelope

if TYPE_CHECKING:
    from mcp_web.app import App


@dataclass(slots=True)
class Progress:
    """How far a call is; the server reads it about once a second."""

    done: float = 0.0
    total: float | None = None
    message: str = ""


@dataclass(slots=True)
class Call:
    app: App
    deadline: float  # anyio.current_time() by which an answer must be ready
    notes: list[str] = field(default_factory=list)
    envelope: Envelope = field(default_factory=Envelope)
    progress: Progress = field(default_factory=Progress)
    on_progress: Callable[[Progress], None] | None = None  # called at once: for progress bars
    wants_data: bool = True  # whether the answer object is used, or only the text

    def say(self, message: str, done: float | None = None, total: float | None = None) -> None:
        """Report what is being done."""
        self.progress.message = message
        if done is not None:
            self.progress.done = done
        if total is not None:
            self.progress.total = total
        if self.on_progress is not None:
            self.on_progress(self.progress)

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.deadline - anyio.current_time())
