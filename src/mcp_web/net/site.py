"""Which hosts belong together: the registrable domain, by the Public Suffix List."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mcp_web.net.address import parse_address

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


def site_of(host: str) -> str:
    """`docs.example.co.uk` → `example.co.uk`; an address or a bare suffix is its own site."""
    name = host.lower().rstrip(".")
    if parse_address(name) is not None:
        return name
    return _suffixes().privatesuffix(name) or name
