"""The last step of every answer and every error: untrusted text is marked or defused, secrets are removed.

No untrusted text is outside the envelope in a form that could be mistaken for a message of the server, and no output
contains a configured secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mcp_web import trace
from mcp_web.errors import WebError
from mcp_web.text.shorten import shortened
from mcp_web.text.untrusted import defuse, one_line, printable
from mcp_web.text.values import encodable
from mcp_web.tools.envelope import Envelope
from mcp_web.tools.tool import Answer

NOTE_CHARS = 400
LINE_CHARS = 2_000  # of a line outside the envelope that does not name the next call
META_CHARS = 1_000  # of a value in `_meta`
URL_CHARS = 300  # of an address that the caller did not give
_NEXT_CALL = ("more: ", "compare: ")  # addresses in them are needed whole; they were parsed and have no line breaks
_PLAIN_NAME = re.compile(r"[a-z_]{1,24}")
_LONG_URL = re.compile(rf"https?://\S{{{URL_CHARS},}}")


def note_lines(notes: Iterable[str]) -> list[str]:
    """Notes as lines of an answer: each on one line after "note: ", shortened to 400 characters."""
    return [f"note: {shortened(one_line(note), NOTE_CHARS)}" for note in notes]


def error_line(error: WebError) -> str:
    """An error as one line of an answer about several pages or queries."""
    return f"{error.code}: {one_line(error.message)} {one_line(error.suggestion)}"


def clean_answer(answer: Answer, envelope: Envelope, given: Mapping[str, Any]) -> Answer:
    """Clean an answer for output, in place: no secrets, no page text that could pass for a message of the server.

    `given` are the arguments of the call: an address in them is shown whole, however long it is.
    """
    answer.meta = clean_value(answer.meta, META_CHARS)
    answer.extra = clean_value(answer.extra)
    if answer.shape == "default":
        answer.text = clean_text(answer.text, envelope, given)
        answer.data = clean_value(answer.data)
        return answer
    # The formats of other systems have no envelope; chat markers are defused where the format is written.
    answer.text, answer.data = _safe(answer.text), _mapped(answer.data, _safe)
    answer.more = tuple(_safe(text) for text in answer.more)
    return answer


def clean_error(error: WebError) -> WebError:
    """Clean an error for output, in place: its sentences on one line, short, defused (`text.untrusted.defuse`) and
    without secrets."""
    error.message = _LONG_URL.sub(_short_url, _sentence(error.message, LINE_CHARS))
    error.suggestion = _LONG_URL.sub(_short_url, _sentence(error.suggestion, LINE_CHARS))
    page_text = error.details.pop("page_text", None)
    error.details = clean_value(error.details, META_CHARS)
    if page_text is not None:  # shown inside the envelope
        error.details["page_text"] = _safe(str(page_text))
    if error.url is not None:
        error.url = shortened(_safe(error.url), META_CHARS)
    return error


def clean_text(text: str, envelope: Envelope, given: Mapping[str, Any] | None = None) -> str:
    """The text without secrets, with every line outside the envelope shortened and without chat markers (defused).

    `given` are the arguments of the call: a URL in them stays whole.
    """
    own = str(given or "")
    lines = (
        part if inside else "\n".join(_line(line, own) for line in part.split("\n"))
        for part, inside in envelope.split(text)
    )
    return _safe("".join(lines))


def clean_value(value: Any, most: int | None = None) -> Any:
    """A JSON value with every string defused (no chat markers) and without secrets; with `most`, also on one line and
    of at most so many characters."""
    return _mapped(value, (lambda text: defuse(_safe(text))) if most is None else (lambda text: _sentence(text, most)))


def _sentence(text: str, most: int) -> str:
    """The text on one line, defused, without secrets, at most `most` characters long."""
    return shortened(defuse(printable(one_line(_safe(text)))), most)


def _line(line: str, own: str) -> str:
    """A line outside the envelope, defused and short; `own` are the arguments, whose URLs stay whole."""
    line = defuse(printable(line))
    if line.startswith(_NEXT_CALL):
        return line
    line = _LONG_URL.sub(lambda url: url[0] if url[0] in own else _short_url(url), line)
    return line if _LONG_URL.search(line) else shortened(line, LINE_CHARS)


def _short_url(url: re.Match[str]) -> str:
    return shortened(url[0], URL_CHARS)


def _safe(text: str) -> str:
    """The text without secrets, and without characters that cannot be encoded."""
    return trace.redact(encodable(text))


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """A copy of a JSON value with `change` applied to every string; a key that is a plain word only loses secrets."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        # A name that is a short plain word is only searched for secrets.
        changes = {name: trace.redact if _PLAIN_NAME.fullmatch(str(name)) else change for name in value}
        return {_mapped(name, changes[name]): _mapped(item, change) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(item, change) for item in value]
    return value
