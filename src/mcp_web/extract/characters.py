"""Removes invisible characters: controls, terminal sequences, tags, fillers, bidi overrides, private use.

Those that scripts need stay: the joiners in Persian, Indic and Mongolian words and in emoji sequences, the variation
selectors of emoji and of CJK ideographs.
"""

from __future__ import annotations

import re

from mcp_web.text.spaces import fold_spaces

_EMOJI = "\u00a9\u00ae\u203c\u2049\u20e3\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f"
_EMOJI += "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINED = "\u0600-\u07bf\u0840-\u08ff\u0900-\u0df4\u0f00-\u109f\u1780-\u17ff"
_JOINED += "\u1820-\u18af\ufb50-\ufdc7\ufdf0-\ufdff\ufe70-\ufefc"
_IDEOGRAPH = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_FLAGS = "\U0001f3f4(?:{})".format(
    "|".join("".join(chr(0xE0000 + ord(char)) for char in name) + "\U000e007f" for name in ("gbeng", "gbsct", "gbwls"))
)
_KEEP = (
    f"{_FLAGS}"
    f"|(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])"
    f"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_EMOJI}#*0-9])[\ufe0e\ufe0f](?![\ufe00-\ufe0f])"
    f"|(?<=[\u1820-\u18af])[\u180b-\u180d\u180f](?![\u180b-\u180f])"
    f"|(?<=[{_IDEOGRAPH}])[\ufe00-\ufe02\U000e0100-\U000e01ef](?![\ufe00-\ufe0f\U000e0100-\U000e01ef])"
)
_TERMINAL = (
    "(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\n]{0,2000}(?:\x07|\x1b\\\\|\x9c)"  # operating system command: links, titles
    "|(?:\x1b\\[|\x9b)[0-?]{0,40}[ -/]{0,8}[@-~]"  # colours, cursor, conceal
    "|\x1b[ -/]{0,4}[0-~]?"
)
_UNSEEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff"
    "\ue000-\uf8ff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
)
_ANY_UNSEEN = re.compile(f"[{_UNSEEN}]")
_FOUND = re.compile(f"(?P<keep>{_KEEP})|{_TERMINAL}|(?P<line>[\x0b\x0c\x85\u2028\u2029])|[{_UNSEEN}]")
_PRINTABLE_ASCII = b"\t\n\r" + bytes(range(0x20, 0x7F))
# Used by typography and icon fonts: removed, but no evidence of hidden text.
_HARMLESS = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\ue000-\uf8ff\U000f0000-\U0010ffff\ufe0e\ufe0f]")


def _has_unseen(text: str) -> bool:
    """Whether the text has invisible characters."""
    # Most characters are printable ASCII; removing them first takes a third of the time of searching the whole text.
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PRINTABLE_ASCII)
    return bool(rest) and _ANY_UNSEEN.search(rest.decode("utf-8", "surrogatepass")) is not None


def clean_text(text: str) -> tuple[str, int]:
    """The text without invisible characters, and how many runs of them were suspicious: likely hidden text. Those that
    a script or an emoji needs stay. Form feeds and the other characters that end a line or page become line breaks."""
    if not _has_unseen(text):
        return text, 0
    parts: list[str] = []
    runs = 0
    done = 0
    run_start = -1
    for found in _FOUND.finditer(text):
        if found["keep"] is not None:
            continue
        start, end = found.span()
        parts.append(text[done:start])
        is_line = found["line"] is not None
        if start != done or run_start < 0 or is_line:
            runs += run_start >= 0 and _is_suspicious(text, run_start, done)
            run_start = -1 if is_line else start
        if is_line:
            parts.append("\n")
        done = end
    if run_start >= 0:
        runs += _is_suspicious(text, run_start, done)
    parts.append(text[done:])
    return "".join(parts), runs


def clean_line(text: str) -> str:
    """The text on one line, each run of white space as one space, without invisible characters."""
    plain = text if text.isascii() and text.isprintable() else clean_text(text)[0]
    return fold_spaces(plain)


def _is_suspicious(text: str, start: int, end: int) -> bool:
    """Whether the invisible characters `text[start:end]` are likely hidden text: more than one, or one that typography
    and icon fonts do not use."""
    return end - start > 1 or _HARMLESS.match(text, start) is None
