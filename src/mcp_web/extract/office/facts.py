"""The metadata of an office file: title, author, dates."""

from __future__ import annotations

from mcp_web.extract.office.package import Element, Package, local
from mcp_web.model.page import Metadata
from mcp_web.text.dates import read_date


def core_facts(package: Package) -> tuple[str, Metadata]:
    """Title and facts of an Office Open XML file."""
    return facts_of(package.xml("docProps/core.xml"))


def facts_of(root: Element | None) -> tuple[str, Metadata]:
    """Title and facts under the Dublin Core names that Office, OpenDocument and EPUB share."""
    found: dict[str, str] = {}
    creators: list[str] = []
    for element in root.iter() if root is not None else ():
        text = " ".join((element.text or "").split())[:500]
        name = local(element.tag)
        if not text:
            continue
        if name in ("creator", "initial-creator") and text not in creators:
            creators.append(text)
        found.setdefault(name, text)
    return found.get("title", ""), Metadata(
        description=found.get("description") or found.get("subject"),
        author=", ".join(creators[:5]) or None,
        published=read_date(found.get("created") or found.get("creation-date") or found.get("date")),
        modified=read_date(found.get("modified") or (found.get("date") if "creation-date" in found else None)),
        site_name=found.get("publisher"),
        language=found.get("language"),
    )
