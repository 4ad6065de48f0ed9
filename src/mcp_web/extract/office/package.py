"""Reads a zipped office file safely: every part has a size limit, and XML entities are refused."""

from __future__ import annotations

import io
import lzma
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from importlib import import_module

from mcp_web.errors import ExtractFailed, UnsupportedContent
from mcp_web.extract.xml_elements import Element, attribute, child, children, descendants, local, parse_xml, read_xml
from mcp_web.model.page import Document, Fetched, Metadata
from mcp_web.text.dates import read_date
from mcp_web.text.untrusted import quoted

_PART = 40_000_000  # bytes of one part, unpacked
_ALL = 80_000_000  # bytes of all parts read
_PARTS = 20_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_EXTENSIONS = frozenset(("wps", "wpg", "wpc", "wp14", "w14", "w15", "a14", "p14", "p15", "v"))
_WHOLE = re.compile(r"-?[0-9]{1,12}")
# A part that only one type of document has → the type.
_SIGNS = {
    "word/document.xml": "docx",
    "xl/workbook.xml": "xlsx",
    "ppt/presentation.xml": "pptx",
    "META-INF/container.xml": "epub",
    "content.xml": "odf",
}


class Package:
    """The parts of a zipped document; raises ExtractFailed for a file that cannot be unpacked."""

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
            raise self.failed("is damaged: it is not a readable zip file") from error
        self.names = frozenset(info.filename for info in self._zip.infolist()[:_PARTS])

    def read(self, name: str) -> bytes | None:
        """The bytes of a part, unpacked; None if it is absent. Raises ExtractFailed if it is damaged or too large."""
        if name not in self.names:
            return None
        try:
            with self._zip.open(name) as part:
                data = part.read(min(_PART, self._left) + 1)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, EOFError, OSError, ValueError) as error:
            raise self.failed(f"is damaged or encrypted (part {quoted(name)})") from error
        self._left -= len(data)
        if len(data) > _PART or self._left < 0:
            raise self.failed(f"unpacks to more than {_PART // 1_000_000} MB (part {quoted(name)})")
        return data

    def xml(self, name: str) -> Element | None:
        """The root element of a part; None if the part is absent. Raises ExtractFailed if it is not valid XML."""
        data = self.read(name)
        try:
            return None if data is None else parse_xml(data)
        except ValueError as error:
            raise self.failed(f"{error} (part {quoted(name)})") from error

    def stream(self, name: str, data: bytes, section: str) -> Iterator[tuple[bool, Element]]:
        """The elements of a large part, whose bytes are `data`, each with whether it is in the element `section`.

        They are the children of the root and of `section`. `name` is for errors. Raises ExtractFailed, also after some
        of them.
        """
        try:
            yield from read_xml(data, section)
        except ValueError as error:
            raise self.failed(f"{error} (part {quoted(name)})") from error

    def main_part(self, usual: str) -> str:
        """The name of the part with the content of an Office Open XML file; `usual` if the file does not state it."""
        found = self.related("").get("officeDocument", "")
        return found if found in self.names else usual

    def relations(self, part: str) -> dict[str, str]:
        """The relations of an Office Open XML part: id → name of a part, or URL if it is external."""
        return {identity: target for identity, _, target in self._relations(part)}

    def related(self, part: str) -> dict[str, str]:
        """The first relation of each type that an Office Open XML part has, or for "" the file: last word of the type,
        such as "theme" → name of a part, or URL if it is external."""
        return {kind: target for _, kind, target in [*self._relations(part)][::-1]}

    def _relations(self, part: str) -> Iterator[tuple[str, str, str]]:
        """The id, the last word of the type, and the target of each relation of a part."""
        folder, name = posixpath.split(part)
        for relation in children(self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))):
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            yield relation.get("Id", ""), relation.get("Type", "").rpartition("/")[2], target

    def core_properties(self) -> tuple[str, Metadata]:
        """The title ("" if there is none) and the metadata of an Office Open XML file."""
        return read_dublin_core(self.xml("docProps/core.xml"))

    def failed(self, what: str, suggestion: str | None = None) -> ExtractFailed:
        """The error for this document, to be raised; `what` is the predicate of its message, such as "is damaged"."""
        return ExtractFailed(
            f"The document at {self._page.final_url} ({len(self._page.body):,} bytes) {what}.",
            suggestion=suggestion or "Look for another copy, or an HTML or PDF version of the same document.",
            url=self._page.final_url,
        )


def read_zip(page: Fetched) -> Document:
    """Reads the document in a zip file, whose type is detected by its parts; raises UnsupportedContent for others."""
    package = Package(page)
    for part, kind in _SIGNS.items():
        if part in package.names:
            document: Document = getattr(import_module(f"mcp_web.extract.office.{kind}"), f"read_{kind}")(page)
            return document
    raise UnsupportedContent(
        f"{page.final_url} is a zip archive ({len(page.body):,} bytes, {len(package.names)} files), not a document.",
        url=page.final_url,
        content_type=page.media_type,
        size=len(page.body),
    )


def read_dublin_core(root: Element | None) -> tuple[str, Metadata]:
    """The title and metadata in Dublin Core, which Office, OpenDocument and EPUB use; both empty without `root`."""
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


def value(element: Element | None, *path: str) -> str:
    """The `val` attribute of the element at the end of a path of tags; "" if there is none."""
    return attribute(child(element, *path), "val") or ""


def whole(text: str | None, default: int = 0) -> int:
    """The whole number in a text; `default` if it is not one, or has more than twelve digits."""
    return int(text) if text and _WHOLE.fullmatch(text) else default


def alternative(element: Element) -> Element | None:
    """Of the contents of an `AlternateContent` the one that programs show: the first whose extensions they know, else
    the last, or None."""
    choices = children(element, "Choice")
    known = (each for each in choices if set((attribute(each, "Requires") or "?").split()) <= _EXTENSIONS)
    return next(known, child(element, "Fallback"))


def relation_id(element: Element) -> str:
    """The relation id of a sheet or slide: its `id` attribute that has a namespace; "" if there is none."""
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def letters(element: Element) -> str:
    """The text of all `t` elements in an element, joined."""
    return "".join(each.text or "" for each in descendants(element, "t"))
