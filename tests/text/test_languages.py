"""Telling the language of a text."""

from __future__ import annotations

import pytest

from mcp_web.text.languages import language_of, script_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I install it?", "en"),
        ("Wie lange dauert die Kündigung des Vertrags?", "de"),
        ("Quelle est la capitale de la France ?", "fr"),
        ("Comment faire un gâteau ?", "fr"),
        ("¿Cuándo se fundó la ciudad?", "es"),
        ("Qual é a capital do Brasil?", "pt"),
        ("Qual è il fiume più lungo della regione?", "it"),
        ("Wat is de hoofdstad van Nederland?", "nl"),
        ("Hangi şehir en büyük?", "tr"),
        ("Care este capitala României?", "ro"),
        ("Thủ đô của Việt Nam là gì?", "vi"),
        ("Где находится музей?", "ru"),
        ("Де знаходиться цей музей?", "uk"),
        ("Ποια είναι η πρωτεύουσα;", "el"),
        ("ما هي عاصمة مصر؟", "ar"),
        ("पुस्तकालय कब खुलता है?", "hi"),
        ("เมืองหลวงของไทยคืออะไร", "th"),
        ("한국의 수도는 어디입니까", "ko"),
        ("数据库怎么配置", "zh"),
        ("日本の首都はどこですか", "ja"),
    ],
)
def test_questions_tell_their_language(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "python asyncio timeout",
        "max results",
        "",
        "42 %",
        "several web sites on one IP address",  # not Polish
        "comment on a pull request",  # not French
        "non blocking sockets",  # not Italian
        "avoid lazy loading N+1 queries",  # not French
        "v-model on custom components",  # not Czech
    ],
)
def test_keywords_do_not_tell(text: str) -> None:
    assert language_of(text) == ""


def test_code_and_addresses_in_a_page_do_not_count() -> None:
    page = (
        "Das ist die Anleitung für den Server, die man nicht oft braucht.\n\n```\nfor the and of is in that it was\n```"
    )
    assert language_of(page) == "de"


def test_script_of_most_letters() -> None:
    assert script_of("Python и другие языки") == "cyrillic"
    assert script_of("123") == ""
