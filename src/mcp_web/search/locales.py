"""Languages and countries in each provider's own codes.

One row a locale: tag (as SearXNG writes it) · Brave country, search_lang, ui_lang · Google lr, gl, hl · ddgs region.
A dash means that the provider has no such code; Brave uses ALL for a country that it does not know.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

_ROWS = """
ar-SA SA ar en-US lang_ar sa ar xa-ar
bg-BG ALL bg en-US lang_bg bg bg bg-bg
ca-ES ES ca en-US lang_ca es ca es-ca
cs-CZ ALL cs en-US lang_cs cz cs cz-cs
da-DK DK da da-DK lang_da dk da dk-da
de-AT AT de de-AT lang_de at de at-de
de-BE BE de de-DE lang_de be de wt-wt
de-CH CH de de-CH lang_de ch de ch-de
de-DE DE de de-DE lang_de de de de-de
el-GR GR el en-US lang_el gr el gr-el
en-AU AU en en-AU lang_en au en au-en
en-CA CA en en-CA lang_en ca en ca-en
en-GB GB en-gb en-GB lang_en uk en uk-en
en-HK HK en en-US lang_en hk en wt-wt
en-IE ALL en en-US lang_en ie en ie-en
en-IN IN en en-IN lang_en in en in-en
en-MY MY en en-MY lang_en my en my-en
en-NZ NZ en en-NZ lang_en nz en nz-en
en-PH PH en en-PH lang_en ph en ph-en
en-SG ALL en en-US lang_en sg en sg-en
en-US US en en-US lang_en us en us-en
en-ZA ZA en en-ZA lang_en za en za-en
es-AR AR es es-AR lang_es ar es ar-es
es-CL CL es es-CL lang_es cl es cl-es
es-CO ALL es es-ES lang_es co es co-es
es-ES ES es es-ES lang_es es es es-es
es-MX MX es es-MX lang_es mx es mx-es
es-PE ALL es es-ES lang_es pe es pe-es
es-US US es es-US lang_es us es us-es
es-VE ALL es es-ES lang_es ve es wt-wt
et-EE ALL et en-US lang_et ee et ee-et
fi-FI FI fi fi-FI lang_fi fi fi fi-fi
fr-BE BE fr fr-BE lang_fr be fr be-fr
fr-CA CA fr fr-CA lang_fr ca fr ca-fr
fr-CH CH fr fr-CH lang_fr ch fr ch-fr
fr-FR FR fr fr-FR lang_fr fr fr fr-fr
he-IL ALL he en-US lang_iw il iw wt-wt
hi-IN IN hi en-US - in hi wt-wt
hr-HR ALL hr en-US lang_hr hr hr hr-hr
hu-HU ALL hu en-US lang_hu hu hu hu-hu
id-ID ID - en-US lang_id id id id-en
it-IT IT it it-IT lang_it it it it-it
ja-JP JP jp ja-JP lang_ja jp ja jp-jp
ko-KR KR ko ko-KR lang_ko kr ko kr-kr
lt-LT ALL lt en-US lang_lt lt lt lt-lt
lv-LV ALL lv en-US lang_lv lv lv lv-lv
ms-MY MY ms en-US - my ms wt-wt
nb-NO NO nb no-NO lang_no no no no-no
nl-BE BE nl nl-BE lang_nl be nl be-nl
nl-NL NL nl nl-NL lang_nl nl nl nl-nl
pl-PL PL pl pl-PL lang_pl pl pl pl-pl
pt-BR BR pt-br pt-BR lang_pt br pt-BR br-pt
pt-PT PT pt-pt pt-BR lang_pt pt pt-PT pt-pt
ro-RO ALL ro en-US lang_ro ro ro ro-ro
ru-RU RU ru ru-RU lang_ru ru ru ru-ru
sk-SK ALL sk en-US lang_sk sk sk sk-sk
sl-SI ALL sl en-US lang_sl si sl sl-sl
sr-RS ALL sr en-US lang_sr rs sr wt-wt
sv-SE SE sv sv-SE lang_sv se sv se-sv
th-TH ALL th en-US - th th th-en
tr-TR TR tr tr-TR lang_tr tr tr tr-tr
uk-UA ALL uk en-US - ua uk ua-uk
vi-VN ALL vi en-US - vn vi vn-en
zh-CN CN zh-hans zh-CN lang_zh-CN cn zh-CN cn-zh
zh-HK HK zh-hant zh-HK lang_zh-TW hk zh-TW hk-tzh
zh-TW TW zh-hant zh-TW lang_zh-TW tw zh-TW tw-tzh
"""

# The default country of a language.
_HOME = {"en": "US", "es": "ES", "pt": "BR", "zh": "CN", "de": "DE", "fr": "FR", "nl": "NL"}
_OTHER_NAMES = {"no": "nb", "nn": "nb", "iw": "he", "in": "id", "jp": "ja"}
# Languages that Brave searches without a country of their own in the table.
_BRAVE_ONLY = frozenset(("eu", "bn", "gl", "gu", "is", "kn", "ml", "mr", "pa", "ta", "te"))

# Tavily expects country names; countries that it does not know are left out.
_NAMES = """
AR=argentina, AT=austria, AU=australia, BE=belgium, BG=bulgaria, BR=brazil, CA=canada, CH=switzerland, CL=chile
CN=china, CO=colombia, CZ=czech republic, DE=germany, DK=denmark, EE=estonia, ES=spain, FI=finland, FR=france
GB=united kingdom, GR=greece, HR=croatia, HU=hungary, ID=indonesia, IE=ireland, IL=israel, IN=india, IT=italy
JP=japan, KR=south korea, LT=lithuania, LV=latvia, MX=mexico, MY=malaysia, NL=netherlands, NO=norway
NZ=new zealand, PE=peru, PH=philippines, PL=poland, PT=portugal, RO=romania, RS=serbia, RU=russia
SA=saudi arabia, SE=sweden, SG=singapore, SI=slovenia, SK=slovakia, TH=thailand, TR=turkey, TW=taiwan
UA=ukraine, US=united states, VE=venezuela, VN=vietnam, ZA=south africa
"""


@dataclass(frozen=True, slots=True)
class Locale:
    """One language and country in every provider's codes; None where a provider has no code for it."""

    language: str | None = None  # "de"
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
    """The codes for the requested locale: a language ("de", "de-AT"), a country ("AT"), both or neither."""
    language_code, _, region = (language or "").replace("_", "-").partition("-")
    language_code = _OTHER_NAMES.get(language_code.lower(), language_code.lower())
    region = (country or region).upper()
    region = "GB" if region == "UK" else region
    row = _row(language_code, region) if language_code or region else None
    there = _row("", region) if region else None  # the code of a country does not depend on the language
    return Locale(
        language=language_code or None,
        country=region or None,
        searxng="-".join(part for part in (language_code, region) if part) if language_code else "all",
        brave_country=(there[1] if there else "ALL") if region else None,
        brave_language=language_code if language_code in _BRAVE_ONLY else _code(row, 2) if language_code else None,
        brave_ui=_code(row, 3) if language_code else None,
        google_lr=_code(row, 4) if language_code else None,
        google_gl=(there[5] if there else region.lower()) if region else None,
        google_hl=_code(row, 6) if language_code else None,
        ddgs=_code(row, 7) or "wt-wt",
        country_name=_names().get(region),
    )


def _code(row: tuple[str, ...] | None, column: int) -> str | None:
    """The code in a column of a row; None if there is no row or the provider has no such code."""
    return None if row is None or row[column] == "-" else row[column]


def _row(language_code: str, region: str) -> tuple[str, ...] | None:
    """The row of exactly this pair, else of the language in its main country; without a language, of the country.

    None if the table has none.
    """
    rows = _table()
    if language_code:
        home = rows.get(f"{language_code}-{_HOME.get(language_code, '')}")
        same = [row for tag, row in rows.items() if tag.startswith(language_code + "-")]
        return rows.get(f"{language_code}-{region}") or home or (same[0] if same else None)
    of_country = [row for tag, row in rows.items() if tag.endswith("-" + region)]
    english = next((row for row in of_country if row[0].startswith("en-")), None)
    return english or (of_country[0] if of_country else None)


@cache
def _table() -> dict[str, tuple[str, ...]]:
    """The rows by their tag."""
    rows = (tuple(line.split()) for line in _ROWS.strip().splitlines())
    return {row[0]: row for row in rows}


@cache
def _names() -> dict[str, str]:
    """The names of countries by their code."""
    entries = (entry.strip().partition("=") for line in _NAMES.strip().splitlines() for entry in line.split(","))
    return {code: name for code, _, name in entries}
