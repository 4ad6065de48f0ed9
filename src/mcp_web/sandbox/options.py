"""Options of the worker processes that read untrusted bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    workers: int = option(
        2, "Worker processes that parse pages; raise it to the number of cores on a busy server.", least=1, most=32
    )
    wall_seconds: float = 10.0  # seconds a worker may spend on one page before it is killed
    # Address space of one worker in MiB, beyond which a page is refused. The worker itself takes 142 of it, most of it
    # libraries and buffers of NumPy that are never used: 34 are resident. A page may take 120: 5 MB of prose take 76 to
    # read, PDFs of hundreds of pages 41, and a page that takes more is made of tags. So a worker at its limit has about
    # 155 MiB resident.
    memory_mb: int = 262

    def for_bodies(self, max_bytes: int) -> SandboxOptions:
        """These options with enough memory for bodies of `max_bytes`: 16 MiB more for each million beyond five."""
        return replace(self, memory_mb=self.memory_mb + 16 * max(0, max_bytes // 1_000_000 - 5))
