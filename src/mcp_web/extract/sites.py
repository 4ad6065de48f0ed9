"""Site configs: extraction rules for a site or a generator. docs/guides/site-configs.md describes the format.

Looked up in this order: the explicit argument (an id, or the text of a config), the user's folder, the packaged set;
inside each, a config for the page's domain comes before one recognised by the page's markup.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from mcp_web import trace
from mcp_web.errors import InvalidInput
from mcp_web.model.page import PageKind
from mcp_web.text.urls import in_domain

if TYPE_CHECKING:
    from turbohtml import Document as Tree
    from turbohtml import Element

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,60}")
_LISTS = ("domains", "generator", "marks", "body", "strip", "title", "author", "date", "next_page")
_KNOWN = frozenset(("id", "version", "kind", *_LISTS))
_LARGEST = 100_000  # characters of a config's text
_NAMED = re.compile(r"[.#]([A-Za-z_][\w-]*)")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_XPATH = ("/", "(", "./", "string(", "normalize-space(")


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """Rules for the pages of one site, or of one generator (a program that makes pages, such as Sphinx). Selectors are
    CSS, or XPath where they begin with `/`, `./`, `(`, `string(` or `normalize-space(`."""

    id: str
    version: str
    kind: PageKind = "unknown"
    domains: tuple[str, ...] = ()  # "example.org" covers its subdomains too; "example.org/docs" a path below it
    generator: tuple[str, ...] = ()  # beginnings of <meta name=generator>, lower case
    marks: tuple[str, ...] = ()  # selectors that match only pages of this generator
    body: tuple[str, ...] = ()  # the content is all elements that the first matching selector finds
    strip: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    next_page: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The id of the config with its version, as in "sphinx@3"."""
        return f"{self.id}@{self.version}"


def parse_configs(text: str) -> tuple[SiteConfig, ...]:
    """The site configs in TOML, one at the top level or several as [[site]]. Raises InvalidInput if any is bad."""
    if len(text) > _LARGEST:
        raise InvalidInput(f"The site config has {len(text):,} characters; {_LARGEST:,} are allowed.")
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"The site config is not valid TOML: {error}.") from error
    entries = read.get("site", [read])
    if not isinstance(entries, list) or not entries:
        raise InvalidInput("The site config contains no [[site]] table.")
    return tuple(_config(entry) for entry in entries)


def _config(entry: Any) -> SiteConfig:
    """The site config in a parsed TOML table. Raises InvalidInput if it is not valid."""
    if not isinstance(entry, dict):
        raise InvalidInput("Each [[site]] of a site config is a table.")
    name = str(entry.get("id", ""))
    if not _ID.fullmatch(name):
        raise InvalidInput(f"A site config needs an id of lower-case letters, digits, dots and dashes, not {name!r}.")
    unknown = sorted(set(entry) - _KNOWN)
    if unknown:
        raise InvalidInput(f"The site config {name!r} has unknown keys: {', '.join(unknown)}.", known=sorted(_KNOWN))
    kind = entry.get("kind", "unknown")
    if kind not in get_args(PageKind):
        raise InvalidInput(f"The kind {kind!r} of site config {name!r} is not one of {', '.join(get_args(PageKind))}.")
    lists = {key: _strings(name, key, entry.get(key, ())) for key in _LISTS}
    for key in _LISTS[2:]:
        for selector in lists[key]:
            try:
                select(_probe(), selector)
            except ValueError as error:
                raise InvalidInput(f"{key} of site config {name!r}: {selector!r} is not valid: {error}.") from error
    return SiteConfig(id=name, version=str(entry.get("version", 1)), kind=kind, **lists)


def _strings(name: str, key: str, value: Any) -> tuple[str, ...]:
    """The value of `key` in the config `name`, one string or a list, as a tuple. Raises InvalidInput for others."""
    values = (value,) if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(each, str) and each.strip() for each in values):
        raise InvalidInput(f"{key} of site config {name!r} is a string or a list of strings.")
    return tuple(each.strip() for each in values)


@cache
def _probe() -> Tree:
    """A small parsed page on which selectors are checked."""
    import turbohtml

    return turbohtml.parse("<p></p>", positions=False)


def select(tree: Tree | Element, selector: str) -> list[Any]:
    """The elements (for XPath also strings) that a selector matches. Raises ValueError if it is not valid."""
    if not selector.startswith(_XPATH):
        return list(tree.select(selector))
    found = tree.xpath(selector)
    return found if isinstance(found, list) else [found] if found else []


# -- loading configs


@cache
def packaged() -> tuple[SiteConfig, ...]:
    """The configs that come with this package."""
    folder = files("mcp_web.extract").joinpath("site_configs")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return tuple(config for name in names for config in parse_configs(folder.joinpath(name).read_text("utf-8")))


def in_folder(folder: str) -> tuple[SiteConfig, ...]:
    """The valid configs of the *.toml files in the user's folder; read again when a file has changed."""
    return _read_files(_stamps(folder))[0]


def unusable(folder: str) -> tuple[str, ...]:
    """An error message for each *.toml file of the user's folder that is not valid; such a file is ignored."""
    return _read_files(_stamps(folder))[1]


def _stamps(folder: str) -> tuple[tuple[str, int], ...]:
    """The path and the time of change, in nanoseconds, of each *.toml file in a folder; empty if `folder` is ""."""
    if not folder:
        return ()
    files = sorted(Path(folder).expanduser().glob("*.toml"))
    return tuple((str(path), path.stat().st_mtime_ns) for path in files if path.exists())


@lru_cache(maxsize=4)
def _read_files(stamps: tuple[tuple[str, int], ...]) -> tuple[tuple[SiteConfig, ...], tuple[str, ...]]:
    """The configs of the valid files, and an error message for each other one, which is logged but does not stop the
    extraction. `stamps` is what `_stamps` returns: as the key of the cache, it makes changed files be read again."""
    found: list[SiteConfig] = []
    problems: list[str] = []
    for path, _ in stamps:
        try:
            found.extend(parse_configs(Path(path).read_text("utf-8")))
        except (InvalidInput, UnicodeDecodeError, OSError) as error:
            problems.append(f"The site config {path} cannot be used: {error}")
            trace.log("error", "site_config", path=path, message=problems[-1])
    return tuple(found), tuple(problems)


def explicit(argument: str, folder: str = "") -> SiteConfig:
    """The config that a caller requested, by id or as TOML text. Raises InvalidInput if it is unknown or not valid."""
    if "\n" in argument or "=" in argument:
        return parse_configs(argument)[0]
    known = {config.id: config for config in (*packaged(), *in_folder(folder))}
    name = argument.partition("@")[0].strip()
    if name not in known:
        problems = unusable(folder)
        raise InvalidInput(
            " ".join([f"There is no site config {argument!r}.", *problems]),
            suggestion=f"Known ids: {', '.join(sorted(known))}; or pass the text of a config.",
        )
    return known[name]


def fitting(tree: Tree, url: str, names: frozenset[str], folder: str = "") -> Iterator[tuple[SiteConfig, bool]]:
    """The configs that apply to a page, best first, each with whether it is from the user's `folder`.

    `names` are the classes and ids of the page in lower case: a mark of a config, which is a selector, is not searched
    for if it contains others.
    """
    generator = _generator(tree)
    sources = ((in_folder(folder), True), (packaged(), False))
    others: list[tuple[SiteConfig, bool]] = []
    for configs, own in sources:
        by_generator: list[tuple[SiteConfig, bool]] = []
        for config in configs:
            if config.domains and _fits_domain(config, tree, url):
                yield config, own
            elif config.generator and generator.startswith(config.generator):
                by_generator.append((config, own))
            elif not config.domains:
                others.append((config, own))
        yield from by_generator
    for config, own in others:
        if any(_names_in(mark) <= names and select(tree, mark) for mark in config.marks):
            yield config, own


def fits(config: SiteConfig, tree: Tree, url: str) -> bool:
    """Whether a config applies to a page: by its domains if it has some, else by the program that made the page
    (generator) or a selector that matches something on it (mark)."""
    if config.domains:
        return _fits_domain(config, tree, url)
    return bool(config.generator and _generator(tree).startswith(config.generator)) or _is_marked(config, tree)


def _generator(tree: Tree) -> str:
    """The program that made the page, as its `meta` element names it, in lower case; "" if there is none."""
    found = tree.select_one("head > meta[name=generator i]")
    return (found.attr("content") or "").strip().lower() if found is not None else ""


@lru_cache(maxsize=1024)
def _names_in(selector: str) -> frozenset[str]:
    """The classes and ids in a selector, outside of attribute tests, in lower case."""
    return frozenset(name.lower() for name in _NAMED.findall(_BRACKETS.sub("", selector)))


def _is_marked(config: SiteConfig, tree: Tree) -> bool:
    """Whether one of the config's marks, which are selectors, matches something on the page."""
    return any(select(tree, mark) for mark in config.marks)


def _fits_domain(config: SiteConfig, tree: Tree, url: str) -> bool:
    """Whether the page is on a domain of the config, and one of its marks (selectors) matches, if it has any."""
    return any(in_domain(url, domain) for domain in config.domains) and (not config.marks or _is_marked(config, tree))


# -- applying a config


@dataclass(frozen=True, slots=True)
class Applied:
    """What a config found on a page: its content, how many elements each rule stripped, its metadata, the next page."""

    config: SiteConfig
    roots: tuple[Element, ...]
    body: str  # the selector that matched
    stripped: tuple[tuple[str, int], ...]  # selector, elements
    title: str | None = None
    author: str | None = None
    date: str | None = None
    next_page: str | None = None


def apply_config(
    config: SiteConfig, tree: Tree, least: int = 1, accept: Callable[[list[Element]], bool] | None = None
) -> Applied | None:
    """Find the content of a page by the rules of a config, and remove what the rules strip.

    Returns None if no body rule finds elements with `least` characters of text that `accept` returns True for. `accept`
    is called before anything is removed from the tree.
    """
    facts = {key: _first_text(tree, getattr(config, key)) for key in ("title", "author", "date")}
    next_page = _first_text(tree, config.next_page, "href")
    for selector in config.body:
        roots = outermost(element for element in select(tree, selector) if hasattr(element, "tag"))
        roots = [root for root in roots if not _is_stripped(config, root)] or roots
        if roots and sum(len(root.text) for root in roots) >= least:
            if accept is not None and not accept(roots):
                continue
            stripped = tuple((rule, _strip(roots, rule)) for rule in config.strip)
            return Applied(config, tuple(roots), selector, stripped, **facts, next_page=next_page)
    return None


def outermost(elements: Iterable[Element]) -> list[Element]:
    """The elements that are not inside another one of them, so that no text is written twice."""
    found = list(elements)
    known = set(found)
    return [element for element in found if not any(above in known for above in element.ancestors)]


def _is_stripped(config: SiteConfig, root: Element) -> bool:
    """Whether a strip rule in CSS matches the element itself, which a broad body rule may have selected."""
    return any(root.matches(rule) for rule in config.strip if not rule.startswith(_XPATH))


def _strip(roots: list[Element], selector: str) -> int:
    """Remove the elements below the roots that the selector matches; returns how many were removed."""
    count = 0
    for root in roots:
        for element in select(root, selector):
            if hasattr(element, "tag") and element != root and _can_be_removed(element):
                element.decompose()
                count += 1
    return count


def _can_be_removed(element: Element) -> bool:
    """Whether an element may be removed: not if it is removed already, or has all the text of the heading around it."""
    if element.parent is None:
        return False  # removed already, with one of its ancestors
    heading = element.closest("h1,h2,h3,h4,h5,h6")
    text = element.text.strip()
    return heading is None or heading == element or len(text) < 2 or text != heading.text.strip()


def _first_text(tree: Tree, selectors: tuple[str, ...], attribute: str | None = None) -> str | None:
    """The text, or the value of `attribute`, of the first match of the first selector with one, else None."""
    for selector in selectors:
        for found in select(tree, selector)[:1]:
            text = found if isinstance(found, str) else _element_value(found, attribute)
            if text := " ".join(str(text).split())[:1000]:
                return text
    return None


def _element_value(element: Element, attribute: str | None) -> str:
    """The value of `attribute`; without it, the `content` or `datetime` of the element if it has one, else its text."""
    if attribute:
        return element.attr(attribute) or ""
    return element.attr("content") or element.attr("datetime") or element.text
