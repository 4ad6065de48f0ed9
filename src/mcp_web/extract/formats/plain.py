"""Text formats: Markdown, plain text, source code, and the raw source of any text page."""

from __future__ import annotations

import re

from mcp_web.extract.assemble import assemble
from mcp_web.extract.decode import decode
from mcp_web.extract.embedded import without_comments, write_embedded
from mcp_web.extract.formats.languages import language_of, read_definitions
from mcp_web.extract.markdown import absolute_targets, fence, map_outside_code
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched, Heading, Metadata
from mcp_web.text import front_matter
from mcp_web.text.dates import read_date
from mcp_web.text.headings import read_headings
from mcp_web.text.media_types import type_of_name

_MDX_COMMENT = re.compile(r"(?<!`)\{/\*.*?\*/\}", re.S)  # in a code span it is text
_BLANKS = re.compile(r"\n(?:[ \t]*\n){3,}")
_HEADING = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?[ \t]{1,4}([A-Z][^\n]{1,90})$")
_MAIL_HEADER = re.compile(
    r"(?:From [^\n]{1,200}\n)?(?:[A-Z][A-Za-z-]{1,30}:[^\n]{0,500}\n(?:[ \t][^\n]{1,500}\n){0,20}){2,30}(?=[ \t]*\n)"
)
_LEADERS = re.compile(r"\.{4}|(?:\. ){4}|[ \t]\d{1,4}$")


def read_plain(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Reads text that has no other reader: as code or Markdown if its type, name or content shows it, else as it is."""
    decoded = decode(page)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    if language := language_of(page.media_type, page.final_url):
        return assemble(page, "plain", fence(text, language), notes=decoded.notes, outline=read_definitions)
    if type_of_name(page.final_url) == "text/markdown" or looks_like_markdown(text):
        return read_markdown(page, request, options)
    title = _subject(text) or _first_line(text)
    return assemble(page, "plain", text, title=title, notes=decoded.notes, outline=numbered_headings)


def read_markdown(page: Fetched, request: ExtractRequest, options: ExtractOptions) -> Document:
    """Reads Markdown: with front matter as metadata, absolute URLs, and without what a rendered page does not show."""
    decoded = decode(page)
    front, text = front_matter.read(decoded.text.replace("\r\n", "\n"))
    fields = {name: front_matter.joined(value) for name, value in front.items()}
    text = _BLANKS.sub("\n\n\n", text)
    text, hidden = _without_comments(text)
    text, images, hidden_html = write_embedded(text, page.final_url, include_images=request.include_images)
    text = absolute_targets(text, page.final_url)
    headings = read_headings(text)
    top = min(headings, key=lambda heading: heading.level).text if headings else ""
    metadata = Metadata(
        description=fields.get("description") or fields.get("summary") or None,
        author=fields.get("author") or fields.get("authors") or None,
        published=read_date(fields.get("date") or fields.get("published") or fields.get("created")),
        modified=read_date(fields.get("updated") or fields.get("lastmod")),
        language=fields.get("lang") or fields.get("language") or None,
    )
    return assemble(
        page,
        "markdown",
        text,
        title=fields.get("title") or top,
        metadata=metadata,
        notes=decoded.notes,
        hidden=hidden + hidden_html,
        images=images,
    )


def read_raw(page: Fetched) -> Document:
    """The decoded source of a text page, without any interpretation (`mode=raw`)."""
    decoded = decode(page)
    return assemble(page, "raw", decoded.text, notes=decoded.notes, outline=lambda text: ())


def looks_like_markdown(text: str) -> bool:
    """Whether the text has two kinds of Markdown syntax, of which at least one is a heading or a link."""
    head = text[:20_000]
    signs = (
        bool(re.search(r"^#{1,4} \S[^\n]{2,80}\n\s*\n", head, re.M)),
        "](http" in head or bool(re.search(r"\]\([./#\w]", head)),
        bool(re.search(r"^(?:```|~~~)\w{0,20}$", head, re.M)),
        bool(re.search(r"^\|[ :|-]{3,}\|$", head, re.M)),
        "**" in head,
    )
    return sum(signs) >= 2 and (signs[0] or signs[1])


def numbered_headings(text: str) -> tuple[Heading, ...]:
    """The headings of a plain text: numbered lines, as in RFCs, if there are three or more; else underlined lines."""
    found: list[Heading] = []
    lines = text.split("\n")
    offset = 0
    for index, line in enumerate(lines):
        match = _HEADING.match(line) if len(line) < 120 else None
        if match and not _LEADERS.search(line) and not line.endswith((".", ";", ",")) and _is_alone(lines, index):
            found.append(Heading(min(match[1].count(".") + 1, 6), line.strip(), offset))
        offset += len(line) + 1
    underlined = tuple(each for each in read_headings(text) if not text.startswith("#", each.start))
    return tuple(found) if len(found) >= 3 else underlined


def _is_alone(lines: list[str], index: int) -> bool:
    """Whether the lines before and after a line are blank or missing."""
    return not "".join([*lines[max(0, index - 1) : index], *lines[index + 1 : index + 2]]).strip()


def _without_comments(text: str) -> tuple[str, int]:
    """The Markdown without comments (`<!-- -->`, `{/* */}`) outside code, and how many were removed."""
    count = 0

    def clean(part: str) -> str:
        nonlocal count
        part, found = without_comments(part)
        # Up to the last end only: from a comment that nothing ends, each search would go through all the rest.
        commented, last, rest = part.rpartition("*/}")
        commented, of_mdx = _MDX_COMMENT.subn("", commented + last)
        count += found + of_mdx
        return commented + rest

    return map_outside_code(text, clean), count


def _subject(text: str) -> str:
    """The subject in the header of a text that was a mail; "" if it does not begin with a header or has no subject."""
    header = _MAIL_HEADER.match(text)
    subject = re.search(r"^Subject:([^\n]*(?:\n[ \t][^\n]*)*)", header[0], re.M) if header else None
    return " ".join(subject[1].split()) if subject else ""


def _first_line(text: str) -> str:
    """The first line of a text as its title, if it is short and followed by a blank line or underlined; else ""."""
    match = re.match(r"\s*(?:={1,6} )?([^\n]{4,100})\n\s*(?:\n|[=-]{4,})", text[:400])
    return match[1].strip() if match else ""
