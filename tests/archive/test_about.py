"""What titles and addresses say about a document."""

from __future__ import annotations

import pytest

from mcp_web.archive.about import HeadlineMatcher, is_news_or_index, last_part, scores_with_headlines
from mcp_web.archive.query import parse
from mcp_web.store.protocol import Headline


def headline(title: str, path: str, language: str = "") -> Headline:
    return Headline(title, f"file:///saved/{path}", path, language)


def share(query: str, title: str, path: str = "docs/page.md", language: str = "") -> float:
    question = parse(query)
    rarities = dict.fromkeys((*question.content_words, *question.compounds), 1.0)
    return HeadlineMatcher(question, rarities).share(headline(title, path, language))


def test_a_title_that_is_the_subject_outranks_one_that_names_more() -> None:
    assert share("useEffect usage", "useEffect") > share("useEffect usage", "useEffectEvent")
    assert share("list rendering", "Rendering Lists") > share("list rendering", "Rendering Lists of Users in Tables")


def test_the_last_part_of_a_path_counts_where_the_title_is_another() -> None:
    assert share("server options", "Reference", "docs/config/server-options.md") == 1.0
    assert share("env and mode", "Guide", "docs/guide/env-and-mode/index.md") == 1.0


def test_a_title_without_a_word_of_the_question_counts_nothing() -> None:
    assert share("dependency bundling", "Hooks at a glance") == 0.0


def test_forms_of_a_word_count_in_the_language_of_the_document() -> None:
    assert share("Häuser bauen", "Haus bauen", language="de") > 0.5
    assert share("hauser bauen", "Häuser bauen", language="de") == 1.0
    assert share("bâtir des maisons", "La maison", language="fr") > 0


@pytest.mark.parametrize(
    ("query", "title", "language"),
    [
        ("illegaal", "Illegale hout", "nl"),
        ("lopen", "Hij heeft gelopen", "nl"),
        ("strasse", "Die Straße", "de"),
        ("münchen", "stadt-muenchen", "de"),
        ("appliquer", "Une application", "fr"),
        ("juhtimise", "Juhtimine", "et"),
        ("cote", "La co\u0302te", "fr"),  # written with a combining accent, as macOS writes names of files
    ],
)
def test_a_form_that_begins_otherwise_than_the_word_of_the_question_counts(
    query: str, title: str, language: str
) -> None:
    assert share(query, title, language=language) > 0


@pytest.mark.parametrize(
    "path",
    [
        "site/blog/announcing-5.md",
        "site/2024/05/22/recap.md",
        "site/changelog.md",
        "site/whatsnew/3.12.html",
        "site/release-notes/2.0.md",
        "site/community/3.0-announcement/index.html",
        "site/announce/release-7.2.1.html",
        "site/release-15-2.html",
        "site/releaselog/3_40_1.html",
        "site/changelog_14.html",
    ],
)
def test_news_and_index_pages_are_known_by_their_path(path: str) -> None:
    assert is_news_or_index(headline("x", path))


@pytest.mark.parametrize(
    "path", ["site/guide/news-feed.md", "site/release-a-lock.md", "site/useTag.md", "blog/first.md", "a/v2.0.md"]
)
def test_other_pages_are_not_taken_for_news(path: str) -> None:
    assert not is_news_or_index(headline("x", path))


def test_news_and_index_pages_rank_behind_the_pages_of_their_own_site_only() -> None:
    question = parse("plugins")
    pages = {
        "post": headline("Version 2", "site/blog/v2.md"),
        "page": headline("Guide", "site/guide.md"),
        "other": headline("Thoughts", "diary/blog/one.md"),
    }
    found = scores_with_headlines({"post": 0.7, "page": 0.7, "other": 0.7}, pages, question, {"plugins": 1.0})
    assert found["post"] < found["page"] == found["other"]


def test_the_last_part_of_an_address_leaves_query_and_index_out() -> None:
    assert last_part(Headline("", "https://a.example/docs/ssr/?x=1", None)) == "ssr"
    assert last_part(Headline("", "https://a.example/docs/ssr/index.html#y", None)) == "ssr"
