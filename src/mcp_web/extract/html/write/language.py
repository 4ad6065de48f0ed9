"""The language of a code block, from the attributes and class names of many highlighters."""

from __future__ import annotations

import re

from turbohtml import Element

KNOWN = frozenset(
    """
    abap actionscript ada agda al antlr apache apacheconf apex apl applescript arduino armasm asciidoc asm
    asp aspnet assembly autohotkey autoit awk bash basic bat batch bibtex bicep bnf brainfuck bsl c c# c++
    caddyfile capnp cfg cfml cjs clj cljs clojure cmake cmd cobol coffee coffeescript common-lisp conf
    config console cpp cql crystal cs csharp css csv cuda curl cxx cypher cython d dart dax delphi diff
    django dns docker dockerfile dosini dot dts ebnf edn eex ejs elisp elixir elm emacs-lisp erb erl erlang
    excel f# fish flow forth fortran fsharp gcode gdscript gherkin git gitignore glsl gnuplot go golang gql
    gradle graphql graphviz groovy h haml handlebars haskell haxe hbs hcl heex hlsl hpp hs html html+django
    html+erb html+jinja html+php htmlbars http hy idl idris inform7 ini ipython irb j janet java javascript
    jinja jinja2 jl jq js json json5 jsonc jsonl jsonnet jsp jsx julia kdl kotlin kql ksh kt kts kusto latex
    ldif lean lean4 less lhs liquid lisp livescript llvm log lua make makefile mako markdown markup
    mathematica matlab maxima md mdx mermaid meson mips mjs mlir mojo mongodb mysql nasm nginx nim nix nixos
    nsis nu nushell objc objective-c objectivec objectpascal ocaml octave odin openqasm openscad pascal pcre
    perl pgsql php php+html pig plantuml plpgsql plsql pod pony postcss postgres postgresql postscript
    powerquery powershell prisma processing progress prolog promql properties proto protobuf ps1 psql pug
    puppet purescript pwsh py py3 pycon pydocstring pytb python python2 python3 q qml qsharp r racket rake
    razor rb rbs reason reasonml regex rego rescript rest restructuredtext rexx rhtml rkt robot
    robotframework rouge rs rst ruby rust sas sass scala scheme scss sed sh shell shell-session shellscript
    shellsession smali smalltalk smarty sml snobol solidity soy sparql splunk sql sqlite ssh-config stan
    starlark stata stylus sublime supercollider svelte svg swift systemd systemverilog tcl tcsh tera
    terminal terraform tex text tf thrift toml ts tsql tsx turtle twig typescript typoscript typst
    unrealscript uri v vala vb vba vbnet vbscript verilog vhdl vim viml visualbasic vue wasm wast wat
    webassembly wgsl wolfram wren xaml xhtml xml xonsh xpath xquery xsl xslt yacc yaml yang yml yul zig zsh
    """.split()  # noqa: SIM905
)
_NO_LANGUAGE = frozenset(("default", "none", "text", "plain", "plaintext", "txt", "nohighlight", "no-highlight",
                          "output", "plain-text", "raw", "unknown", "auto", "undefined", "null", "code",
                          "literal"))  # fmt: skip
# Other names of languages, in classes and in labels.
_ALIASES = {"python3": "python", "py3": "python", "ipython3": "python", "ipython": "python", "pycon3": "pycon",
            "shellscript": "shell", "basic-html": "html", "golang": "go", "c-like": "c", "markup": "html",
            "node.js": "javascript", "nodejs": "javascript", "node": "javascript", "c / c++": "cpp", "cli": "shell",
            "command line": "shell", "shell session": "console", "objective c": "objectivec", "c sharp": "csharp",
            "visual basic": "vb", "vb.net": "vbnet", "plain text": "plaintext", "typescript jsx": "tsx",
            "asp.net": "aspnet"}  # fmt: skip
_ATTRIBUTES = ("data-lang", "data-language", "data-code-language", "data-highlight-language",
               "data-programming-language", "data-syntax", "language", "syntax", "data-enlighter-language",
               "data-code-lang", "data-mode")  # fmt: skip
_ALSO_OTHER_CLASSES = ("text", "terminal", "markup")  # names of languages that classes have for other reasons
_STATED = re.compile(r"(?:^|[\s-])(?:language|lang)[-:_=]([\w+#.-]+)", re.I)
_BRUSH = re.compile(r"(?:^|\s)brush:\s*([\w+#.-]+)", re.I)
_SOURCE = re.compile(r"(?:^|\s)(?:highlight-source|highlight-text|highlight|gatsby-code|hljs|"
    r"src|code|source|codehilite|crayon|"
                     r"syntax|cm-s|enlighter|prism|shiki|listing|wp-block-code)[-_]([\w+#.-]+)", re.I)  # fmt: skip
_LEVELS = 6  # ancestors that are checked: td, tr, tbody, table, then the element with the language
_LABEL = re.compile(r"[\w+#./ -]{1,24}")


def language_of(block: Element, blocks: int = 1) -> str:
    """The language of a code block in lower case; "" if none is stated.

    `blocks` is how many `pre` elements the code block has: an ancestor with more says nothing about it.
    """
    inside = block.select_one("code") if block.tag != "code" else None
    for element in (inside, block):
        if element is not None:
            found = _stated(element, own=True)
            if found is not None:
                return found
    parent: object = block.parent
    for _ in range(_LEVELS):
        if not isinstance(parent, Element) or len(parent.find_all("pre", limit=blocks + 1)) > blocks:
            break
        found = _stated(parent, own=False)
        if found is not None:
            return found
        parent = parent.parent
    return ""


def _stated(element: Element, *, own: bool) -> str | None:
    """The language that attributes or classes state, "" for plain text; None if they state none. `own`: the element is
    the code."""
    for name in _ATTRIBUTES:
        value = element.attr(name)
        if value:
            return normal(value)
    spoken = element.attr("lang") if own else None
    if spoken and spoken.lower() in KNOWN:
        return normal(spoken)
    classes = element.attr("class")
    return _from_classes(classes, own) if classes else None


def _from_classes(classes: str, own: bool) -> str | None:
    """The language in class names, or None; a bare one ("python") counts only on code (`own`) and highlighters."""
    for pattern in (_STATED, _BRUSH):
        found = pattern.search(classes)
        if found is not None:
            return normal(found[1])
    for found in _SOURCE.finditer(classes):
        name = found[1].lower().removesuffix("-basic").removeprefix("html-")
        if name in KNOWN or name in _NO_LANGUAGE or name in _ALIASES:
            return normal(name)
    if own or "highlight" in classes or "sourceCode" in classes or "source" in classes or "example" in classes:
        for name in classes.split():
            if name.lower() in KNOWN and name.lower() not in _ALSO_OTHER_CLASSES:
                return normal(name)
    return None


def normal(name: str) -> str:
    """The language name as it is written after a fence; "" for names such as "none"."""
    name = name.strip().lower().strip("{}.:")
    name = _ALIASES.get(name, name)
    if name in _NO_LANGUAGE or not re.fullmatch(r"[\w+#.-]{1,30}", name):
        return ""
    return name


def label_language(label: str) -> str | None:
    """The language that a label above a code block names, "" for plain text; None if the label names no language."""
    if _LABEL.fullmatch(label) is None:
        return None
    name = label.strip().lower()
    return normal(name) if name in KNOWN or name in _ALIASES else None
