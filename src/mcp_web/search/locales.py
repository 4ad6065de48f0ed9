"""Languages and countries in each provider's own codes.

locales.tsv has one row for each locale, named as SearXNG writes it. A dash means that the provider has no such code;
Brave uses ALL for a country that it does not know. Names of countries are for Tavily, which knows only some.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# The default country of a language.
_HOME = {"en": "US", "es": "ES", "pt": "BR", "zh": "CN", "de": "DE", "fr": "FR", "nl": "NL"}
_COUNTRY_OF_SCRIPT = {"hans": "CN", "hant": "TW"}  # other scripts, as in "sr-Latn", have no codes of their own
_OTHER_NAMES = {"no": "nb", "nn": "nb", "iw": "he", "in": "id", "jp": "ja"}
# Languages that Brave searches without a country of their own in the table.
_BRAVE_ONLY = frozenset(("eu", "bn", "gl", "gu", "is", "kn", "ml", "mr", "pa", "ta", "te"))


@dataclass(frozen=True, slots=True)
class Locale:
    """One language and country in every provider's codes; None (SearXNG: "all", ddgs: "wt-wt") if it has no code."""

    country: str | None = None  # "AT"
    searxng: str = "all"
    brave_country: str | None = None
    brave_language: str | None = None
    brave_ui: str | None = None
    google_lr: str | None = None
    google_gl: str | None = None
    google_hl: str | None = None
    ddgs: str = "wt-wt"
    country_name: str | None = None


def locale(language: str | None, country: str | None) -> Locale:
    """The codes for a language ("de", "de-AT"), a country ("AT", which takes precedence), both or neither."""
    language_code, _, region = (language or "").replace("_", "-").partition("-")
    language_code = _OTHER_NAMES.get(language_code.lower(), language_code.lower())
    region = _COUNTRY_OF_SCRIPT.get(region.lower(), region if len(region) == 2 else "")
    region = (country or region).upper()
    region = "GB" if region == "UK" else region
    row = _row(language_code, region)
    there = _row("", region)  # the code of a country does not depend on the language
    of_language = row if language_code else {}
    return Locale(
        country=region or None,
        searxng="-".join(part for part in (language_code, region) if part) if language_code else "all",
        brave_country=there.get("brave_country", "ALL") if region else None,
        brave_language=language_code if language_code in _BRAVE_ONLY else of_language.get("brave_language"),
        brave_ui=of_language.get("brave_ui"),
        google_lr=of_language.get("google_lr"),
        google_gl=there.get("google_gl", region.lower()) if region else None,
        google_hl=of_language.get("google_hl"),
        ddgs=row.get("ddgs", "wt-wt"),
        country_name=there.get("country_name"),
    )


def _row(language_code: str, region: str) -> dict[str, str]:
    """The row of locales.tsv for this language in this region, else in its main country, else in any; without a
    language, a row of the region. Empty if there is none."""
    rows = _table()
    if language_code:
        home = rows.get(f"{language_code}-{_HOME.get(language_code, '')}")
        same = (row for tag, row in rows.items() if tag.startswith(language_code + "-"))
        return rows.get(f"{language_code}-{region}") or home or next(same, {})
    of_country = {tag: row for tag, row in rows.items() if tag.endswith("-" + region)}
    return of_country.get(f"en-{region}") or next(iter(of_country.values()), {})


@cache
def _table() -> dict[str, dict[str, str]]:
    """The rows of locales.tsv by their tag ("de-AT"), each as {column: code}; missing codes ("-") are left out."""
    text = files("mcp_web.search").joinpath("locales.tsv").read_text("utf-8")
    columns, *rows = (line.split("\t") for line in text.splitlines())
    return {row[0]: {name: code for name, code in zip(columns, row, strict=True) if code != "-"} for row in rows}
