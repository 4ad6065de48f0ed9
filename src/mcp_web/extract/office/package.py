"""Reads a zipped office file safely: every part has a size limit, and no XML entity is expanded."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib

# The declarations that make XML dangerous are refused before parsing; see Package.xml.
from xml.etree import ElementTree

from mcp_web.errors import ExtractFailed
from mcp_web.model.page import Fetched
from mcp_web.text.untrusted import quoted

_PART = 40_000_000  # bytes of one part, unpacked
_ALL = 80_000_000  # bytes of all parts read
_PARTS = 20_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

Element = ElementTree.Element


class Package:
    """The parts of a zipped document."""

    def __init__(self, page: Fetched) -> None:
        self._page = page
        self._left = _ALL
        if page.body.startswith(_OLE):
            raise self.failed(
                "is a password-protected or old binary Office file",
                "Look for an unprotected copy, or one in a newer format (docx, xlsx, pptx, pdf).",
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(page.body))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise self.failed("is damaged: it is no readable zip file") from error
        self.names = frozenset(info.filename for info in self._zip.infolist()[:_PARTS])

    def read(self, name: str) -> bytes | None:
        """A part, or None when it is absent. The sizes in the zip directory are not trusted."""
        if name not in self.names:
            return None
        try:
            with self._zip.open(name) as part:
                data = part.read(min(_PART, self._left) + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            RuntimeError,
            NotImplementedError,
            EOFError,
            OSError,
            ValueError,
        ) as error:
            raise self.failed(f"is damaged or encrypted (part {quoted(name)})") from error
        self._left -= len(data)
        if len(data) > _PART or self._left < 0:
            raise self.failed(f"unpacks to more than {_PART // 1_000_000} MB (part {quoted(name)})")
        return data

    def xml(self, name: str) -> Element | None:
        """A part parsed, or None when it is absent."""
        data = self.read(name)
        return None if data is None else self.parse(data, name)

    def refuse_entities(self, data: bytes, name: str) -> None:
        """Refuse entity declarations: office files have none, and attacks use them to exhaust memory or read files."""
        if b"<!ENTITY" in data or b"<\x00!\x00E\x00N\x00T\x00I\x00T\x00Y" in data:
            raise self.failed(f"declares XML entities (part {quoted(name)})")

    def parse(self, data: bytes, name: str) -> Element:
        self.refuse_entities(data, name)
        try:
            return ElementTree.fromstring(data)  # noqa: S314  see above
        except ElementTree.ParseError as error:
            raise self.failed(f"holds broken XML (part {quoted(name)}, line {error.position[0]})") from error

    def relations(self, part: str) -> dict[str, str]:
        """Relation id → target of an Office Open XML part; inner targets as part names, outer ones as URLs."""
        folder, _, name = part.rpartition("/")
        root = self.xml(f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels")
        found: dict[str, str] = {}
        for relation in root if root is not None else ():
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External":
                target = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"{folder}/{target}")
            found[relation.get("Id", "")] = target
        return found

    def failed(self, what: str, suggestion: str | None = None) -> ExtractFailed:
        return ExtractFailed(
            f"The document at {self._page.final_url} ({len(self._page.body):,} bytes) {what}.",
            suggestion=suggestion or "Look for another copy, or an HTML or PDF version of the same document.",
            url=self._page.final_url,
        )


def local(tag: object) -> str:
    """A tag without its namespace; comments and the like have none."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str | None:
    """An attribute by its local name, whatever its namespace."""
    for key, value in element.attrib.items():
        if key == name or key.endswith("}" + name):
            return value
    return None


def child(element: Element | None, *path: str) -> Element | None:
    """The first child by local names, down a path."""
    for name in path:
        if element is None:
            return None
        element = next((each for each in element if local(each.tag) == name), None)
    return element
