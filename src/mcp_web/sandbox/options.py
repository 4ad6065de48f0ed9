"""Options of the worker processes that read untrusted bytes."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    workers: int = option(2, "Worker processes that parse pages, started when first needed.", least=1, most=32)
    wall_seconds: float = option(
        10.0, "Seconds a worker may spend on one page before it is ended.", least=0.1, most=120
    )
    memory_mb: int = option(
        1024, "Address space of one worker in MiB; a page that needs more is refused.", least=128, most=16384
    )
