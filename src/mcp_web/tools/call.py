"""One running tool call: the parts it may use, its deadline, and how it reports progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_web.tools.envelope import Envelope

if TYPE_CHECKING:
    from mcp_web.app import App
    from mcp_web.model.snapshot import Snapshot


@dataclass(slots=True)
class Progress:
    """The progress of a call; the server reads it about once a second."""

    done: float = 0.0
    total: float | None = None  # where it is known
    message: str = ""


@dataclass(slots=True)
class Call:
    """One call of a tool. `deadline` is a time of `anyio.current_time()`."""

    app: App
    deadline: float
    notes: list[str] = field(default_factory=list)  # for the agent, shown before the answer
    envelope: Envelope = field(default_factory=Envelope)
    progress: Progress = field(default_factory=Progress)
    on_progress: Callable[[Progress], None] | None = None  # called at once: for progress bars
    facts: dict[str, Any] = field(default_factory=dict)  # what the log says of this call besides its tool and time
    client: str = ""  # the name of the program that asked, where it is known
    wants_data: bool = True  # whether the answer object is used, or only the text

    def report(self, message: str, done: float | None = None, total: float | None = None) -> None:
        """Report the current step and, where given, the work done and in total; None leaves a number as it is."""
        self.progress.message = message
        if done is not None:
            self.progress.done = done
        if total is not None:
            self.progress.total = total
        if self.on_progress is not None:
            self.on_progress(self.progress)

    def log_page(self, snapshot: Snapshot, cache: str) -> None:
        """Add to the facts that are logged: the page's URL, its HTTP status and whether it came from the cache."""
        self.facts |= {"url": snapshot.url, "status": snapshot.status, "cache": cache, "cache_hit": cache != "fetched"}

    def log_search(self, cache: str) -> None:
        """Add to the facts that are logged whether the search came from the cache; the query is never logged."""
        self.facts |= {"cache": cache, "cache_hit": cache == "hit"}
