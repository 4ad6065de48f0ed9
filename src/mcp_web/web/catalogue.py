"""The message catalogue of the web interface. Messages are written in English; a translation replaces them here."""

from __future__ import annotations

from gettext import NullTranslations

_translations = NullTranslations()


def gettext(message: str) -> str:
    return _translations.gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    return _translations.ngettext(one, many, count)


def use(translations: NullTranslations) -> None:
    """From now on, show the web interface with these translations."""
    global _translations
    _translations = translations
