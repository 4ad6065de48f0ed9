"""The metadata of a page: title, author, dates, language, site, canonical URL, description.

Sources in order of trust: meta tags and JSON-LD, microdata, then what the page shows (`<time>`, byline, `<h1>`), then
its URL. All text is cleaned and limited in length: like the text of the page, metadata is shown to the agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from itertools import chain
from typing import Any
from urllib.parse import unquote, urlsplit

from turbohtml import Document as Tree
from turbohtml import Element

from mcp_web.extract.characters import clean_line
from mcp_web.extract.natural_language import detect_language
from mcp_web.extract.structured import Structured, read_structured, types_of
from mcp_web.extract.works import citation_entries
from mcp_web.model.page import Metadata
from mcp_web.text.dates import date_in_url, read_date
from mcp_web.text.json_fields import text
from mcp_web.text.shorten import shortened_at_word
from mcp_web.text.urls import absolute, domain_of

Metas = Mapping[str, list[str]]  # the values of meta tags by name

_MOST_METAS = 400
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}")
_BY = re.compile(
    r"^(?:(?:written|posted|published|story|text|words)\s+)?(?:by|von|par|por|di|door|av|af)\b[:\s]+", re.I
)
_NO_AUTHORS = ("admin", "administrator", "editor", "staff", "unknown")
_CREATIVE = re.compile(
    r"Article|Posting|Report|WebPage|Page$|Product|Recipe|Review|Book|Course|Video|Podcast|Event|Dataset|SoftwareSourceCode"
)

_OF_PAGE = ("Page", "Article", "Posting", "Report")  # not Review or Comment: their dates are not the page's

_PUBLISHED = (
    "article:published_time", "datepublished", "og:published_time", "dc.date.issued", "dcterms.issued",
    "dc.date.created", "dcterms.created", "citation_publication_date", "citation_date", "citation_online_date",
    "parsely-pub-date", "sailthru.date", "publish-date", "publish_date", "publishdate", "pubdate", "date",
    "dc.date", "dcterms.date", "article.published", "article_date_original", "created", "cxenseparse:recs:publishtime",
    "displaydate", "originalpublicationdate", "rnews:datepublished", "publication_date", "prism.publicationdate",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:updated_time", "datemodified", "dc.date.modified", "dcterms.modified",
    "last-modified", "lastmod", "revised", "modified", "article.updated", "docsearch:modified",
)  # fmt: skip
_AUTHOR = ("author", "article:author", "dc.creator", "dcterms.creator", "dc.creator.personalname", "parsely-author",
           "sailthru.author", "byl", "citation_author", "twitter:creator:name", "article.author")  # fmt: skip
_SITE = ("og:site_name", "application-name", "apple-mobile-web-app-title", "dc.publisher", "citation_journal_title")
_DESCRIPTION = ("description", "og:description", "twitter:description", "dc.description", "dcterms.description")


def read_metadata(tree: Tree, url: str, headers: Iterable[tuple[str, str]] = ()) -> tuple[str, Metadata]:
    """The title, without the name of the site ("" if there is none), and the metadata of a parsed page.

    `url` is that of the page, and `headers` are those of the response, with names in lower case.
    """
    metas = _metas(tree)
    data = read_structured(tree)
    sent = dict(headers)
    main = _main_node(data)
    site = _text(_first(metas, *_SITE) or _site_from(data), 100).removeprefix("https://").removeprefix("http://")
    element = tree.select_one("head > title") or tree.select_one("title")
    written = _text(element.text, 500) if element is not None else ""
    title = _text(clean_title(_titles(written, metas, main), _heading(tree, written), site, url), 300)
    opengraph = {name[3:]: values[0] for name, values in metas.items() if name.startswith("og:")}
    return title, Metadata(
        description=_text(_first(metas, *_DESCRIPTION) or main.get("description"), 500) or None,
        author=_author(tree, metas, data, main, site) or None,
        published=_published(tree, metas, data, main, url),
        modified=_first_date(metas, _MODIFIED) or _node_date(data, main, "dateModified"),
        site_name=site or None,
        page_title=written if written and written != title else None,
        language=_language(tree, metas, sent),
        canonical_url=_canonical(tree, metas, url),
        content_type=sent.get("content-type", "").partition(";")[0].strip().lower() or None,
        structured_data=(*citation_entries(metas), *data.bounded(opengraph)),
    )


def _metas(tree: Tree) -> dict[str, list[str]]:
    """The values of the meta tags in document order, by their names in lower case."""
    found: dict[str, list[str]] = {}
    for meta in tree.select("meta[content]")[:_MOST_METAS]:
        content = (meta.attr("content") or "")[:2000].strip()
        names = (meta.attr(attribute) or "" for attribute in ("property", "name", "itemprop", "http-equiv"))
        key = next((name for name in map(str.strip, names) if name), "").lower()
        if key and content:
            found.setdefault(key, []).append(content)
    return found


def _main_node(data: Structured) -> Mapping[str, Any]:
    """The JSON-LD or microdata object about the content: the first article, else the first other work, else {}."""
    best: Mapping[str, Any] = {}
    for node in data.nodes():
        names = types_of(node)
        if any(name.endswith(("Article", "Posting", "Report")) for name in names):
            return node
        if not best and any(_CREATIVE.search(name) for name in names):
            best = node
    return best


def _titles(written: str, metas: Metas, main: Mapping[str, Any]) -> list[str]:
    """The titles that the page declares, best first; `written`: of its title element, `main`: its main JSON-LD."""
    declared = (
        _first(metas, "og:title"),
        _first(metas, "citation_title"),
        written,
        _first(metas, "twitter:title"),
        _first(metas, "dc.title"),
        main.get("headline"),
    )
    return list(filter(None, (_text(value, 500) for value in declared)))


def _heading(tree: Tree, written: str) -> str | None:
    """The text of the only `<h1>`; of several, the first in the main content. Without any, the first text that is
    marked as a title or heading and begins `written`, the text of the title element; None if there is none."""
    headings = tree.select("h1")
    if not headings:
        shown = (_text(element.text, 300) for element in tree.select("body [class*=title],body h2")[:_MOST_TITLES])
        return next((text for text in shown if text and written.startswith(text)), None)
    if len(headings) > 1:
        inside = tree.select_one("article h1, main h1, [role=main] h1")
        return _text(inside.text, 300) if inside is not None else None
    return _text(headings[0].text, 300) if headings else None


def _author(tree: Tree, metas: Metas, data: Structured, main: Mapping[str, Any], site: str | None) -> str | None:
    """The author that the page declares or shows, or None; the site's name and names such as "admin" do not count.
    `main`, the object about the content of the page, is asked before the other objects in its structured data."""
    nodes = [main, *data.nodes()]
    declared = next((name for name in _AUTHOR if name in metas), "")
    authors = metas.get(declared, [])[: None if declared == "citation_author" else 1]
    named = [", ".join(authors)] + [_names(node.get("author") or node.get("creator")) for node in nodes[:20]]
    for value in chain(named, _bylines(tree)):
        name = _BY.sub("", _text(value, 200)).strip(" ,;|•·-")
        if (
            2 <= len(name) <= 150
            and "://" not in name
            and not name.startswith(("@", "www."))
            and name.lower() not in (*_NO_AUTHORS, (site or "").lower())
        ):
            return name
    return None


def _names(value: Any) -> str | None:
    """The names of authors, joined by commas: `value` is an object, a string or a list of them. None without a name."""
    found: list[str] = []
    for each in value if isinstance(value, list) else [value]:
        name = each.get("name") if isinstance(each, Mapping) else each
        name = name[0] if isinstance(name, list) and name else name
        if isinstance(name, str) and name.strip() and name.strip() not in found:
            found.append(name.strip())
    return ", ".join(found[:10]) or None


def _bylines(tree: Tree) -> Iterator[str]:
    """Names of authors that the page shows, the most reliable first."""
    for selector in ("a[rel~=author]", "[itemprop=author]", ".byline,.p-author,.author-name"):
        found = tree.select(selector)
        # On a page with many authors, which is a list of articles or comments, none of them is the author of the page.
        if 0 < len(found) <= 3:
            yield found[0].text


def _published(tree: Tree, metas: Metas, data: Structured, main: Mapping[str, Any], url: str) -> str | None:
    """The ISO date of publication that the page declares, has in its URL, or shows; None if there is none."""
    return (
        _first_date(metas, _PUBLISHED)
        or _node_date(data, main, "datePublished")
        or _node_date(data, main, "uploadDate")
        or date_in_url(url)
        or _shown_date(tree)
    )


def _shown_date(tree: Tree) -> str | None:
    """The ISO date of a `<time>` marked as the date of publication, or the only date in the main content; else None."""
    for selector in (
        "time[pubdate]",
        "time[itemprop=datePublished]",
        "time.published, time.entry-date, time.dt-published",
    ):
        if found := tree.select_one(selector):
            return _time(found)
    times = tree.select("article time, main time, [role=main] time")
    moments = [moment for each in times[:5] if (moment := _time(each))]
    days = {moment[:10] for moment in moments}
    return moments[0] if len(days) == 1 and len(times) <= 4 else None


def _time(element: Element) -> str | None:
    """The ISO date of a `time` element: in its `datetime`, else in its text; None if neither is a date."""
    return read_date(element.attr("datetime")) or read_date(element.text)


def _node_date(data: Structured, main: Mapping[str, Any], name: str) -> str | None:
    """The ISO date in the property `name` of the object `main`, else of the first object in `data` about a page or
    article that has it; None if there is none."""
    pages = (node for node in data.nodes() if any(kind.endswith(_OF_PAGE) for kind in types_of(node)))
    values = (node.get(name) for node in (main, *pages))
    firsts = (value[0] if isinstance(value, list) and value else value for value in values)
    return next(filter(None, (read_date(text(first)) for first in firsts)), None)


def _first_date(metas: Metas, names: Iterable[str]) -> str | None:
    """The ISO date in the first of the meta tags `names` whose first value is a date; None if none is."""
    return next((found for name in names if name in metas and (found := read_date(metas[name][0]))), None)


def _language(tree: Tree, metas: Metas, headers: Mapping[str, str]) -> str | None:
    """The language that the page declares, such as "en-US"; else that detected in its text, or None."""
    root = tree.root
    declared = (
        (root.attr("lang") or root.attr("xml:lang")) if root is not None else None,
        _first(metas, "content-language"),
        _first(metas, "og:locale"),
        _first(metas, "dc.language"),
        headers.get("content-language", "").partition(",")[0],
    )
    for value in declared:
        if value and (match := _LANGUAGE.fullmatch(value.strip())):
            first, *rest = match[0].replace("_", "-").split("-")
            return "-".join([first.lower(), *(part.upper() if len(part) == 2 else part for part in rest)])
    shown = tree.select_one("main, article, [role=main]") or tree.select_one("body")
    return detect_language(" ".join(shown.text[:20_000].split())) if shown is not None else None


def _canonical(tree: Tree, metas: Metas, url: str) -> str | None:
    """The canonical URL that the page declares, made absolute against `url`; else its `og:url`, or None."""
    link = tree.select_one("link[rel~=canonical i][href]")
    declared = (link.attr("href") if link is not None else None, _first(metas, "og:url"))
    found = (absolute(url, value) for value in declared if value and len(value) <= 2000)
    return next((target for target in found if target), None)


def _site_from(data: Structured) -> str | None:
    """The name of the site in structured data: that of a WebSite, else that of a publisher; None if there is none."""
    for node in data.nodes():
        if "WebSite" in types_of(node) and isinstance(node.get("name"), str):
            return str(node["name"])
    return next(filter(None, (_names(node.get("publisher")) for node in data.nodes())), None)


def _first(metas: Metas, *names: str) -> str | None:
    """The first value of the first of the meta tags `names` that the page has; None if it has none of them."""
    return next((metas[name][0] for name in names if name in metas), None)


def _text(value: Any, most: int) -> str:
    """A string on one line and cut to `most` characters, with HTML entities decoded and invisible characters removed;
    "" for any other value."""
    return shortened_at_word(clean_line(unescape(value[: most * 4])), most) if isinstance(value, str) else ""


_MOST_TITLES = 40  # elements that may have the title of a page without an h1
_SEPARATOR = re.compile(r"(\s+[|\-–—·•»«:/~‹›]{1,2}\s+|\s*[|»]\s*|:\s+)")
_JOINT = re.compile(r"\s*[|–—·•»:~‹›(\[]|\s+-+\s")  # what may separate a heading from the rest of a title
_FOLDED = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W\d_]{4,}")
_MANUAL = re.compile(r"\b(?:documentation|docs|manual|wiki|forums?|handbook|reference|help cent(?:er|re))\b", re.I)


def clean_title(titles: Iterable[str], heading: str | None, site: str | None, url: str) -> str:
    """The title of a page without the name of the site; "" if there is none.

    It is the first of `titles` (best first) that has more than the name of the site; or `heading`, the text of the
    page's `h1`, if the titles do not name the page.
    """
    candidates = list(titles)
    heading = (heading or "").rstrip("¶#§ ")
    names = _site_names(site, url)
    if heading and _titles_miss_heading(candidates, heading, url):
        return heading
    for title in candidates:
        cleaned = _heading_in_title(title, heading, names) or _without_site(title, names)
        if _fold(cleaned) not in names:
            return cleaned
    return heading or next(iter(candidates), "")


def _titles_miss_heading(titles: list[str], heading: str, url: str) -> bool:
    """Whether the titles are not about the page: words of its heading are in its URL, and none in the titles."""
    words = _words(heading)
    shared = words & _words(unquote(urlsplit(url).path[:500]))
    return len(shared) >= min(2, len(words)) > 0 and not any(words & _words(title) for title in titles)


def _heading_in_title(title: str, heading: str, names: set[str]) -> str | None:
    """The heading, if it has at least four characters (two of Chinese), is not among the site's `names`, and the title
    is the heading or begins with it and a separator; else None."""
    if len(heading) < (2 if heading >= "\u2e80" else 4) or _fold(heading) in names:
        return None
    if not title.lower().startswith(heading.lower()):
        return None
    rest = title[len(heading) :]
    return heading if not rest or _JOINT.match(rest) else None


def _without_site(title: str, names: set[str]) -> str:
    """The title without parts at its ends that name the site, and parts at its end such as "Documentation". `names` are
    the names of the site as `_fold` returns them."""
    parts = _parts(title)
    while len(parts) > 1 and (_fold(parts[-1][1]) in names or _MANUAL.search(parts[-1][1])):
        parts.pop()
    while len(parts) > 1 and _fold(parts[0][1]) in names:
        parts.pop(0)
    return "".join(lead + text for lead, text in parts).removeprefix(parts[0][0] if parts else "").strip()


def _parts(title: str) -> list[tuple[str, str]]:
    """The parts of a title between separators such as " | ", each as (the separator before it, the part)."""
    pieces = _SEPARATOR.split(title)
    return [part for part in zip(["", *pieces[1::2]], pieces[::2], strict=True) if part[1].strip()]


def _site_names(site: str | None, url: str) -> set[str]:
    """The names of a site, as `_fold` returns them: its declared name and parts of it, its host, and the registered
    part of the host with and without the top-level domain."""
    host = domain_of(url)
    labels = host.split(".")
    names = {_fold(part) for part in (site or "", host, *_SEPARATOR.split(site or ""))}
    if len(labels) >= 2:
        owner = labels[-3] if len(labels) > 2 and len(labels[-2]) <= 3 else labels[-2]
        names |= {_fold(owner), _fold(owner + labels[-1])}
    return {name for name in names if name}


def _fold(text: str) -> str:
    """The letters and digits of a text, in lower case and without anything between them."""
    return _FOLDED.sub("", text.lower())


def _words(text: str) -> set[str]:
    """The different words of at least four letters, in lower case."""
    return {word.lower() for word in _WORD.findall(text)}
