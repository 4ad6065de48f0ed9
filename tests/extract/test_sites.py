"""Site configs: their format, where they are looked up, what they take from a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import turbohtml

from mcp_web.errors import InvalidInput, SelectorNotFound
from mcp_web.extract.css.names import PageNames
from mcp_web.extract.document import extract_document
from mcp_web.extract.options import ExtractOptions
from mcp_web.extract.site_check import check_siteconfig
from mcp_web.extract.sites import SiteConfig, explicit, fits, fitting, in_folder, packaged, parse_configs
from mcp_web.model.page import Document, ExtractRequest, Fetched

URL = "https://shop.example.org/things/17"
PAGE = """<html><head><title>Thing – Example Shop</title></head><body>
<div class="bar">Free shipping today only for members of the club</div>
<h1 class="name">The Thing</h1><span class="who">Ann Author</span><time class="when" datetime="2026-03-04">March</time>
<div class="blurb"><p>The thing is round and heavy, and it comes in three colours.</p>
<p class="ad">Buy two, get one for free.</p></div>
<a class="more" href="/things/18">Next thing</a></body></html>"""
CONFIG = """
id = "example-shop"
version = 3
kind = "product"
domains = ["example.org"]
body = ["//div[@class='blurb']"]
strip = [".ad"]
title = "h1.name"
author = ".who"
date = "time.when"
next_page = "a.more"
"""


def read(html: str, *, url: str = URL, folder: str = "", **request: object) -> Document:
    page = Fetched(url, url, 200, (), html.encode(), "text/html", "utf-8", 0.0)
    return extract_document(page, ExtractRequest(**request), ExtractOptions(site_configs=folder))  # type: ignore[arg-type]


def test_config_given_as_text_takes_body_title_author_date_and_next_page() -> None:
    document = read(PAGE, siteconfig=CONFIG)
    assert document.markdown == "The thing is round and heavy, and it comes in three colours."
    assert (document.title, document.metadata.author) == ("The Thing", "Ann Author")
    assert (document.metadata.published or "").startswith("2026-03-04")
    assert document.next_page == "https://shop.example.org/things/18"
    assert (document.siteconfig, document.kind) == ("example-shop@3", "product")


def test_config_in_the_users_folder_is_used_for_its_domain_and_its_subdomains(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(CONFIG.replace(".ad", "p.ad"))
    long = PAGE.replace("three colours.", "three colours. " + "It lasts for many years and needs no care. " * 5)
    assert read(long, folder=str(tmp_path)).siteconfig == "example-shop@3"
    assert read(long, url="https://example.com/x", folder=str(tmp_path)).siteconfig is None


def test_changed_file_in_the_users_folder_is_read_again(tmp_path: Path) -> None:
    import os

    path = tmp_path / "shop.toml"
    path.write_text(CONFIG)
    assert in_folder(str(tmp_path))[0].version == "3"
    path.write_text(CONFIG.replace("version = 3", "version = 4"))
    os.utime(path, ns=(1, 1))
    assert in_folder(str(tmp_path))[0].version == "4"


def test_users_config_wins_over_the_packaged_one(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'id = "mine"\nmarks = ["div.documentwrapper"]\nbody = ["#mine"]\n', encoding="utf-8"
    )
    text = "These words are here so that the body is long enough to be believed by the engine. " * 3
    page = f'<div class="documentwrapper"><div class="body" role="main">{text}<div id="mine">{text}</div></div></div>'
    assert read(page, folder=str(tmp_path)).siteconfig == "mine@1"
    assert (read(page).siteconfig or "").startswith("sphinx@")


@pytest.mark.parametrize(
    "rules",
    [
        'marks = [".bar", ".blurb"]',
        'generator = "shop"\nmarks = ".blurb"',
        'generator = "shop"\ndomains = "example.org"',
    ],
)
def test_config_that_fits_for_two_reasons_is_tried_once(rules: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(f'id = "mine"\nbody = "p"\n{rules}\n', encoding="utf-8")
    tree = turbohtml.parse(PAGE.replace("<head>", "<head><meta name=generator content='Shop 3'>"), positions=False)
    found = fitting(tree, URL, PageNames(tree).lowered, str(tmp_path))
    assert [config.id for config, own in found if own] == ["mine"]


def test_config_whose_body_is_not_on_the_page_is_an_error_only_when_asked_for() -> None:
    with pytest.raises(SelectorNotFound, match="example-shop@3"):
        read(PAGE.replace("blurb", "other"), siteconfig=CONFIG)


def test_unknown_id_names_the_known_ones() -> None:
    with pytest.raises(InvalidInput) as caught:
        explicit("no-such-config")
    assert "sphinx" in caught.value.suggestion


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id = ", "TOML"),
        ('body = ["p"]', "id"),
        ('id = "x"\nbdoy = "p"', "bdoy"),
        ('id = "x"\nbody = ["div["]', "div["),
        ('id = "x"\nbody = ["//div["]', "//div["),
        ('id = "x"\nbody = 7', "list of strings"),
        ('id = "x"\nkind = "poem"', "poem"),
        ("site = 3", "site"),
    ],
)
def test_wrong_config_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_configs(text)
    assert says in str(caught.value)


def test_packaged_configs_have_distinct_ids_and_all_find_a_body() -> None:
    ids = [config.id for config in packaged()]
    assert len(ids) == len(set(ids)) > 40
    assert all(config.body and (config.domains or config.generator or config.marks) for config in packaged())


def test_check_reports_what_each_rule_finds() -> None:
    report = check_siteconfig(CONFIG, PAGE, URL)
    assert not report.problems
    assert report.fits
    assert {(check.key, check.matches) for check in report.rules} >= {("body", 1), ("strip", 1), ("next_page", 1)}
    assert report.document is not None
    assert report.document.explain is not None
    assert "three colours" in report.document.markdown


def test_check_says_what_is_wrong() -> None:
    report = check_siteconfig(CONFIG.replace("blurb", "nothing"), PAGE, "https://elsewhere.net/")
    assert report.problems
    assert report.document is None
    assert any("body" in problem for problem in report.problems)
    assert any("domain" in problem for problem in report.problems)


def test_packaged_config_is_refused_where_it_finds_a_small_part_of_the_page() -> None:
    """A class that a generator uses, taken over by a page of another kind."""
    story = "".join(
        f"<p>Paragraph {n} of a long story, with commas, a verb and enough words to read.</p>" for n in range(30)
    )
    box = f'<div class="sl-markdown-content"><p>{"A note of the author on a page of another kind. " * 3}</p></div>'
    page = f"<html><title>Long story</title><body><div><h1>Long story</h1>{story}</div>{box}</body></html>"
    document = read(page)
    assert document.siteconfig is None
    assert "Paragraph 29" in document.markdown


def test_category_page_of_a_wiki_keeps_its_members() -> None:
    members = "".join(f'<li><a href="/wiki/{n}">Lighthouse number {n}</a></li>' for n in range(40))
    page = f"""<html><head><meta name="generator" content="MediaWiki 1.43"></head><body><div id="content">
        <h1 id="firstHeading">Category:Lighthouses</h1><div id="mw-content-text"><div class="mw-parser-output">
        <p>{"Lighthouses of the northern coast, in the order of their names. " * 3}</p></div>
        <div class="mw-category-generated"><h2>Pages in this category</h2><ul>{members}</ul></div></div></div></body>
        </html>"""
    document = read(page)
    assert document.siteconfig == "mediawiki@3"
    assert document.markdown.count("Lighthouse number") == 40


_STORY = "".join(
    f"<p>Paragraph {n} of a long story, with commas, a verb and enough words to read.</p>" for n in range(30)
)
_NOTE = f"<p>{'A note of the author on a page of another kind. ' * 3}</p>"


def element_for(selector: str, inside: str) -> str:
    """HTML in which a selector of a packaged config finds an element, with what stands inside it."""
    parts = re.split(r"\s*([>+~]|\s)\s*", selector.partition(",")[0].strip())
    html = inside
    for at in range(len(parts) - 1, -1, -2):
        html = f"{_open(parts[at])}{html}</{_tag(parts[at])}>"
        if at and parts[at - 1] in "+~":
            html = f"{_open(parts[at - 2])}</{_tag(parts[at - 2])}>{html}"
            del parts[at - 2 : at]
            return element_for(" > ".join(parts[: at - 2 : 2]), html) if at > 2 else html
    return html


def _tag(compound: str) -> str:
    named = re.match(r"[a-z]\w*(?:-\w+)*", compound)
    return named[0] if named and named[0] != "body" else "div"


def _open(compound: str) -> str:
    classes = re.findall(r"\.([\w-]+)", compound.partition("[")[0])
    ids = re.findall(r"#([\w-]+)", compound.partition("[")[0])
    others = re.findall(r"\[([\w-]+)(?:[$^*]?=['\"]?([^\]'\"]*))?", compound)
    attributes = "".join(f' {name}="{value}"' for name, value in others)
    attributes += f' class="{" ".join(classes)}"' if classes else ""
    return f"<{_tag(compound)}{attributes}{f' id={ids[0]}' if ids else ''}>"


@pytest.mark.parametrize("config", packaged(), ids=lambda config: config.id)
def test_config_takes_nothing_from_a_page_that_only_carries_its_marks(config: SiteConfig) -> None:
    url = f"https://{config.domains[0].rstrip('/')}/x" if config.domains else URL
    generator = f'<meta name="generator" content="{config.generator[0]} 99">' if config.generator else ""
    marks = [] if generator else [element_for(config.marks[0], _NOTE)] if config.marks else []
    first = next((body for body in config.body if not body.startswith("body")), "")
    notes = "".join((*marks, element_for(first, _NOTE) if first else ""))
    head = f"<head><title>Long story</title>{generator}</head>"
    page = f"<html>{head}<body><div><h1>Long story</h1>{_STORY}</div>{notes}</body></html>"
    if not any(mark.startswith("body") for mark in config.marks[:1]) or generator:
        assert fits(config, turbohtml.parse(page), url)
    assert all(f"Paragraph {n} of" in read(page, url=url).markdown for n in range(30))
