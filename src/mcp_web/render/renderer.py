"""The plug-in point of rendering: a URL in, the page after its scripts ran out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mcp_web.model.page import Fetched


@dataclass(frozen=True, slots=True)
class Rendered(Fetched):
    """A page as a browser shows it: `body` is the settled document as HTML in UTF-8, only what is visible."""

    screenshot: bytes | None = None  # PNG
    hidden: int = 0  # pieces of invisible text left out
    blocked: tuple[str, ...] = ()  # hosts the page asked for and did not get


class Renderer(Protocol):
    """Opens pages in a browser, behind the address guard."""

    async def render(self, url: str, *, deadline: float | None = None, screenshot: bool = False) -> Rendered:
        """The settled page. `deadline` is on anyio's clock and can only shorten the configured time; `screenshot` asks
        for a picture even where the operator wants none kept.

        Raises RenderDisabled, RenderFailed, SsrfBlocked, DomainDenied, UnsupportedContent, FetchFailed, or HttpError
        for an error without a page.
        """
        ...

    def expect(self) -> None:
        """A page will probably come: what takes long may begin now. Never fails."""
        ...

    async def aclose(self) -> None:
        """End the browser and everything it started; may be called twice."""
        ...
