"""E-mail (.eml) → Markdown: sender, recipients, date, text, and the names of attachments."""

from __future__ import annotations

from email import policy
from email.message import EmailMessage, Message
from email.parser import BytesParser

from mcp_web.errors import ExtractFailed
from mcp_web.extract.assemble import assemble
from mcp_web.extract.snippet import snippet_markdown
from mcp_web.model.page import Document, Fetched, Metadata
from mcp_web.text.dates import read_date

_PARTS = 500
# The parser compares each line that may end a part with every boundary it is inside of. This many comparisons take half
# a second.
_COMPARISONS = 250_000
_LEAST = 50  # each part costs as much as so many comparisons, however few boundaries there are
_HEADERS = ("From", "To", "Cc", "Date")


def read_mail(page: Fetched) -> Document:
    """Reads message/rfc822; raises ExtractFailed for other text and for mails of very many parts."""
    boundaries = max(_LEAST, page.body.lower().count(b"boundary"))
    if page.body.count(b"\n--") * boundaries > _COMPARISONS:
        raise ExtractFailed(f"The e-mail at {page.final_url} has more parts than are read.", url=page.final_url)
    mail = BytesParser(policy=policy.default).parsebytes(page.body)
    if not isinstance(mail, EmailMessage) or not any(_header(mail, name) for name in ("From", "Date", "Subject")):
        raise ExtractFailed(f"{page.final_url} has no header of an e-mail.", url=page.final_url)
    text, hidden, notes = _body(mail, page.final_url)
    lines = [f"- {name}: {value}" for name in _HEADERS if (value := _header(mail, name))]
    attached = [line for part in list(mail.walk())[:_PARTS] if (line := _attachment(part))]
    parts = ["\n".join(lines), text, "## Attachments\n\n" + "\n".join(attached) if attached else ""]
    subject = _header(mail, "Subject") or "E-mail without a subject"
    metadata = Metadata(
        author=_header(mail, "From") or None,
        published=read_date(_header(mail, "Date"), whole_text=True),
    )
    written = "\n\n".join(filter(None, parts))
    return assemble(page, "mail", written, title=subject, metadata=metadata, notes=notes, hidden=hidden)


def _body(mail: EmailMessage, base: str) -> tuple[str, int, tuple[str, ...]]:
    """The text of a mail (plain if there is any, else from HTML), the number of hidden texts, and notes."""
    for kind in ("plain", "html"):
        try:
            first = mail.get_body((kind,))
        except AttributeError:  # the standard library on a part that is said to have parts and has none
            first = None
        if first is None or not _decoded(first).strip():
            continue
        # Programs divide a text at the pictures in it.
        others = mail.iter_parts() if mail.get_content_type() == "multipart/mixed" else ()
        parts = [first, *(part for part in others if part is not first and _continues(part, kind))]
        if kind == "plain":
            return "\n\n".join(map(_decoded, parts)), 0, ()
        written = [snippet_markdown(_decoded(part), base) for part in parts]
        return "\n\n".join(text for text, _ in written), sum(hidden for _, hidden in written), ()
    return "", 0, ("The e-mail has no text.",)


def _continues(part: Message, kind: str) -> bool:
    """Whether a part of a mail is text of this kind ("plain" or "html"), and not an attachment."""
    is_attached = part.get_content_disposition() == "attachment" or part.get_filename() is not None
    return part.get_content_type() == f"text/{kind}" and not is_attached


def _decoded(part: Message) -> str:
    """The text of a part; if its charset is wrong, some characters are replaced."""
    raw = part.get_payload(decode=True)
    body = raw if isinstance(raw, bytes) else b""
    try:
        return body.decode(part.get_content_charset() or "utf-8", "replace")
    except (LookupError, ValueError):  # an encoding that does not exist, or that raises in spite of "replace"
        return body.decode("utf-8", "replace")


def _attachment(part: Message) -> str:
    """A list item for an attachment: its name, type and size; "" for a part without a file name."""
    name = part.get_filename()
    if not name:
        return ""
    raw = part.get_payload(decode=True)
    size = f", {len(raw):,} bytes" if isinstance(raw, bytes) else ""
    return f"- {' '.join(name.split())[:200]} ({part.get_content_type()}{size})"


def _header(mail: Message, name: str) -> str:
    """A header of a mail on one line; "" if it is absent or cannot be parsed."""
    try:
        return " ".join(str(mail[name] or "").split())[:1000]
    except (ValueError, IndexError, AttributeError):  # the standard library's header parser on broken input
        return ""
