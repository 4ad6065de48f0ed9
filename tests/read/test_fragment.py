"""Links that scroll to the words, in form and in a real browser."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mcp_web.read.fragment import fragment, quote_url
from mcp_web.read.html import to_html
from mcp_web.read.quote import verify
from mcp_web.render.chromium_flags import FEATURES_OFF

FILLER = "\n\n".join(f"Filler paragraph number {n} says nothing of note and fills the page." for n in range(60))
TARGETS = {
    "prose": "The *quick* brown-fox, they say, jumps over the [lazy dog](https://x.example) & then rests a while.",
    "short": "Only five words, here.",
    "list": "- first item of the second list\n- another item, with `code_like` words\n- the last item of all",
    "code": "```py\ndef answer(question: str) -> int:\n    return forty_two(question)\n```",
    "table": "| name of thing | value of thing |\n|---|---|\n| unusual row label | 17.25 percent |",
    "two paragraphs": "A paragraph that opens the passage with some words.\n\nAnd one that closes it in the end.",
    "repeated opening": "Filler paragraph number 3 says nothing of note and yet this one ends differently.",
    "cyrillic": "Это предложение написано по-русски, чтобы проверить кодирование ссылок в браузере.",
    "marks": "See `heap[0]` first; an [`IndexError`](https://x.example/#e) is *raised* when the **heap** is `None`.",
    "signs": "See `List<String> of` in [the guide](<https://x.example/(b)>) for $16 a copy, or $18 when *&lt;bound>*.",
    "address": "[Run](<https://x.example/?code=f(a(b(c)))>) the example in the playground of the language, if any.",
    "quotes": "“Don’t panic,” it said — in large, friendly letters (100% of the time).",
}
# Quotes as people write them, which begin and end inside the page's markup.
QUOTES = {
    "heap[0] first; an IndexError": "marks",
    "IndexError is raised": "marks",
    "raised when the heap is None": "marks",
    "first; an IndexError is raised when the heap is None.": "marks",
    "List<String> of in the guide": "signs",
    "guide for $16 a copy, or": "signs",
    "or $18 when <bound>": "signs",
    "quick brown-fox, they say": "prose",
    "over the lazy dog & then": "prose",
    "item, with code_like": "list",
    "answer(question: str)": "code",
    "row label": "table",
    "Run the example in": "address",
}
PAGE = FILLER + "".join(f"\n\n## About {name}\n\n{text}\n\n{FILLER}" for name, text in TARGETS.items())


def span(name: str) -> tuple[int, int]:
    if name in QUOTES:
        check = verify(PAGE, [name])[0]
        assert check.verdict in ("exact", "normalised")
        return check.spans[0]
    start = PAGE.index(TARGETS[name])
    return start, start + len(TARGETS[name])


def test_fragment_names_both_ends_and_escapes_what_has_meaning():
    found = quote_url("https://x.example/page#old", PAGE, *span("prose"))
    assert found.startswith("https://x.example/page#:~:text=The%20quick%20brown%2Dfox%2C%20they,")
    assert found.endswith("rests%20a%20while.")


def test_opening_that_stood_before_is_lengthened_or_prefixed():
    start = PAGE.rindex("Filler paragraph number 3 says nothing of note and fills")
    assert "-," in fragment(PAGE, start, start + 40)


def test_words_beside_footnotes_images_and_formulas_are_avoided():
    text = (
        "Before the note[^1] and ![img](i.png) an image with plain words after it, then $x^2$ is the end of all that."
    )
    assert fragment(text, 0, len(text)) == "text=Before%20the%20note,end%20of%20all%20that."


def test_part_of_a_sentence_is_named_by_the_words_that_the_page_shows():
    named = {quote: fragment(PAGE, *span(quote)) for quote in QUOTES}
    assert named["IndexError is raised"] == "text=IndexError%20is%20raised"
    assert [quote for quote, found in named.items() if any(mark in found for mark in ("%60", "%2A", "http"))] == []


def test_code_keeps_its_signs_in_part():
    code = "```py\nclass Keeper:\n    def __init__(self, *args, **kwargs): &amp;\n```\n"
    start = code.index("def")
    assert fragment(code, start, code.index(": &")) == "text=def%20__init__%28self%2C%20%2Aargs%2C%20%2A%2Akwargs%29"


def test_words_before_a_repeated_term_are_those_of_its_line():
    code = "```py\nuse(Question)\n# ...\ndef first(request, question):\n# ...\ndef second(request, question):\n```\n"
    start = code.rindex("question")
    assert fragment(code, start, start + 8) == "text=def%20second%28request%2C-,question"


def test_term_and_its_definition_are_apart_on_the_page():
    page = "Options of the command\n\n--auto\n-a\n: When combined with `run`, only the tasks that are due are run.\n"
    start = page.index("--auto")
    assert fragment(page, start, len(page)) == "text=%2D%2Dauto,are%20due%20are%20run."


def test_passage_that_begins_like_an_earlier_one_is_found_by_its_next_line():
    code = "```js\nconst x = require('x');\nx.first(1);\n```\n"
    page = f"{code}\n## Again\n\n{code.replace('first', 'second')}"
    start = page.rindex("const")
    assert fragment(page, start, len(page)) == "text=x.second%281%29%3B"


def test_sign_in_a_table_cell_is_not_a_bullet():
    page = "| change | time |\n|---|---|\n| new | + 1.4 to 2.1 ms |\n"
    start = page.index("+ 1.4")
    assert fragment(page, start, page.index(" |", start)) == "text=%2B%201.4%20to%202.1%20ms"


def test_passage_without_words_links_to_the_page():
    assert quote_url("https://x.example/", "---\n\n***\n", 0, 8) == "https://x.example/"


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    body = f"<!doctype html><meta charset=utf-8><title>t</title><body>{to_html(PAGE)}".encode()

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        log_message = functools.partialmethod(lambda *_: None)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.skipif(not shutil.which("chromium"), reason="no Chromium on this machine")
def test_chromium_scrolls_to_every_kind_of_passage(site):
    sync_api = pytest.importorskip("playwright.sync_api")
    missed = []
    with sync_api.sync_playwright() as play:
        flags = ["--no-sandbox", f"--disable-features={','.join(FEATURES_OFF)}"]
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page(viewport={"width": 900, "height": 500})
        for name, target in {**{name: name for name in TARGETS}, **QUOTES}.items():
            page.goto("about:blank")  # so that the next page is loaded from its beginning, not scrolled
            page.goto(quote_url(site, PAGE, *span(name)))
            seen = page.evaluate(
                """async name => {
                    const heading = [...document.querySelectorAll('h2')].find(h => h.textContent === 'About ' + name);
                    for (let n = 0; n < 100 && scrollY === 0; n++) await new Promise(requestAnimationFrame);
                    const box = heading.nextElementSibling.getBoundingClientRect();
                    return box.bottom > 0 && box.top < innerHeight;
                }""",
                target,
            )
            if not seen:
                missed.append((name, quote_url("", PAGE, *span(name))))
        browser.close()
    assert not missed


def test_a_backtick_in_another_item_does_not_hide_words():
    markdown = "- The ` key\n- Replace `<name>` with yours"
    start = markdown.index("Replace")
    assert fragment(markdown, start, len(markdown)) == "text=Replace%20%3Cname%3E%20with%20yours"


def test_half_a_surrogate_pair_is_linked_as_pages_show_it() -> None:
    assert fragment("Words of \ud83d a page.", 0, 40) == "text=Words%20of%20%EF%BF%BD%20a%20page."
