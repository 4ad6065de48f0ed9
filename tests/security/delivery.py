# ruff: noqa: E501 (a way a line)
"""Ways in which declarations reach an element. In every text `D` stands for the declarations and `P` for the payload.

Each part is chosen for itself: the selector with its markup, the at-rule around it, how the declarations are written, and
where the sheet stands.
"""

from __future__ import annotations

import random
import re

# Selector and markup.
TARGETS: dict[str, tuple[str, str]] = {
    "class": (".k", "<p class=k>P</p>"),
    "second-class": (".k.l", "<p class='l k'>P</p>"),
    "id": ("#k", "<p id=k>P</p>"),
    "type": ("main aside", "<aside><p>P</p></aside>"),
    "attribute": ("[data-n]", "<p data-n>P</p>"),
    "attribute-value": ("p[data-n='a b']", "<p data-n='a b'>P</p>"),
    "attribute-part": ("[class*='ecr' i]", "<p class=SECRET-note>P</p>"),
    "attribute-end": ("[id$=-x]", "<p id=note-x>P</p>"),
    "descendant": ("main .w p", "<div class=w><div><p>P</p></div></div>"),
    "child": ("main article > .w > p", "<div class=w><p>P</p></div>"),
    "next": ("hr + .k", "<hr><p class=k>P</p>"),
    "later": ("h2 ~ .k", "<h2>Range</h2><ul><li>Fish</ul><p class=k>P</p>"),
    "list": ("h6,.none , .k", "<p class=k>P</p>"),
    "is": (":is(.k,.none)", "<p class=k>P</p>"),
    "is-inner": ("main :is(section,div) > :is(p,li)", "<section><p>P</p></section>"),
    "where": (":where(main article .k)", "<p class=k>P</p>"),
    "not": (".w > :not(h2)", "<div class=w><h2>Range</h2><p>P</p></div>"),
    "has": (".w:has(> hr)", "<div class=w><hr><p>P</p></div>"),
    "has-inner": ("div:has(.k)", "<div><p class=k>P</p></div>"),
    "first": (".w > :first-child", "<div class=w><p>P</p><p>Fish</p></div>"),
    "last": (".w p:last-of-type", "<div class=w><p>Fish</p><p>P</p></div>"),
    "nth": (".w > :nth-child(2n+1)", "<div class=w><p>P</p><hr></div>"),
    "nth-of": (".w > :nth-child(1 of .k)", "<div class=w><hr><p class=k>P</p></div>"),
    "nth-last": (".w > :nth-last-child(1)", "<div class=w><p>Fish</p><p>P</p></div>"),
    "only": (".w > :only-child", "<div class=w><p>P</p></div>"),
    "root": (":root body .k", "<p class=k>P</p>"),
    "universal": (".w *", "<div class=w><p>P</p></div>"),
    "escaped": (".k\\:1\\/2", "<p class='k:1/2'>P</p>"),
    "escaped-code": (".\\6b ", "<p class=k>P</p>"),
    "unicode": (".ключ", "<p class=ключ>P</p>"),
    "lang": (":lang(en) .k", "<p class=k>P</p>"),
    "wrapper": (".w", "<div class=w><section><p>P</p></section></div>"),
    "wrapper-list": (".w", "<ul class=w><li>P</ul>"),
    "cell": (".k", "<table><tr><td>Length<td><div class=k>P</div></table>"),
    "quote": ("blockquote.k", "<blockquote class=k><p>P</p></blockquote>"),
    "heading": ("h3.k", "<h3 class=k>P</h3>"),
    "figure": ("figure.k", "<figure class=k><figcaption>P</figcaption></figure>"),
    "link": (".k", "<p class=k><a href=/x>P</a></p>"),
    "defined": (".k:defined", "<p class=k>P</p>"),
    "any-link": ("div:not(:empty).k", "<div class=k>P</div>"),
    "dir": (".k:not([dir=rtl])", "<p class=k>P</p>"),
}  # fmt: skip
MISSED: dict[str, tuple[str, str]] = {  # none of these matches
    "not-this": (".k:not(.l)", "<p class='k l'>P</p>"),
    "other-class": (".kk", "<p class=k>P</p>"),
    "hovered": (".k:hover", "<p class=k>P</p>"),
    "empty": (".k:empty", "<p class=k>P</p>"),
    "case": (".K", "<!-- --><p class=k>P</p>"),
    "broken-list": (".k,:::x", "<p class=k>P</p>"),
    "no-sibling": (".k + .k", "<p class=k>P</p>"),
}  # fmt: skip

# What stands around a rule; `R` is the rule.
AROUND: dict[str, str] = {
    "none": "R", "none-too": "R", "none-again": "R", "none-more": "R", "none-still": "R",
    "media": "@media screen{R}", "media-width": "@media (min-width:20em) and (max-width:900em){R}",
    "media-range": "@media (200px < width <= 9000px){R}", "media-not": "@media not print{R}",
    "media-list": "@media speech,screen and (orientation:landscape){R}", "media-hover": "@media (hover) and (pointer:fine){R}",
    "media-light": "@media (prefers-color-scheme:light){R}", "media-or": "@media (width > 1px) or (monochrome){R}",
    "supports": "@supports (display:grid){R}", "supports-or": "@supports (x:y) or (color:red){R}",
    "supports-not": "@supports not (color:nonsense){R}", "supports-selector": "@supports selector(:has(p)){R}",
    "layer": "@layer low{R}", "layers": "@layer a,b;@layer b{R}@layer a{.k,p{color:#111}}", "layer-nested": "@layer a{@layer b{R}}",
    "layer-anonymous": "@layer{R}", "container": "main{container-type:inline-size}@container (width > 30px){R}",
    "container-name": "article{container:c/inline-size}@container c (min-width:1em){R}",
    "scope": "@scope (main){R}", "scope-limit": "@scope (article) to (.none){R}",
    "deep": "@media screen{@supports (color:red){@layer z{R}}}", "charset": "@charset 'utf-8';@namespace x url(y);R",
    "junk": "}R", "junk-before": "x{;;}$ y{z} R", "after-import": "@import url(none.css) print;R",
    "font-face": "@font-face{font-family:f;src:local(none)}R", "counter": "@counter-style c{system:fixed;symbols:a}R",
    "view": "@view-transition{navigation:none}@page{margin:1cm}R", "comment": "/* } */R/* { */",
    "html-comment": "<!-- R -->", "string": ".q::after{content:'{};'}R",
}  # fmt: skip
IDLE: dict[str, str] = {  # none of these applies
    "print": "@media print{R}", "narrow": "@media (max-width:100px){R}", "dark": "@media (prefers-color-scheme:dark){R}",
    "unsupported": "@supports (display:nonsense){R}", "starting": "@starting-style{R}", "unknown": "@nonsense{R}",
    "scope-other": "@scope (.none){R}", "container-none": "@container none-such (width > 1px){R}",
}  # fmt: skip

# How the declarations are written; `D` as they are, `I` each as important, `U` in upper case, `E` with escapes, `V` as variables.
WRITTEN: dict[str, str] = {
    "plain": "S{D}", "plain-too": "S{D}", "spaced": "S\n{\n\t ; D ;\n}", "upper": "S{U}", "escaped": "S{E}",
    "important": "S{I}S:nth-child(n){X}", "beaten-by-place": "S{X}S{D}", "beaten-by-weight": "S:not(#none){D}S{X}",
    "after-invalid": "S{D;nonsense:1;12px;color:12zz;display:nonsense}", "invalid-before": "S{color;;: red;*zoom:1;D}",
    "commented": "S{C}", "variable": ":root{A}S{V}", "variable-own": "S{A;V}", "variable-fallback": "S{F}",
    "variable-chain": ":root{B}S{V}", "nested": "main{& S{D}}", "nested-self": "S{color:#222;&{D}}", "nested-media": "S{@media all{D}}",
    "nested-plain": "body{main{S{D}}}", "unclosed": "S{D",
}  # fmt: skip
LOSING: dict[str, str] = {
    "loses-weight": "S:not(#none){X}S{D}", "loses-place": "S{D}S{X}", "loses-important": "S{Y}S:not(#none){D}",
}  # fmt: skip
RESET = "display:revert;visibility:visible;opacity:1;filter:none;font:16px/1.5 serif;zoom:1;height:auto;max-height:none;width:auto;max-width:none;overflow:visible;contain:none;position:static;margin:0;text-indent:0;transform:none;translate:none;scale:none;rotate:none;offset:none;clip:auto;clip-path:none;mask:none;color:#111;-webkit-text-fill-color:currentcolor;background:none;box-shadow:none;mix-blend-mode:normal;-webkit-text-security:none;font-size-adjust:none;text-decoration:none;animation:none;columns:auto;padding:0;content:normal;content-visibility:visible;writing-mode:horizontal-tb;grid:none;text-shadow:none"

# Where the sheet stands.
PLACES: dict[str, tuple[str, str]] = {
    "head": ("<style>[sheet]</style>", "[markup]"), "head-again": ("<style>[sheet]</style>", "[markup]"), "head-too": ("<style media=screen>[sheet]</style>", "[markup]"), "body": ("", "<style>[sheet]</style>[markup]"),
    "after": ("", "[markup]<style type=text/css>[sheet]</style>"), "data": ("<link rel=stylesheet href=\"data:text/css,[quoted]\">", "[markup]"),
    "shadow": ("", "<div><template shadowrootmode=open><style>[sheet]</style><main><article>[markup]</article></main></template></div>"),
    "import": ("<style>@import url(\"data:text/css,[quoted]\");</style>", "[markup]"),
}  # fmt: skip
UNUSED: dict[str, tuple[str, str]] = {
    "print": ("<style media=print>[sheet]</style>", "[markup]"), "disabled": ("<link rel='alternate stylesheet' title=x href=\"data:text/css,[quoted]\">", "[markup]"),
}  # fmt: skip


def _parts(declarations: str) -> list[tuple[str, str]]:
    found = (each.partition(":") for each in re.split(r";(?![^(]*\))", declarations) if each.strip())
    return [(name.strip(), value.strip()) for name, _, value in found]


def _escaped(name: str, chance: random.Random) -> str:
    at = chance.randrange(len(name))
    return f"{name[:at]}\\{ord(name[at]):x} {name[at + 1 :]}" if name[at].isalpha() else name


def _written(form: str, selector: str, declarations: str, chance: random.Random) -> str:
    """One sheet for a form of `WRITTEN`."""
    parts = _parts(declarations)
    joined = {
        "D": declarations,
        "I": ";".join(f"{name}:{value} ! important" for name, value in parts),
        "U": ";".join(f"{name.upper()}:{value if '(' in value else value.upper()}" for name, value in parts),
        "E": ";".join(f"{_escaped(name, chance)}:{value}" for name, value in parts),
        "C": ";".join(f"/* x */{name}/**/:/* ; */{value}/* }} */" for name, value in parts),
        "A": ";".join(f"--v{at}:{value}" for at, (_, value) in enumerate(parts)),
        "B": ";".join(f"--v{at}:var(--w{at},{value})" for at, (_, value) in enumerate(parts)),
        "V": ";".join(f"{name}:var(--v{at})" for at, (name, _) in enumerate(parts)),
        "F": ";".join(f"{name}:var(--none,{value})" for name, value in parts),
        "X": RESET,
        "Y": ";".join(f"{each}!important" for each in RESET.split(";")),
        "S": selector,
    }
    return re.sub(r"(?<![\w.#-])[DIUECABVFXYS](?![\w-])", lambda found: joined[found[0]], form)


def inline(declarations: str, chance: random.Random, applies: bool) -> tuple[str, str, str]:
    """A name, a head and a body in which a style attribute carries the declarations."""
    form = chance.choice(
        ["D", " D ;", "I", "U", "E", "C", "A;V", "F", "color:#333;D", "D;color", "X;D"] if applies else ["D;X"]
    )
    style = _written(form, "", declarations, chance).replace("&", "&amp;").replace('"', "&quot;")
    body = chance.choice(
        [
            '<p style="{}">P</p>', '<div style="{}"><p>P</p></div>', '<section><div style="{}">P</div></section>',
            '<ul><li>Fish<li><div style="{}">P</div></ul>', '<p STYLE="{}">P <b>and so on</b></p>',
            '<blockquote style="{}"><p>P</p></blockquote>', '<x-note style="display:block;{}">P</x-note>',
        ]
    )  # fmt: skip
    return f"inline {form}", "", body.replace("{}", style)


def by_sheet(declarations: str, chance: random.Random, applies: bool) -> tuple[str, str, str]:
    """A name, a head and a body in which a sheet carries the declarations; one part of it keeps them from applying."""
    idle = -1 if applies else chance.randrange(4)
    target, selector, markup = _target(MISSED if idle == 0 else TARGETS, chance)
    around, form = chance.choice(list((IDLE if idle == 1 else AROUND).items()))
    written, rule_form = chance.choice(list((LOSING if idle == 2 else WRITTEN).items()))
    place, (head, body) = chance.choice(list((UNUSED if idle == 3 else PLACES).items()))
    if written == "unclosed" and form != "R":
        written, rule_form = "plain", WRITTEN["plain"]
    sheet = form.replace("R", _written(rule_form, selector, declarations, chance), 1)
    head, body = (part.replace("[sheet]", sheet).replace("[quoted]", _quoted(sheet)) for part in (head, body))
    return f"{place} {around} {written} {target}", head, body.replace("[markup]", markup)


def _target(targets: dict[str, tuple[str, str]], chance: random.Random) -> tuple[str, str, str]:
    name = chance.choice(list(targets))
    return name, *targets[name]


def _quoted(sheet: str) -> str:
    """The sheet in a `data:` URL."""
    return "".join(
        chr(byte) if byte < 127 and chr(byte) not in '%#"<>&\n\t' else f"%{byte:02x}" for byte in sheet.encode()
    )
