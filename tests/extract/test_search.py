"""Selectors are evaluated as the parser library does, with a number of tests that grows with the page alone."""

from __future__ import annotations

import random

import pytest
import turbohtml

from mcp_web.extract.css.effort import MOST_STEPS, Effort, TooComplex
from mcp_web.extract.css.search import Search

SELECTORS = (
    "div:has(.b)", "p:has(> .a)", "p:has(+ .c)", ".a:has(~ .b) i", "div:has(.a .b) > p", "div:has(> p > i) ~ p",
    "p:not(:has(i))", ":is(.a:has(i), .b) .c", "p:not(.a):has(i, .c) + p", "div:has(p:not(:has(.a)))",
    ".c:has(.a + .b)",
    "div:has(.a:nth-child(2)) > :last-child", ":where(div:has(> .c)) .a ~ .b", "p:has([class='a,b'], i)", "p:has(",
    "i:has(> *):not(:has(> .c))", "div  >  p:has(  i  )", "p:HAS(.a)", ":has(.b) :has(i)",
    "p:has(.a):nth-last-child(2n)",
)  # fmt: skip


def random_page(chance: random.Random, size: int) -> str:
    parts = []
    for _ in range(size):
        name = chance.choice(("div", "div", "p", "i"))
        parts.append(f"<{name} class={chance.choice('abcd')}>" if chance.random() < 0.6 else f"x</{name}><!-- -->")
    return "".join(parts)


@pytest.mark.parametrize("selector", SELECTORS)
def test_the_same_elements_are_found_as_by_the_library(selector: str) -> None:
    chance = random.Random(5)
    found = 0
    for _ in range(30):
        tree = turbohtml.parse(random_page(chance, 60))
        try:
            expected = set(tree.select(selector))
        except ValueError:
            expected = set()
        assert set(Search(tree, Effort()).select(selector)) == expected
        found += len(expected)
    assert found or selector == "p:has("


@pytest.mark.parametrize(
    "selector",
    [
        "p.b:nth-last-child({})", "p.b:nth-child({} of .b)", "p.b:nth-last-of-type({})", ".c ~ p.b:not(.x{})",
        "main:has(.b:nth-child({})) p.b", "p.b:has(~ .c):not(.x{})", "*:has(.c) p.b:not(.x{})", ".b + .b:not(.x{})",
    ],
)  # fmt: skip
def test_many_siblings_and_rules_stay_within_what_is_done_for_a_page(selector: str) -> None:
    def steps(siblings: int) -> float:
        tree = turbohtml.parse("<main>" + "<p class=b>x</p>" * siblings + "<i class=c></i></main>")
        effort = Effort()
        search = Search(tree, effort)
        elements = tree.select("p")
        for number in range(50):
            for element in elements:
                search.matches(element, selector.format(number))
        return effort.steps

    few, many = steps(100), steps(1600)
    assert many < 20 * few
    assert many < MOST_STEPS


def test_more_work_than_any_page_needs_is_refused() -> None:
    search = Search(turbohtml.parse("<p>x</p>" * 3000), Effort())
    with pytest.raises(TooComplex):
        [search.select(f"p:nth-child({number})") for number in range(100_000)]
    with pytest.raises(TooComplex):
        Search(turbohtml.parse("<p>x"), Effort()).select("p" + ":not(.a)" * 5000)
