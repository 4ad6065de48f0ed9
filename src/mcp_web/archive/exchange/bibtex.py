"""Reads and writes BibTeX: strict in what is written, lenient in what is read."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import anyio

from mcp_web.archive.exchange.records import Exporter, Importer
from mcp_web.archive.exchange.references import Reference, reference_of, snapshot_of_reference
from mcp_web.text.urls import domain_of

_ENTRY = re.compile(r"@([A-Za-z]+)\s*\{\s*([^,\s{}]+)\s*,")
_FIELD = re.compile(r"\s*,?\s*([A-Za-z][\w-]*)\s*=\s*")
_NAMES = re.compile(r"\s+and\s+(?![^{}]{0,500}\})")  # between names, not inside braces
_AUTHOR = re.compile(r"\s*(?:\{([^{}]{1,500})\}|(.{1,500}?))(?:\s+and\s+|\s*$)", re.DOTALL)
_ESCAPES = {char: f"\\{char}" for char in "{}%&#_$"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
_UNESCAPES = {escaped: char for char, escaped in _ESCAPES.items()}
_ESCAPED = re.compile("|".join(re.escape(escaped) for escaped in sorted(_UNESCAPES, key=len, reverse=True)))


class _Kind(NamedTuple):
    """A BibTeX entry type, and the names of its fields for what contains the work (a journal) and for the publisher."""

    name: str
    container: str = "journal"
    publisher: str = "publisher"


_KINDS = {
    "article-journal": _Kind("article"),
    "article": _Kind("misc"),
    "paper-conference": _Kind("inproceedings", "booktitle"),
    "chapter": _Kind("incollection", "booktitle"),
    "entry-encyclopedia": _Kind("incollection", "booktitle"),
    "book": _Kind("book", "series"),
    "thesis": _Kind("phdthesis", "series", "school"),
    "report": _Kind("techreport", "series", "institution"),
    "webpage": _Kind("online", "organization"),
    "dataset": _Kind("misc", "series"),
    "software": _Kind("misc", "series"),
}
_TYPES = {kind.name: name for name, kind in reversed(_KINDS.items()) if kind.name != "misc"}


async def export_bibtex(exporter: Exporter, file: Path) -> None:
    """Write a BibTeX entry for the newest version of each document to a file."""
    taken: set[str] = set()
    async with await anyio.open_file(file, "w", encoding="utf-8", errors="replace", newline="\n") as out:
        async for snapshot in exporter.newest():
            reference = reference_of(snapshot)
            await out.write(entry(reference, citation_key(reference, taken)) + "\n")


async def import_bibtex(importer: Importer, file: Path) -> None:
    """Store a document for every entry of a BibTeX file."""
    for reference in entries(await anyio.Path(file).read_text("utf-8", "replace")):
        await importer.keep(snapshot_of_reference(reference, time.time()))


def citation_key(reference: Reference, taken: set[str]) -> str:
    """A key that a person can type: author or site, year, first word of the title. An imported key is kept. `taken` are
    the keys so far; the new one differs from them and is added."""
    made = reference.id if not _OWN_ID.fullmatch(reference.id) else _readable_key(reference)
    key, number = made, 1
    while key in taken:
        number += 1
        key = f"{made}-{number}"
    taken.add(key)
    return key


def _readable_key(reference: Reference) -> str:
    """Author or site, year, and the first word of the title that is neither an article nor a number."""
    author = reference.authors[0].split(",")[0].split()[-1:] if reference.authors else []
    who = _letters(author[0] if author else "") or _letters(reference.site or domain_of(reference.url))
    words = [word for word in map(_letters, reference.title.split()) if word not in _ARTICLES]
    title = next((word for word in words if not word.isdigit()), "".join(words))
    who = "" if who.isdigit() else who  # an IP address
    return f"{who}{reference.date[:4]}{title}"[:60] or reference.id


_OWN_ID = re.compile(r"[0-9a-f]{12}")
_ARTICLES = {"", "a", "an", "the", "on", "of", "der", "die", "das", "le", "la", "el"}


def _letters(text: str) -> str:
    """The ASCII letters and digits of a text, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", plain)


def entry(reference: Reference, key: str | None = None) -> str:
    """One reference as a BibTeX entry with the citation key `key`, by default the id of the reference."""
    kind = _KINDS.get(reference.kind) or _Kind("article" if reference.doi else "online", "organization")
    fields = {
        "title": reference.title,
        "author": " and ".join(reference.authors),
        "date": reference.date,
        "year": reference.date[:4],
        "url": reference.url,
        "doi": reference.doi,
        "eprint": reference.arxiv,
        "eprinttype": "arxiv" if reference.arxiv else "",
        kind.container: reference.site,
        "volume": reference.volume,
        "number": reference.issue,
        "pages": re.sub(r"(?<=\w)[-–](?=\w)", "--", reference.pages),
        kind.publisher: reference.publisher,
        "note": reference.note,
        "abstract": reference.abstract,
        "keywords": ", ".join(reference.tags),
        "urldate": reference.accessed,
    }
    lines = [f"  {name} = {{{_escaped(name, value)}}}," for name, value in fields.items() if value]
    return f"@{kind.name}{{{key or reference.id},\n" + "\n".join(lines) + "\n}\n"


def entries(text: str) -> Iterator[Reference]:
    """The references of every BibTeX entry that can be parsed; text between entries is skipped."""
    for match in _ENTRY.finditer(text):
        if match[1].lower() in ("comment", "string", "preamble"):
            continue
        fields = _fields(text, match.end())
        plain = {name: _unescaped(value) for name, value in fields.items()}
        date = plain.get("date") or "-".join(filter(None, (plain.get("year", ""), _month(plain.get("month", "")))))
        yield Reference(
            id=match[2],
            title=plain.get("title", match[2]),
            authors=tuple(_authors(fields.get("author", ""))),
            date=date,
            url=fields.get("url", "").replace("\\_", "_").replace("\\%", "%"),
            doi=fields.get("doi", "").replace("\\_", "_").lower(),
            arxiv=plain.get("eprint", ""),
            site=next((plain[name] for name in _CONTAINERS if plain.get(name)), ""),
            abstract=plain.get("abstract", ""),
            tags=tuple(part.strip() for part in plain.get("keywords", "").split(",") if part.strip()),
            accessed=plain.get("urldate", ""),
            kind=_TYPES.get(match[1].lower(), ""),
            volume=plain.get("volume", ""),
            issue=plain.get("number", ""),
            pages=plain.get("pages", "").replace("--", "-"),
            publisher=next((plain[name] for name in _PUBLISHERS if plain.get(name)), ""),
            note=plain.get("note", ""),
        )


_CONTAINERS = ("organization", "journal", "journaltitle", "booktitle", "series")
_PUBLISHERS = ("publisher", "school", "institution")


def _authors(value: str) -> Iterator[str]:
    """The names of an author field; that of an organisation, which may contain "and", is in braces, as in the field."""
    for organisation, person in _AUTHOR.findall(value):
        name = _unescaped(organisation or person)
        if name:
            yield f"{{{name}}}" if organisation else name


def _fields(text: str, at: int) -> dict[str, str]:
    """The values, still escaped, by lower-case name of the fields that begin at the offset `at`; of equal the first."""
    found: dict[str, str] = {}
    while match := _FIELD.match(text, at):
        value, at = _value(text, match.end())
        found.setdefault(match[1].lower(), value)
    return found


def _value(text: str, at: int) -> tuple[str, int]:
    """The field value that begins at the offset `at`, in braces, in quotes or bare, and the offset after it."""
    if text[at : at + 1] not in ("{", '"'):
        end = re.compile(r"[,}\n]|\Z").search(text, at)
        stop = end.start() if end else len(text)
        return text[at:stop].strip(), stop
    quoted = text[at] == '"'
    depth, start = 0, at + 1
    at = start if quoted else at
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 2
            continue
        depth += (char == "{") - (char == "}")
        if (quoted and char == '"' and depth == 0) or (not quoted and depth == 0):
            break
        at += 1
    return text[start:at].strip(), at + 1


def _escaped(name: str, value: str) -> str:
    """The value of the field `name`, escaped as it is written into a file; of authors, each name by itself."""
    if name == "author":
        names = (name.strip() for name in _NAMES.split(value))
        return " and ".join(f"{{{_text(name[1:-1])}}}" if name.startswith("{") else _text(name) for name in names)
    if name in ("url", "doi"):  # verbatim in BibTeX; only what would end the field is encoded
        return value.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")
    return _text(value)


def _text(value: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in " ".join(value.split()))


def _unescaped(value: str) -> str:
    """The text of a field without escapes and braces, except braces that were escaped."""
    plain = _ESCAPED.sub(lambda match: f"\0{ord(_UNESCAPES[match[0]])}\0", value.replace("\0", ""))
    plain = plain.replace("{", "").replace("}", "")
    return " ".join(re.sub(r"\0(\d+)\0", lambda match: chr(int(match[1])), plain).split())


def _month(text: str) -> str:
    """The two digits of a month that is given as a number or by its English name; empty if it is neither."""
    names = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
    short = text.strip().lower()[:3]
    return f"{names.index(short) + 1:02d}" if short in names else text.zfill(2) if text.isdigit() else ""
