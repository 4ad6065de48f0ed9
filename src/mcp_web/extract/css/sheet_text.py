"""The text of a page's style sheets, cleaned so that it can be split at braces and semicolons."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from urllib.parse import unquote

from turbohtml import Element

from mcp_web.extract.css.conditions import media_holds, supports_holds
from mcp_web.extract.css.syntax import unescaped

_IMPORT = re.compile(
    r"@import\s{0,9}(?:url\(\s{0,9})?(?:\"(data:text/css[^\"\n]{1,100000})\"|'(data:text/css[^'\n]{1,100000})'"
    r"|(data:text/css[^\"'\s)]{1,100000}))\s{0,9}\)?([^;{}]{0,500})(?:;|\Z)",
    re.I,
)
_IMPORT_LAYER = re.compile(r"layer(?:\(([^()]*)\))?")
_IMPORT_SUPPORTS = re.compile(r"supports(\((?:[^()]|\([^()]*\))*\))")
_ROOTLESS = re.compile(r"@scope\s*(?=\{|to\b)", re.I)


def own_sheets(candidates: list[Element]) -> list[str]:
    """The texts of the sheets in the page that apply, each after those that it imports from `data:` URLs. `candidates`
    include the `style` and `link` elements. Of links, those count whose URL contains the sheet (`data:`)."""
    found: list[str] = []
    preferred = None  # of the sheets with a title, only those with the first title apply
    for element in candidates:
        if element.tag not in ("style", "link") or not _applies(element):
            continue
        title = element.attr("title")
        preferred = preferred or title
        if title and title != preferred:
            continue
        text = _scoped(element) if element.tag == "style" else data_url_text(element.attr("href") or "")
        found.extend((*embedded_imports(text), text))
    return found


def _scoped(sheet: Element) -> str:
    """The text of a `style` element; `@scope` rules that name no root get the element's parent as root. The parent is
    marked with an attribute for it."""
    text, around = sheet.text, sheet.parent
    if "@scope" not in text or not isinstance(around, Element) or not _ROOTLESS.search(text):
        return text
    around.attrs["data-scope"] = mark = str(id(around))
    return _ROOTLESS.sub(f'@scope ([data-scope="{mark}"]) ', text)


def _applies(sheet: Element) -> bool:
    """Whether a browser applies the sheet of an element, as far as its attributes and its position show."""
    if not media_holds(sheet.attr("media") or "") or sheet.closest("noscript,template") is not None:
        return False
    if sheet.tag == "style":
        return (sheet.attr("type") or "text/css").strip().lower() == "text/css"
    kinds = (sheet.attr("rel") or "").lower().split()
    return "stylesheet" in kinds and "alternate" not in kinds and sheet.attr("disabled") is None


def data_url_text(url: str) -> str:
    """The sheet in a `data:` URL; "" if it is another URL or is damaged."""
    kind, _, text = url.partition(",")
    text = unquote(text)
    if not kind.lower().startswith("data:text/css"):
        return ""
    if not kind.lower().endswith("base64"):
        return text
    try:
        plain = "".join(text.split()).rstrip("=")
        return b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "replace")
    except ValueError:
        return ""


def embedded_imports(sheet: str) -> Iterator[str]:
    """The sheets that a sheet imports from `data:` URLs under a condition that holds, each after its own imports. One
    that is imported into a layer is put in an `@layer` block."""
    if "@import" not in sheet.partition("{")[0].lower():
        return  # imports must come before all rules
    end = 0
    for found in _IMPORT.finditer(sheet):
        if "{" in sheet[end : found.start()]:
            return
        end = found.end()
        url = unescaped(found[1] or found[2] or found[3])  # CSS escapes in the string
        conditions = found[4].strip().lower()
        layer = _IMPORT_LAYER.match(conditions)
        conditions = conditions[layer.end() :].strip() if layer else conditions
        supports = _IMPORT_SUPPORTS.match(conditions)
        conditions = conditions[supports.end() :].strip() if supports else conditions
        if media_holds(conditions) and (supports is None or supports_holds(supports[1])):
            text = data_url_text(url)
            for imported in (*embedded_imports(text), text):
                yield f"@layer {layer[1] or ''}{{{imported}}}" if layer else imported
