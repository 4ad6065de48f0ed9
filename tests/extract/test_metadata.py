"""The facts about a page: what is read from where, and what is not believed."""

from __future__ import annotations

import json

import pytest
from turbohtml import parse

from mcp_web.extract.metadata import read_metadata
from mcp_web.model.page import Metadata
from mcp_web.text.dates import date_in_url, read_date

URL = "https://www.example.org/blog/post"


def facts(head: str, body: str = "", url: str = URL, headers: tuple[tuple[str, str], ...] = ()) -> Metadata:
    return read_metadata(parse(f"<html lang=en_us><head>{head}</head><body>{body}</body></html>"), url, headers)[1]


def title(head: str, body: str = "", url: str = URL) -> str:
    return read_metadata(parse(f"<head>{head}</head><body>{body}</body>"), url, ())[0]


def test_title_loses_the_declared_site_name() -> None:
    assert title("<title>How to sleep | Sleepy Times</title><meta property=og:site_name content='Sleepy Times'>") == (
        "How to sleep"
    )


def test_title_loses_the_name_of_the_host() -> None:
    assert title("<title>Example - A day in May</title>") == "A day in May"


def test_title_keeps_a_dash_that_belongs_to_it() -> None:
    assert title("<title>Rust - a language for the next forty years</title>") == (
        "Rust - a language for the next forty years"
    )


def test_title_that_begins_with_the_heading_is_the_heading() -> None:
    head = "<title>Quickstart — Flask Documentation (3.1.x)</title>"
    assert title(head, "<h1>Quickstart<a href=#q>¶</a></h1>") == "Quickstart"


def test_chinese_heading_of_three_characters_is_the_title() -> None:
    assert title("<title>潮汐表 | 海</title>", "<h1>潮汐表</h1>") == "潮汐表"
    assert title("<title>Map | Sea charts</title>", "<h1>Map</h1>") == "Map | Sea charts"


def test_site_slogan_gives_way_to_the_heading_that_the_address_names() -> None:
    head = "<meta property=og:title content='The heart of the internet'>"
    assert title(head, "<h1>Enameled pans and metal</h1>", "https://x.org/r/enameled_pans_and_metal/") == (
        "Enameled pans and metal"
    )


def test_title_of_a_page_without_h1_is_the_shown_one_that_begins_it() -> None:
    head = "<title>Tide tables | Keep Theme</title>"
    assert title(head, "<div class=site-title>Keep</div><div class=post-title> Tide tables </div>") == "Tide tables"
    assert title(head, "<div class=post-title>Other</div>") == "Tide tables | Keep Theme"


def test_page_without_title_uses_its_heading() -> None:
    assert title("", "<h1>Only a heading</h1>") == "Only a heading"


def test_meta_tags_give_author_dates_site_and_description() -> None:
    found = facts(
        "<meta name=author content='By Ada Lovelace'>"
        "<meta property=article:published_time content='2024-05-31T08:00:00Z'>"
        "<meta property=article:modified_time content='2024-06-01'>"
        "<meta property=og:site_name content=Engine><meta name=description content='  About   engines '>"
        "<link rel=canonical href='/canonical'>",
        headers=(("content-type", "text/html; charset=utf-8"),),
    )
    assert found.author == "Ada Lovelace"
    assert (found.published, found.modified) == ("2024-05-31T08:00:00+00:00", "2024-06-01")
    assert (found.site_name, found.description, found.language) == ("Engine", "About engines", "en-US")
    assert found.canonical_url == "https://www.example.org/canonical"
    assert found.content_type == "text/html"


def test_json_ld_graph_with_raw_line_breaks_and_a_last_comma_is_read() -> None:
    block = """<script type="application/ld+json">{"@graph": [{"@type": "WebSite", "name": "The Site"},
      {"@type": "NewsArticle", "headline": "H", "description": "two
lines", "datePublished": "2023-01-02", "author": [{"name": "A B"}, {"name": "C D"}], "articleBody": "long",},]}
      </script>"""
    found = facts(block)
    assert (found.author, found.published, found.site_name) == ("A B, C D", "2023-01-02", "The Site")
    article = found.structured_data[1]["data"]
    assert article["headline"] == "H"
    assert "articleBody" not in article


def test_microdata_is_read_as_structured_data() -> None:
    found = facts(
        "",
        '<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Lamp</b>'
        '<div itemprop=offers itemscope itemtype="https://schema.org/Offer"><i itemprop=price>9</i></div></div>',
    )
    data = found.structured_data[0]
    assert data["format"] == "microdata"
    assert data["data"]["name"] == "Lamp"
    assert data["data"]["offers"]["price"] == "9"


def test_structured_data_is_bounded_in_size_and_depth() -> None:
    deep: object = "x"
    for _ in range(50):
        deep = {"@type": "Thing", "in": deep, "text": "y" * 100_000, "list": ["z" * 5000] * 500}
    block = f'<script type="application/ld+json">{json.dumps(deep)[:400_000]}</script>'
    fine = '<script type="application/ld+json">{"@type": "Article", "headline": "kept"}</script>' * 300
    found = facts(block + fine + '<script type="application/ld+json">' + "[" * 100_000 + "</script>")
    assert len(json.dumps(found.structured_data)) < 25_000
    assert any(entry["data"].get("headline") == "kept" for entry in found.structured_data)


def test_date_of_a_review_is_not_the_date_of_the_product_page() -> None:
    nodes = [{"@type": "Product", "name": "P"}, {"@type": "Review", "datePublished": "2020-01-01"}]
    block = f'<script type="application/ld+json">{json.dumps(nodes)}'
    assert facts(block + "</script>").published is None


def test_date_is_taken_from_the_address_when_nothing_else_says_one() -> None:
    assert facts("", url="https://example.org/2021/04/09/title").published == "2021-04-09"


def test_only_time_of_the_article_is_its_date_and_many_times_are_none() -> None:
    one = "<article><time datetime=2020-02-03>3 Feb</time></article>"
    assert facts("", one).published == "2020-02-03"
    assert facts("", one + "<main><time datetime=2021-02-03>x</time></main>").published is None


def test_canonical_that_is_no_web_address_is_left_out() -> None:
    assert facts("<link rel=canonical href='javascript:alert(1)'>").canonical_url is None


def test_byline_of_many_comments_is_nobody() -> None:
    assert facts("", "<a rel=author href=#>X Y</a>" * 5).author is None


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-05-31", "2024-05-31"),
        ("2024-05-31 08:09", "2024-05-31T08:09:00"),
        ("2024-05-31T08:09:10.123+0200", "2024-05-31T08:09:10+02:00"),
        ("Fri, 31 May 2024 08:09:10 GMT", "2024-05-31T08:09:10+00:00"),
        ("May 31st, 2024", "2024-05-31"),
        ("Published on 31 May 2024 by X", "2024-05-31"),
        ("31. März 2024", "2024-03-31"),
        ("31 de mayo de 2024", "2024-05-31"),
        ("31.05.2024", "2024-05-31"),
        ("2024年5月31日", "2024-05-31"),
        ("20240531", "2024-05-31"),
        ("31/05/2024", "2024-05-31"),
        ("05/31/2024", "2024-05-31"),
        ("05/06/2024", None),
        ("2024-13-45", None),
        ("yesterday", None),
        ("0001-01-01T00:00:00", None),
        ("", None),
    ],
)
def test_dates_as_pages_write_them(written: str, read: str | None) -> None:
    assert read_date(written) == read


def test_year_and_month_in_an_address_are_no_date() -> None:
    assert date_in_url("https://x.org/2024/05/title") is None


def test_the_citation_tags_of_a_paper_become_a_bibliographic_item() -> None:
    tags = {
        "citation_title": "How fast is a tortoise",
        "citation_journal_title": "Journal of Speed",
        "citation_volume": "12",
        "citation_issue": "3",
        "citation_firstpage": "45",
        "citation_lastpage": "67",
        "citation_doi": "10.5555/tortoise.1",
        "citation_publication_date": "2024/03/05",
    }
    metas = "".join(f'<meta name="{name}" content="{value}">' for name, value in tags.items())
    names = '<meta name="citation_author" content="Hare, Ada"><meta name="citation_author" content="Bo Shell">'
    tree = parse(f"<html><head><title>x</title>{metas}{names}</head><body><p>Text</p></body></html>")
    (entry,) = (one for one in read_metadata(tree, "https://a.example/")[1].structured_data if one["format"] == "csl")
    assert entry["data"] == {
        "type": "article-journal",
        "title": "How fast is a tortoise",
        "author": [{"family": "Hare", "given": "Ada"}, {"family": "Shell", "given": "Bo"}],
        "container-title": "Journal of Speed",
        "volume": "12",
        "issue": "3",
        "page": "45-67",
        "issued": {"date-parts": [[2024, 3, 5]]},
        "DOI": "10.5555/tortoise.1",
    }


def test_a_citation_date_that_is_no_number_is_left_out() -> None:
    found = facts("<meta name=citation_title content=T><meta name=citation_doi content=10.1/x>"
                  "<meta name=citation_date content='2024-²'>")  # fmt: skip
    assert found.structured_data[0]["data"]["issued"] == {"date-parts": [[2024]]}
