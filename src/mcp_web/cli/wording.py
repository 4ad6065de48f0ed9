"""Rewrites messages, which name tools and parameters for agents, with the commands and options of the command line."""

from __future__ import annotations

import re
import shlex

from mcp_web.errors import WebError
from mcp_web.extras import install_command

# In order: longer phrases come first.
_PHRASES = (
    (r'web_open\(url="([^"]+)", start=(\d+)\)', r"`mcp-web open \1 --start \2`"),
    (r'web_open\(url="([^"]+)"\)', r"`mcp-web open \1`"),
    (r'web_read\(url="([^"]+)", query="([^"]+)"\)', r"`mcp-web read \1 '\2'`"),
    (r"\bcache_get then shows the difference", "`mcp-web cache diff` then shows the difference"),
    (r"\bof a hash from an earlier answer\b", "of an id or hash that `mcp-web archive list` shows"),
    (r"\bmode=(auto|readable|raw|rendered)\b", r"--mode \1"),
    (r"\bfuzzy=false\b", "--exact"),
    (r" Correct the parameter named in the message and call again\.", ""),
    (r"\bdry_run=false\b", "--yes"),
    (r"`section`", "--section"),
    (r"\b[Cc]all again after the time in retry_after", "Try again later"),
    (r"\bWait for the time in retry_after", "Wait a while"),
    (r"\band call again\b", "and try again"),
    (r"\bcall again\b", "run it again"),
    (r"\b[Nn]ame another provider\b", "name another provider with --provider"),
    (r"\bThe operator (can|decides?)\b", r"You \1"),
    (r"\bthe operator (can|decides?)\b", r"you \1"),
    (r"\b([Yy])ou decides\b", r"\1ou decide"),
    (r"\b[Tt]he operator\b", "you"),
)

# At a terminal, the reader is the operator.
_INSTRUCTION = re.compile(r"\b([Tt])he operator (check|set|install|allow)s\b")
_EXTRA = re.compile(r"""(?:Run `)?pip install ['"]mcp-web\[([\w-]+)\]['"]`?""")


def for_person(text: str) -> str:
    """The message with tools and parameters reworded as commands and options, for a person at a terminal."""
    text = _EXTRA.sub(lambda found: f"`{shlex.join(install_command(found[1]))}`", text)
    text = _INSTRUCTION.sub(lambda found: found[2].capitalize() if found[1] == "T" else found[2], text)
    for pattern, words in _PHRASES:
        text = re.sub(pattern, words, text)
    return re.sub(r"(?<=[.!?] )([a-z])(?=\w* )", lambda first: first[1].upper(), text)


def error_sentence(error: WebError) -> str:
    """What failed, what to do about it, and when it can be tried again if that is known."""
    sentence = for_person(f"{error.message} {error.suggestion}")
    if error.retry_after and f" {error.retry_after:.0f} s" not in sentence:
        sentence += f" It can be tried again in {error.retry_after:.0f} s."
    return sentence
