"""Source files: their language, as it is written after a fence, and the functions and types that they define."""

from __future__ import annotations

import re
from itertools import islice

from mcp_web.model.page import Heading
from mcp_web.text.media_types import extension, file_name

# fmt: off
_BY_ENDING = {
    "py": "python", "pyi": "python", "pyx": "cython", "rs": "rust", "go": "go", "c": "c", "h": "c", "cc": "cpp",
    "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "cs": "csharp", "java": "java", "kt": "kotlin",
    "kts": "kotlin", "scala": "scala", "swift": "swift", "m": "objectivec", "mm": "objectivec", "js": "javascript",
    "mjs": "javascript", "cjs": "javascript", "jsx": "jsx", "ts": "typescript", "mts": "typescript", "tsx": "tsx",
    "vue": "vue", "svelte": "svelte", "rb": "ruby", "php": "php", "pl": "perl", "pm": "perl", "lua": "lua", "r": "r",
    "jl": "julia", "ex": "elixir", "exs": "elixir", "erl": "erlang", "hs": "haskell", "ml": "ocaml", "mli": "ocaml",
    "clj": "clojure", "lisp": "lisp", "el": "elisp", "scm": "scheme", "zig": "zig", "nim": "nim", "dart": "dart",
    "sh": "bash", "bash": "bash", "zsh": "zsh", "fish": "fish", "ps1": "powershell", "bat": "batch", "sql": "sql",
    "css": "css", "scss": "scss", "less": "less", "yaml": "yaml", "yml": "yaml", "toml": "toml", "ini": "ini",
    "cfg": "ini", "conf": "ini", "properties": "properties", "proto": "protobuf", "graphql": "graphql",
    "gql": "graphql", "tf": "hcl", "hcl": "hcl", "nix": "nix", "cmake": "cmake", "mk": "makefile", "gradle": "groovy",
    "groovy": "groovy", "diff": "diff", "patch": "diff", "tex": "latex", "asm": "asm", "s": "asm", "v": "verilog",
    "vhd": "vhdl", "sol": "solidity",
}
_BY_NAME = {
    "makefile": "makefile", "dockerfile": "dockerfile", "cmakelists.txt": "cmake", "gemfile": "ruby",
    "rakefile": "ruby", "go.mod": "go", "cargo.lock": "toml", "jenkinsfile": "groovy", "vagrantfile": "ruby",
    ".gitignore": "gitignore",
}
_BY_SUBTYPE = {
    "ecmascript": "javascript", "script.python": "python", "csrc": "c", "chdr": "c", "c++": "cpp", "c++src": "cpp",
    "java-source": "java", "httpd-php": "php", "shellscript": "bash", "json5": "json5",
}
# fmt: on
_LANGUAGES = frozenset(_BY_ENDING.values())
_DEFINITION = re.compile(
    r"^(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|unsafe|pub(?:\([a-z]{1,12}\))?|"
    r"extern|inline|const)[ \t]+){0,5}"
    r"(?:def|class|fn|func|function\*?|interface|struct|enum|trait|impl|module|namespace|mod|object|record|protocol)"
    r"[ \t]+(?P<name>[^\n{;]{1,100})",
    re.M,
)
_MOST_DEFINITIONS = 400


def language_of(media_type: str, url: str) -> str | None:
    """The programming language of a source file, as written after a Markdown fence; None if it is not one."""
    return language_of_type(media_type) or _BY_NAME.get(file_name(url).lower()) or _BY_ENDING.get(extension(url))


def language_of_type(media_type: str) -> str | None:
    """The programming language of a media type such as `text/x-python`; None if it is that of no source file."""
    group, _, name = media_type.partition("/")
    name = name.removeprefix("x-")
    if group not in ("text", "application"):
        return None
    return name if name in _LANGUAGES else _BY_SUBTYPE.get(name) or _BY_ENDING.get(name)


def read_definitions(markdown: str) -> tuple[Heading, ...]:
    """The top-level functions and types in the Markdown of a source file, as headings of level 1; the first 400."""
    found = (
        Heading(1, " ".join(match[0].split())[:100].rstrip(" :{("), match.start())
        for match in _DEFINITION.finditer(markdown)
    )
    return tuple(islice(found, _MOST_DEFINITIONS))
