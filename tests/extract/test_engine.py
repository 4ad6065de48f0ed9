"""The HTML engine: what it chooses, what callers can ask of it, how it explains itself."""

from __future__ import annotations

import json

import pytest

from mcp_web.errors import InvalidInput, SelectorNotFound
from mcp_web.extract.html.engine import read_html
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched

URL = "https://news.example.org/2026/03/a-story"
_SENTENCES = (
    "The council met on Tuesday evening, and after three hours of debate it agreed to rebuild the old bridge.",
    "Engineers had warned for years that the western pillar, which dates from 1911, was losing ground to the river.",
    "Work is to begin in September, said the mayor, who added that ferries would run every ten minutes until then.",
    "Shopkeepers on the eastern bank fear for their trade, while commuters mostly welcome the decision.",
)
ARTICLE = f"""<!doctype html><html lang="en"><head><title>Old bridge to be rebuilt | Example News</title></head><body>
<header><a href="/">Example News</a></header><nav><a href="/a">World</a><a href="/b">Sport</a></nav>
<div class="cookie-banner"><p>We use cookies to improve your experience on our site. Accept all cookies?</p></div>
<main><article><h1>Old bridge to be rebuilt</h1><p class="byline">By Ann Author</p>
{"".join(f"<p>{sentence}</p>" for sentence in _SENTENCES)}
<h2>What it costs</h2><p>{_SENTENCES[0]} The <a href="/budget">budget</a> names eleven million.</p>
<div class="share"><a href="#">Share</a> <a href="#">Tweet</a></div></article>
<aside class="related"><h3>Related stories</h3><ul><li><a href="/1">Ferry late again</a></li>
<li><a href="/2">Mayor opens school</a></li><li><a href="/3">River rises</a></li></ul></aside></main>
<footer>© 2026 Example News. All rights reserved.</footer></body></html>"""


def read(html: str | bytes, url: str = URL, **request: object) -> Document:
    body = html.encode() if isinstance(html, str) else html
    charset = "utf-8" if isinstance(html, str) else None
    page = Fetched(url, url, 200, (), body, "text/html", charset, 0.0)
    return read_html(page, ExtractRequest(**request), ExtractOptions())  # type: ignore[arg-type]


def test_article_comes_without_the_page_around_it() -> None:
    document = read(ARTICLE)
    for sentence in _SENTENCES:
        assert sentence in document.markdown
    for chrome in ("cookies", "Sport", "Tweet", "Ferry late", "All rights reserved"):
        assert chrome not in document.markdown
    assert "## What it costs" in document.markdown
    assert "[budget](https://news.example.org/budget)" in document.markdown
    assert document.title == "Old bridge to be rebuilt"
    assert document.kind == "article"
    assert document.extractor.startswith("mcp-web@")


def test_selector_gives_just_that_part() -> None:
    assert read(ARTICLE, selector="aside li:first-child").markdown.strip("- ").startswith("[Ferry late again]")


def test_missed_selector_is_an_error_that_names_it_and_what_the_page_offers() -> None:
    with pytest.raises(SelectorNotFound) as caught:
        read(ARTICLE, selector=".infobox")
    assert ".infobox" in caught.value.message
    assert "article" in caught.value.suggestion


def test_invalid_selector_is_the_callers_mistake() -> None:
    with pytest.raises(InvalidInput, match=r"div\["):
        read(ARTICLE, selector="div[")


def test_nested_matches_are_written_once() -> None:
    document = read("<div><p>one <span>two</span></p><div><p>three</p></div></div>", selector="div")
    assert document.markdown.count("three") == 1


def test_explain_tells_candidates_scores_and_removals_as_plain_json() -> None:
    explained = read(ARTICLE, explain=True).explain
    assert explained is not None
    assert json.loads(json.dumps(explained)) == explained
    assert explained["method"] == "blocks"
    assert explained["candidates"][0]["score"] > 0.5
    assert any("Ferry" in entry["text"] for entry in explained["removed"])
    assert read(ARTICLE).explain is None


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<nav></nav><main><p>…</p></main>", "no text to score"),
        ("<div><p>A line of text.</p></div>" * 12_001, "too many elements to score one by one"),
    ],
    ids=["empty", "large"],
)
def test_explain_says_why_a_page_was_not_scored(page: str, reason: str) -> None:
    explained = read(page, explain=True).explain
    assert explained is not None
    assert (explained["method"], explained["reason"]) == ("rules", reason)


def test_explain_of_a_known_generator_names_the_rules() -> None:
    text = "<p>The module offers a small set of functions for reading and writing such files.</p>" * 3
    head = '<h1>Mod<a class="headerlink">¶</a></h1>'
    page = f'<div class="documentwrapper"><div class="body" role="main">{head}{text}</div></div>'
    explained = read(page, explain=True).explain
    assert explained is not None
    assert explained["siteconfig"].startswith("sphinx@")
    assert {"rule": ".headerlink", "elements": 1} in explained["removed"]


def test_declared_encoding_is_believed() -> None:
    page = '<meta charset="windows-1251"><p>Привет, мир: это довольно длинное предложение.</p>'.encode("cp1251")
    assert "Привет, мир" in read(page).markdown


def test_page_that_is_only_a_list_of_links_keeps_them() -> None:
    items = "".join(f'<li><a href="/paper/{n}">Paper number {n} on bridges and rivers</a></li>' for n in range(30))
    document = read(f"<title>Papers</title><nav>Home</nav><main><h1>Papers</h1><ul>{items}</ul></main>")
    assert document.markdown.count("Paper number") == 30


def test_table_is_kept_whole() -> None:
    rows = "".join(f"<tr><td>Pillar {n}</td><td>{n * 3} m</td><td>19{n}1</td></tr>" for n in range(10, 20))
    table = f"<table><tr><th>Part</th><th>Height</th><th>Built</th></tr>{rows}</table>"
    document = read(ARTICLE.replace("<h2>", f"{table}<h2>"))
    assert document.markdown.count("| Pillar") == 10


def test_small_page_is_kept_whole() -> None:
    page = "<main><h1>Inspected</h1><p>The official client read this page.</p></main>"
    assert read(page).markdown.strip() == "# Inspected\n\nThe official client read this page."


def test_title_over_the_text_of_a_short_page_stays() -> None:
    text = "".join(f"<p>{sentence}</p>" for sentence in _SENTENCES[:6])
    assert "# Notes" in read(f"<main><h1>Notes</h1>{text}</main>").markdown


def test_title_above_the_first_section_stays() -> None:
    parts = "".join(f'<h2>Part {at}</h2><p><a href="/{at}">A link</a> and {_SENTENCES[at % 4]}</p>' for at in range(9))
    assert read(f"<title>Many</title><main><h1>Many</h1>{parts}</main>").markdown.startswith("# Many\n\n## Part 0")


def test_page_without_text_gives_an_empty_document() -> None:
    assert read("<html><head><title>x</title></head><body><div id=root></div></body></html>").markdown == ""
    assert read(b"").markdown == ""


def test_same_page_gives_the_same_document() -> None:
    assert read(ARTICLE, explain=True) == read(ARTICLE, explain=True)


def test_formatting_elements_that_pile_up_do_not_blow_up_the_tree() -> None:
    pile = "".join(f"<font color={n}><p>" for n in range(5_000))
    document = read(f"<body>{pile}<p>{_SENTENCES[0]}</p><p>{_SENTENCES[1]}</p></body>")
    assert _SENTENCES[0] in document.markdown


def test_deep_nesting_keeps_the_text() -> None:
    assert _SENTENCES[2] in read("<div>" * 110_000 + f"<p>{_SENTENCES[2]}</p>").markdown


def test_page_with_too_many_boxes_is_read_by_rules_and_says_where_it_was_cut() -> None:
    document = read("<main>" + "<p>A line of a long machine-made list</p>" * 110_000 + "</main>", explain=True)
    assert document.explain is not None
    assert document.explain["method"] == "rules"
    assert any("elements" in note for note in document.notes)
    assert 90_000 < document.markdown.count("machine-made") <= 110_000


def test_thousands_of_attributes_are_survived() -> None:
    attributes = " ".join(f"a{n}=1" for n in range(50_000))
    assert _SENTENCES[3] in read(f"<div {attributes}><p>{_SENTENCES[3]}</p></div>").markdown


def _short_page(body: str) -> str:
    links = '<a href="/">Home</a><a href="/about">About</a>'
    foot = '<ul><li><a href="/p">Privacy</a></li><li><a href="/t">Terms</a></li></ul>'
    return f"<html><title>Tools</title><body><nav>{links}</nav>{body}<footer>{foot}</footer></body></html>"


@pytest.mark.parametrize("frame", ["<main>{}</main>", '<div id="content">{}</div>', "{}"])
def test_short_list_of_links_between_paragraphs_stays_with_its_heading(frame: str) -> None:
    lines = "<li><a href='/1'>Ann Actor</a></li><li><a href='/2'>Ben Player</a></li>"
    text = f"<h1>The film</h1><p>{_SENTENCES[0]}</p><h2>Cast</h2><ul>{lines}</ul><h2>Plot</h2><p>{_SENTENCES[1]}</p>"
    markdown = read(_short_page(frame.format(text))).markdown
    assert "## Cast\n\n- [Ann Actor](" in markdown
    assert "Ben Player" in markdown
    assert "Privacy" not in markdown


def test_two_paragraphs_and_three_links_are_kept_whole() -> None:
    lines = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("Editor", "Formatter", "Checker"))
    markdown = read(
        _short_page(f"<main><h1>Tools</h1><p>{_SENTENCES[0]}</p><p>{_SENTENCES[1]}</p><ul>{lines}</ul></main>")
    )
    assert all(name in markdown.markdown for name in ("# Tools", "Editor", "Formatter", "Checker"))


def test_list_under_a_heading_for_related_stories_goes() -> None:
    lines = "".join(f"<li><a href='/{n}'>Another story about number {n}</a></li>" for n in range(5))
    story = "".join(f"<p>{sentence}</p>" for sentence in _SENTENCES)
    markdown = read(_short_page(f"<main><h1>Tools</h1>{story}<h2>Related stories</h2><ul>{lines}</ul></main>")).markdown
    assert _SENTENCES[3] in markdown
    assert "Another story" not in markdown


def test_large_table_with_lists_in_its_cells_is_not_torn() -> None:
    cell = "<ul><li><a href='/a'>alpha</a></li><li><a href='/b'>beta</a></li></ul>"
    rows = "".join(f"<tr><td>Row {n}</td><td>{n * 7}</td><td>{cell}</td><td>n/a</td></tr>" for n in range(40))
    head = "<tr><th>Name</th><th>Value</th><th>Links</th><th>Note</th></tr>"
    story = "".join(f"<p>{sentence}</p>" for sentence in _SENTENCES)
    page = f"<html><title>Figures</title><body><h1>Figures</h1>{story}<table>{head}{rows}</table></body></html>"
    lines = [line for line in read(page).markdown.splitlines() if line.startswith("| Row ")]
    assert len(lines) == 40
    assert all(line.count("|") == 5 and "alpha" in line and "n/a" in line for line in lines)


def test_further_stories_below_a_declared_article_go() -> None:
    others = "".join(
        f"<article class='post'><h2>Story {n}</h2><p>Story {n} begins. {_SENTENCES[n % 4]}</p></article>"
        for n in range(6)
    )
    text = "".join(f"<p>{sentence}</p>" for sentence in _SENTENCES)
    page = f"""<html><head><title>Old bridge to be rebuilt - Example News</title>
        <script type="application/ld+json">{{"@type": "NewsArticle", "headline": "Old bridge to be rebuilt"}}</script>
        </head><body><div id="page"><article class="single"><h1>Old bridge to be rebuilt</h1>{text}</article>
        {others}</div></body></html>"""
    markdown = read(page).markdown
    assert all(sentence in markdown for sentence in _SENTENCES)
    assert "Story 3" not in markdown


def test_text_of_an_open_dialog_stays_and_that_of_a_closed_one_goes() -> None:
    text = "".join(f"<p>{sentence}</p>" for sentence in _SENTENCES)
    closed = "<dialog>Closed words that nobody sees yet.</dialog>"
    markdown = read(f"<html><title>Notice</title><body><dialog open>{text}</dialog>{closed}</body></html>").markdown
    assert all(sentence in markdown for sentence in _SENTENCES)
    assert "Closed words" not in markdown


def test_page_that_shows_nothing_but_a_dialog_is_read_without_what_is_hidden_in_it() -> None:
    story = "".join(f"<p>{sentence}</p>" for sentence in _SENTENCES)
    secret = "<p style='display:none'>Secret words</p>"
    for dialog in (
        f"<div role=dialog>{story}{secret}</div>",
        f"<i role=dialog><b role=alertdialog>{story}{secret}</b></i>",
    ):
        document = read(f"<header>Example News</header><nav><a href='/a'>World</a></nav>{dialog}<footer>2026</footer>")
        assert all(sentence in document.markdown for sentence in _SENTENCES)
        assert "Secret" not in document.markdown
    assert read(f"<div role=dialog style='display:none'>{story}</div>").markdown == ""
    for head in ("", f"<script>{'let a = 1;' * 1000}</script>"):
        main = f"<main><h1>Bridge</h1>{story}</main>"
        beside = read(f"{head}<body>{main}<div role=dialog><p>{'Accept our cookies. ' * 100}</p></div>")
        assert "cookies" not in beside.markdown
    shell = read(
        f"<div id=root></div><div role=dialog><p>{'Accept our cookies. ' * 100}</p></div><script src=a.js></script>"
    )
    assert shell.markdown == "", "so that a browser opens it"


def test_short_page_keeps_its_list_of_links() -> None:
    links = "".join(f"<li><a href=/{name}>{name}</a>" for name in ("Alpha", "Beta", "Gamma"))
    html = f"<title>Notes</title><h1>Notes</h1><p>A short text.</p><p>Another one, also short.</p><ul>{links}</ul>"
    assert [link.text for link in read(html).links] == ["Alpha", "Beta", "Gamma"]


def test_thread_keeps_every_post_however_short_with_its_author() -> None:
    first = "After the update my machine does not boot any more. It shows a black screen."
    texts = [
        first,
        "Same here.",
        "+1",
        "Did you try the old kernel?",
        "Yes, that works!",
        "Graphics driver.",
        "Solved.",
    ]
    posts = "".join(
        f"<div class=post><div class=post-head><a href=/u/{n}>user{n}</a> 12 May 2026, 10:0{n}</div>"
        f"<div class=post-body><p>{text}</p></div></div>"
        for n, text in enumerate(texts)
    )
    markdown = read(
        f"<title>Forum</title><nav>Index</nav><h1>Cannot boot</h1>{posts}<footer>ForumSoft</footer>"
    ).markdown
    assert [text for text in texts if text not in markdown] == []
    assert [n for n in range(len(texts)) if f"user{n}" not in markdown] == []


def test_product_keeps_its_specifications() -> None:
    data = '{"@type": "Product", "name": "Trail Mug", "description": "A steel mug for long walks."}'
    html = (
        f"<title>Trail Mug – Shop</title><script type=application/ld+json>{data}</script><nav>Shop Cart</nav>"
        "<div class=product><h1>Trail Mug</h1><div class=price>€19.00</div><div class=description><p>A steel mug for "
        "long walks. It keeps tea warm for three hours.</p></div><h2>Specifications</h2><table><tr><th>Volume<td>400 ml"
        "<tr><th>Weight<td>180 g<tr><th>Material<td>Steel</table></div><div class=related><h2>You may also like</h2>"
        + "".join(f"<div class=card><a href=/{n}><h3>Bottle {n}</h3></a><b>€{n}2.00</b></div>" for n in range(1, 7))
        + "</div><footer>Imprint</footer>"
    )
    markdown = read(html).markdown
    assert "| Weight | 180 g |" in markdown
    assert "Bottle" not in markdown


def test_selectors_that_are_offered_are_valid() -> None:
    with pytest.raises(SelectorNotFound) as caught:
        read(
            f"<div id=2024><p>{'word ' * 60}</p></div><section id=part-1><p>{'word ' * 60}</p></section>", selector="b"
        )
    assert caught.value.details["offers"] == ["section#part-1"]
