"""Threads, listings and products: every post, every item and every specification stays."""

from __future__ import annotations

import pytest
import turbohtml

from mcp_web.extract.html.blocks import Blocks, read_blocks
from mcp_web.extract.html.decide import decide
from mcp_web.extract.html.engine import read_html
from mcp_web.extract.html.features import PageFeatures
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import ExtractRequest, Fetched, PageKind

_MENU = (
    '<div class="header"><ul class="menu"><li><a href="/x">Forums</a></li><li><a href="/y">Members</a></li></ul></div>'
)
_FOOT = '<div class="footer"><ul><li><a href="/p">Privacy</a></li></ul><p>© 2026 Example</p></div>'


def read(title: str, body: str, head: str = "") -> str:
    html = f"<html><head><title>{title}</title>{head}</head><body>{_MENU}{body}{_FOOT}</body></html>"
    url = "https://example.org/x"
    page = Fetched(url, url, 200, (), html.encode(), "text/html", "utf-8", 0.0)
    markdown = read_html(page, ExtractRequest(), ExtractOptions()).markdown
    assert "Members" not in markdown
    assert "Privacy" not in markdown
    return markdown


def test_every_post_of_a_thread_stays_also_those_of_two_words() -> None:
    question = "I replaced the belt of my washing machine, and it still makes a noise when it spins, what could it be?"
    texts = [f"Post {n}: {question}" if n % 2 == 0 else f"Same here {n}." for n in range(10)]
    posts = "".join(
        f'<div class="post" id="p{n}"><div class="user"><a href="/u{n}">user{n}</a></div>'
        f'<div class="postbody"><p>{text}</p></div></div>'
        for n, text in enumerate(texts)
    )
    markdown = read("Noise - Forum", f'<div id="content"><h1>Noise</h1>{posts}</div>')
    assert all(text in markdown for text in texts)


def test_every_item_of_a_listing_stays_with_its_link_and_price() -> None:
    cards = "".join(
        f'<li class="card"><a href="/i{n}"><h3>Lamp {n}</h3></a><span class="price">€{n + 10}.00</span>'
        "<p>Brass lamp with a linen shade.</p></li>"
        for n in range(12)
    )
    markdown = read("Lamps", f'<main><h1>Lamps</h1><p>All lamps that we sell.</p><ul class="grid">{cards}</ul></main>')
    assert all(f"[Lamp {n}](https://example.org/i{n})" in markdown and f"€{n + 10}.00" in markdown for n in range(12))


def test_specifications_of_a_product_stay_in_tables_and_definition_lists() -> None:
    facts = {"Weight": "2.1 kg", "Height": "41 cm", "Material": "Brass", "Bulb": "E27"}
    table = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items())
    terms = "<dt>Cable</dt><dd>2 m</dd><dt>Voltage</dt><dd>230 V</dd>"
    text = "A lamp made of brass, with a linen shade in three colours. It stands on a heavy foot and does not tip over."
    markdown = read(
        "Lamp 7",
        f"<main><h1>Lamp 7</h1><p>{text}</p><h2>Specifications</h2><table>{table}</table>"
        f"<h2>Electrical data</h2><dl>{terms}</dl></main>",
        '<script type="application/ld+json">{"@type": "Product", "name": "Lamp 7"}</script>',
    )
    assert all(f"| {name} | {value} |" in markdown for name, value in facts.items())
    assert "Voltage\n: 230 V" in markdown


@pytest.mark.parametrize(("declared", "is_kept"), [(None, True), ("article", False)])
def test_doubtful_line_of_an_item_stays_with_its_item_except_on_a_declared_article(
    declared: PageKind | None, is_kept: bool
) -> None:
    cards = "".join(f"<div class=card><h3>Lamp {n}</h3><div>€{n + 10}.00</div><div>Brass</div></div>" for n in range(8))
    body = turbohtml.parse(f"<body><div class=grid>{cards}</div><div>Help and contact</div></body>").select_one("body")
    assert body is not None
    read = read_blocks(body)
    assert read is not None
    chances = [0.05 if block.text.startswith("Help") else 0.9 for block in read.blocks]
    doubtful = next(at for at, block in enumerate(read.blocks) if block.text == "€13.00")
    chances[doubtful] = 0.35
    kept, _ = decide(PageFeatures(read, declared=declared), chances)
    assert kept[doubtful] is is_kept
    assert kept[-1] is False


def test_list_whose_best_lines_are_likelier_than_the_rest_is_not_lost_with_them() -> None:
    items = "".join(f"<li>Walk number {n} around the lake</li>" for n in range(10))
    links = "".join(f"<div>Help and contact and many other words {n}</div>" for n in range(8))
    body = turbohtml.parse(f"<body><div><ul>{items}</ul></div>{links}</body>").select_one("body")
    assert body is not None
    read = read_blocks(body)
    assert read is not None
    chances = [0.55 if at < 4 else 0.2 if at < 10 else 0.02 for at in range(len(read.blocks))]
    kept, _ = decide(PageFeatures(read, declared="article"), chances)
    assert kept == [True] * 10 + [False] * 8


def _blocks(html: str) -> Blocks:
    body = turbohtml.parse(f"<body>{html}</body>").select_one("body")
    assert body is not None
    read = read_blocks(body)
    assert read is not None
    return read


def test_article_in_several_parts_stays_whole_and_the_next_article_goes() -> None:
    sentence = "The council decided on Tuesday that the old bridge over the river will be repaired by next summer."
    parts = [f"<div class=text><p>{sentence} Part {n}.</p>" + f"<p>{sentence} {n}.</p></div>" for n in range(8)]
    first = f"<div class=part><h1>The old bridge</h1>{''.join(parts[:2])}</div>"
    rest = "".join(f"<div class=part>{part}</div>" for part in parts[2:])
    after = f"<article><h2>Another story</h2><div class=text><p>{sentence} Another.</p></div></article>"
    read = _blocks(f"<article>{first}{rest}</article>{after}")
    kept, _ = decide(PageFeatures(read, "The old bridge", "article"), [0.9] * len(read.blocks))
    lost = [block.text for block, keep in zip(read.blocks, kept, strict=True) if not keep]
    assert lost == ["Another story", f"{sentence} Another."]


@pytest.mark.parametrize(
    ("declared", "chance", "is_kept"), [(None, 0.6, True), ("article", 0.9, True), ("article", 0.6, False)]
)
def test_sentence_in_a_heading_tag_stays_without_a_section_in_an_article_only_if_it_is_surely_content(
    declared: PageKind | None, chance: float, is_kept: bool
) -> None:
    lines = "".join(
        f"<p>We repair lamps of every maker and age, number {n}, in our shop in the old town.</p>" for n in range(8)
    )
    read = _blocks(
        f"<h1>Lamps</h1><h2>For more than forty years we have repaired lamps made of brass.</h2><div>Menu</div>{lines}"
    )
    chances = [{"Menu": 0.05, read.blocks[1].text: chance}.get(block.text, 0.9) for block in read.blocks]
    kept, _ = decide(PageFeatures(read, declared=declared), chances)
    assert kept[1] is is_kept


def test_headline_of_forty_chinese_characters_is_no_sentence_but_a_text_of_that_length_is() -> None:
    headline = "カタール、イスラエルとハマスに停戦合意の最終草案を示し交渉が活発になっている"
    read = _blocks(f"<p>{headline}</p><p>{headline}。</p>")
    assert [block.prose for block in read.blocks] == [0, len(headline) + 1]


@pytest.mark.parametrize(("sentences", "is_kept"), [(6, True), (1, False)])
def test_list_beside_a_paragraph_stays_among_sentences_and_goes_among_short_lines(
    sentences: int, is_kept: bool
) -> None:
    text = (
        "<p>The lamp has a shade of blown glass and stands on a foot that is made of one piece of oak.</p>" * sentences
    )
    lines = "".join(f"<div>Colour number {n} of the shade</div>" for n in range(12))
    items = "".join(f"<li>Delivery to country number {n}</li>" for n in range(3))
    body = turbohtml.parse(f"<body><div>{lines}{text}<ul>{items}</ul></div><div>Help</div></body>").select_one("body")
    assert body is not None
    read = read_blocks(body)
    assert read is not None
    chances = [0.9 if block.box.tag == "p" else 0.05 for block in read.blocks]
    kept, _ = decide(PageFeatures(read), chances)
    assert kept[-4:] == [is_kept] * 3 + [False]


@pytest.mark.parametrize(("cell", "is_kept"), [("{}", True), ("<a href=/{0}>{0}</a>", False)])
def test_data_table_between_kept_texts_stays_unless_it_is_a_table_of_links(cell: str, is_kept: bool) -> None:
    rows = "".join(f"<tr><td>{cell.format(f'-{name}')}<td>{cell.format(f'The {name} of it.')}" for name in "prta")
    before = "<div>The filter logs each message to a file of its own. It knows the following options:</div>"
    after = "<pre>#include &lt;sys/types.h&gt;\n#include &lt;sys/stat.h&gt; and many more lines of the program</pre>"
    read = _blocks(f"{before}<center><table>{rows}</table></center>{after}")
    chances = [0.3 if block.box.tag == "td" else 0.9 for block in read.blocks]
    kept, _ = decide(PageFeatures(read), chances)
    assert kept == [True, *[is_kept] * 8, True]


def test_summary_stays_with_the_text_that_it_opens() -> None:
    read = _blocks(
        "<p>Menu</p><p>Home</p><p>About</p><details><summary><b>Why?</b></summary><p>Because the kernel is new, and "
        "only a start loads the new one.</p></details><details><summary>Share</summary></details><p>Then start it.</p>"
    )
    chances = [0.95 if block.text[0] in "BT" else 0.05 for block in read.blocks]
    kept, _ = decide(PageFeatures(read), chances)
    assert [block.text[:8] for block, keep in zip(read.blocks, kept, strict=True) if keep] == [
        "Why?",
        "Because ",
        "Then sta",
    ]


def test_the_same_line_of_all_items_stays_or_goes_together() -> None:
    cards = "".join(f"<div class=card><h3>Chair {n}</h3><p>Oak</p><span>€{n}9.00</span></div>" for n in range(8))
    read = _blocks(f"<div class=menu>Filter by colour</div><div class=grid>{cards}</div><div class=end>Imprint</div>")
    prices = [at for at, block in enumerate(read.blocks) if block.text.startswith("€")]
    chances = [
        0.01 if "card" not in block.box.name + (block.box.parent or block.box).name else 0.6 for block in read.blocks
    ]
    for at in prices:
        chances[at] = 0.5
    chances[prices[3]] = 0.05
    kept, _ = decide(PageFeatures(read), chances)
    assert kept == [False, *[True] * 24, False]


def _kept(html: str, declared: PageKind | None = None) -> list[str]:
    """The texts that stay if the models are sure of all of them."""
    read = _blocks(html)
    kept, _ = decide(PageFeatures(read, declared=declared), [0.9] * len(read.blocks))
    return [block.text for block, keep in zip(read.blocks, kept, strict=True) if keep]


def _paragraphs(subject: str, count: int) -> list[str]:
    return [f"The {subject} number {n} stands on a foot that is made of one piece of old oak." for n in range(count)]


def test_text_that_is_on_the_page_again_for_narrow_screens_is_written_once() -> None:
    texts = ["Lamps", *_paragraphs("lamp", 4)]
    part = "<h2>Lamps</h2>" + "".join(f"<p>{text}</p>" for text in texts[1:])
    other = _paragraphs("chair", 3)
    between = "".join(f"<p>{text}</p>" for text in other)
    assert _kept(f"<div class=wide>{part}</div>{between}<div class=narrow><div>{part}</div></div>") == [*texts, *other]


def test_sentences_that_a_reference_repeats_under_each_heading_stay() -> None:
    errors = "".join(f"<dd>{text}</dd>" for text in _paragraphs("error", 3))
    methods = [f"<section><h3>method{n}</h3><p>{{}}</p><dl>{errors}</dl></section>" for n in range(4)]
    html = "".join(method.format("".join(_paragraphs(f"valve {n}", 12))) for n, method in enumerate(methods))
    assert _kept(html) == [block.text for block in _blocks(html).blocks]
    twice = f"<p>{_paragraphs('lamp', 1)[0]}</p>" * 8
    assert len(_kept(twice)) == 8


@pytest.mark.parametrize(("declared", "is_kept"), [("article", False), ("forum", True)])
def test_comments_below_an_article_go(declared: PageKind, is_kept: bool) -> None:
    story = _paragraphs("lamp", 6)
    rules = _paragraphs("rule", 3)
    below = "".join(f"<li>{text}</li>" for text in rules)
    html = "".join(f"<p>{text}</p>" for text in story) + f"<div class='story_comments row'><ol>{below}</ol></div>"
    assert _kept(html, declared) == [*story, *(rules if is_kept else [])]


def test_posts_that_are_called_comments_stay_on_a_thread_that_is_declared_an_article() -> None:
    posts = _paragraphs("post", 6)
    items = "".join(f"<li>{text}</li>" for text in posts)
    assert _kept(f"<p>{_paragraphs('lamp', 1)[0]}</p><ul class=comments>{items}</ul>", "article")[1:] == posts


def _decided(html: str, chances: dict[str, float], declared: PageKind | None = None) -> list[str]:
    """The texts that stay: `chances` are those of the texts that begin so, the others are 0.9."""
    read = _blocks(html)
    found = [next((chances[lead] for lead in chances if block.text.startswith(lead)), 0.9) for block in read.blocks]
    kept, _ = decide(PageFeatures(read, declared=declared), found)
    return [block.text for block, keep in zip(read.blocks, kept, strict=True) if keep]


@pytest.mark.parametrize("arrow", ["↩", "<svg></svg>"])
def test_footnotes_of_kept_text_stay_and_other_short_links_go(arrow: str) -> None:
    story = _paragraphs("lamp", 6)
    text = "".join(f"<p>{each}</p>" for each in story[1:])
    html = f"""<div><p>{story[0]}<sup><a id="r1" href="#n1">1</a></sup></p>{text}</div><div class="notes"><ol>
        <li id="n1"><p>The oak is from Denmark. <a href="#r1">{arrow}</a></p></li></ol></div>
        <div><p id="n2">Further lamps <a href="#top">↑</a></p></div>"""
    kept = _decided(html, {"The oak": 0.01, "Further": 0.01})
    assert any(text.startswith("The oak is from Denmark.") for text in kept)
    assert "Further lamps ↑" not in kept


def test_code_between_kept_texts_and_after_them_stays() -> None:
    story = _paragraphs("lamp", 6)
    text = "".join(f"<p>{each}</p>" for each in story)
    shown = "<div class=frame><pre>lamp(1)</pre></div>"
    table = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    low = {"lamp(1)": 0.01, "a": 0.01, "b": 0.01, "1": 0.01, "2": 0.01, "Try": 0.01}
    between = f"<main>{text}{shown}{table}<p>{story[0]}</p></main>"
    assert _decided(between, low) == [*story, "lamp(1)", "a", "b", "1", "2", story[0]]
    after = f"<main>{text}<blockquote><p>{story[0]}</p></blockquote>{shown}<h3>Questions</h3></main>"
    assert "lamp(1)" in _decided(after, low)
    outside = f"<main>{text}</main><div>{shown}</div><p>Try</p>"
    assert "lamp(1)" not in _decided(outside, low)


def test_teaser_inside_a_link_goes_from_an_article() -> None:
    story = _paragraphs("lamp", 6)
    teaser = _paragraphs("chair", 1)[0]
    html = "".join(f"<p>{each}</p>" for each in story)
    html += (
        f'<a href="/chair"><div>1 March</div><div>{teaser}</div></a><a href="/l.jpg"><figure>{story[0]}</figure></a>'
    )
    assert _kept(html, "article") == [*story, "1 March", story[0]]
    assert teaser in _kept(html)


def test_price_below_the_title_of_a_product_stays_and_that_of_another_item_does_not() -> None:
    story = "".join(f"<p>{each}</p>" for each in _paragraphs("lamp", 6))
    cards = "".join(f"<div class=card><h3>Lamp {n}</h3><p>In stock</p><p>€{n}.00</p></div>" for n in range(1, 5))
    low = {"€": 0.01, "Lamp": 0.01, "In stock": 0.01}
    assert "€249.00" in _decided(f"<main><h1>Oak lamp</h1><p>€249.00</p>{story}</main>", low)
    assert "€1.00" not in _decided(f"<main><h1>Oak lamp</h1>{cards}{story}</main>", low)


def test_lines_below_the_heading_of_specifications_stay_in_any_element() -> None:
    story = "".join(f"<p>{each}</p>" for each in _paragraphs("lamp", 6))
    rows = "".join(f"<div class=row><span>{name}</span><span>2</span></div>" for name in ("Weight", "Height", "Seats"))
    html = f"<main><h1>Oak lamp</h1>{story}<div><h2>Specifications</h2>{rows}<h2>Reviews</h2><p>None</p></div></main>"
    low = dict.fromkeys(("Specifications", "Weight", "Height", "Seats", "Reviews", "None"), 0.01)
    kept = _decided(html, low, "product")
    assert {"Specifications", "Weight2", "Height2", "Seats2"} <= set(kept)
    assert not {"Reviews", "None"} & set(kept)


def test_list_stays_beside_paragraphs_made_of_div_and_beside_other_lists() -> None:
    menu = "<div><a href=/>Home</a> <a href=/n>News</a></div>"
    links = "<ul><li><a href=/h>Opening hours</a></li><li><a href=/f>Form</a></li></ul>"
    html = f"{menu}<div><h2>Notice</h2><div>The office is closed on Friday.</div><div>See:</div>{links}</div><p>© A</p>"
    low = {"Opening": 0.01, "Form": 0.01, "Home": 0.01, "©": 0.01}
    assert _decided(html, low) == ["Notice", "The office is closed on Friday.", "See:", "Opening hours", "Form"]
    terms = "".join(f"<dt>Name {n}</dt><dd>A long value of this name, number {n}</dd>" for n in range(9))
    story = _paragraphs("lamp", 1)[0]
    html = f"{menu}<div><h2>Lamp</h2><p>{story}</p><dl>{terms}</dl><ul><li>Four legs</li><li>A shade</li></ul></div>"
    assert "Four legs" in _decided(html, {"Four": 0.01, "A shade": 0.01, "Home": 0.01})


def test_table_of_contents_goes_and_other_links_to_parts_of_the_page_stay() -> None:
    names = ("Feet", "Shades", "Bulbs")
    entries = "".join(f"<li><a href=#{name}>{name}</a><ul></ul></li>" for name in names)
    text = _paragraphs("lamp", 1)[0]
    sections = "".join(f"<h2 id={name}>{name}</h2><p>{text}</p>" for name in names)
    html = f"<h1>Lamps</h1><p>{_paragraphs('chair', 1)[0]}</p>{{}}{sections}"
    whole = _kept(html.format(""))
    assert _kept(html.format(f"<h3>Contents</h3><ul>{entries}</ul>")) == whole
    others = (
        "<ul><li><a href=#Feet>How to turn feet</a></li><li><a href=/b>Bulbs</a></li><li><a href=/o>Oak</a></li></ul>"
    )
    assert "How to turn feet" in _kept(html.format(others))
    assert len(_kept(html.format(others))) == len(whole) + 3
