"""The interface of renderers: from a URL to the page after its scripts ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mcp_web.model.page import Fetched


@dataclass(frozen=True, slots=True)
class Rendered(Fetched):
    """A page as a browser shows it: `body` is the visible part of the settled document, as HTML in UTF-8."""

    screenshot: bytes | None = None  # PNG
    hidden: int = 0  # pieces of invisible text left out


class Renderer(Protocol):
    """Opens pages in a browser, behind the address guard."""

    async def render(self, url: str, *, deadline: float | None = None, screenshot: bool = False) -> Rendered:
        """The settled page. `deadline` is on anyio's clock and can only shorten the configured time; `screenshot` takes
        a screenshot even if the operator does not keep them.

        Raises RenderDisabled, RenderFailed, SsrfBlocked, DomainDenied, UnsupportedContent, FetchFailed, or HttpError
        for an error without a page.
        """
        ...

    def warm(self) -> None:
        """Start what takes long, because a page will probably be rendered. Never fails."""
        ...

    async def aclose(self) -> None:
        """End the browser and everything it started; may be called twice."""
        ...
