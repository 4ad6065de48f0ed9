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
BY_TYPE = {
    "application/javascript": "javascript", "application/x-javascript": "javascript", "text/javascript": "javascript",
    "application/ecmascript": "javascript", "application/typescript": "typescript", "text/css": "css",
    "text/x-python": "python", "application/x-python": "python", "text/x-script.python": "python", "text/x-c": "c",
    "text/x-csrc": "c", "text/x-chdr": "c", "text/x-c++": "cpp", "text/x-c++src": "cpp", "text/x-java": "java",
    "text/x-java-source": "java", "text/x-rust": "rust", "text/rust": "rust", "text/x-go": "go", "text/x-ruby": "ruby",
    "text/x-php": "php", "application/x-httpd-php": "php", "text/x-perl": "perl", "application/x-perl": "perl",
    "application/x-sh": "bash", "text/x-sh": "bash", "text/x-shellscript": "bash", "application/sql": "sql",
    "text/x-sql": "sql", "application/yaml": "yaml", "application/x-yaml": "yaml", "text/yaml": "yaml",
    "text/x-yaml": "yaml", "application/toml": "toml", "text/x-toml": "toml", "application/graphql": "graphql",
    "application/x-tex": "latex", "application/x-latex": "latex", "text/x-tex": "latex", "text/x-diff": "diff",
    "text/x-patch": "diff", "text/typescript": "typescript", "application/json5": "json5",
}
# fmt: on
_DEFINITION = re.compile(
    r"^(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|unsafe|pub(?:\([a-z]{1,12}\))?|"
    r"extern|inline|const)[ \t]+){0,5}"
    r"(?:def|class|fn|func|function\*?|interface|struct|enum|trait|impl|module|namespace|mod|object|record|protocol)"
    r"[ \t]+(?P<name>[^\n{;]{1,100})",
    re.M,
)
_MOST_DEFINITIONS = 400


def language_of(media_type: str, url: str) -> str | None:
    """The language of a source file; None if it is not one."""
    if media_type in BY_TYPE:
        return BY_TYPE[media_type]
    return _BY_NAME.get(file_name(url).lower()) or _BY_ENDING.get(extension(url))


def read_definitions(markdown: str) -> tuple[Heading, ...]:
    """The top-level functions and types of a source file, as its headings."""
    found = (
        Heading(1, " ".join(match[0].split())[:100].rstrip(" :{("), match.start())
        for match in _DEFINITION.finditer(markdown)
    )
    return tuple(islice(found, _MOST_DEFINITIONS))
