"""Applies a site config to a page and reports the matches: for `mcp-web siteconfig test`."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.extract import sites
from mcp_web.extract.html.engine import read_html
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """How many elements of the page one rule of a config matches."""

    key: str  # "body", "strip", "title" …
    rule: str
    matches: int


@dataclass(frozen=True, slots=True)
class SiteConfigReport:
    """What a config does on a page, and what is wrong with it."""

    config: str  # "id@version"
    fits: bool  # whether the config applies to the page if it is not requested
    rules: tuple[RuleCheck, ...]
    document: Document | None  # None if no body rule matches
    problems: tuple[str, ...]


def check_siteconfig(text: str, html: str | bytes, url: str) -> SiteConfigReport:
    """Apply the first site config in a TOML text to a page, and report what its rules match. Raises InvalidInput if the
    text is not a config."""
    import turbohtml

    config = sites.parse_configs(text)[0]
    body = html.encode() if isinstance(html, str) else html
    page = Fetched(url, url, 200, (), body, "text/html", "utf-8" if isinstance(html, str) else None, 0.0)
    tree = turbohtml.parse(html, positions=False)
    rules = tuple(
        RuleCheck(key, rule, len(sites.select(tree, rule)))
        for key in ("marks", "body", "strip", "title", "author", "date", "next_page")
        for rule in getattr(config, key)
    )
    fits = sites.fits(config, tree, url)
    matched = any(check.matches for check in rules if check.key == "body")
    document = None
    if matched:
        request = ExtractRequest(siteconfig=text, explain=True)
        document = read_html(page, request, ExtractOptions())
    return SiteConfigReport(config.name, fits, rules, document, _problems(config, fits, matched, document))


def _problems(config: sites.SiteConfig, fits: bool, matched: bool, document: Document | None) -> tuple[str, ...]:
    """Sentences about what is wrong with a config; empty if nothing is. `fits`: the config applies to the page,
    `matched`: a body rule finds something, `document`: what it finds."""
    found = []
    if not config.body:
        found.append("The config has no body rule.")
    elif not matched:
        found.append("No body rule matches the page.")
    elif document is not None and len(document.markdown.split()) < 5:
        found.append("The body rules find next to no text.")
    if not fits and (config.domains or config.generator or config.marks):
        found.append("The page matches no domain, generator or mark of the config; it is used only if it is requested.")
    return tuple(found)
