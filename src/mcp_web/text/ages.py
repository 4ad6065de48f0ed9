"""Parses ages such as “3 days ago” in the languages of search providers, without detecting the language.

A unit is recognised by its stem, and only with a word that means *ago*: "3 days" alone is a duration, not a date.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

# Stems by unit. The first words of a line are whole words, too short to be stems.
_WHOLE = {
    "s": "s sec secs sek seg сек с",
    "m": "m min mins мин хв dk",
    "h": "h hr hrs std ora ore час ч sa",
    "d": "d j dag dni den dny gün",
    "w": "w wk wks sem sett týd",
    "mo": "mo mos mes mois mês mth ay",
    "y": "y yr yrs an ans ano anno anni año år rok lat let год рік ja",
}
_STEMS = {
    "s": "second sekund segund секунд saniye detik giây 秒 초",
    "m": "minut minuut minuten minuto dakika минут хвилин menit phút 分 분",
    "h": "hour stund heure hora uur timm time godzin hodin часа часов годин saat 時間 小时 小時 시간 jam giờ",
    "d": "day tag jour día dia giorn dagen dagar dage dzień dzien день дня дней дні днів hari ngày 日 天 일",
    "w": "week woche semain seman settiman weken veck uge uke tydzień tygodn týden týdn недел тижн hafta minggu tuần "
    "週 周 주",
    "mo": "month monat mese mesi meses maand månad måned miesią měsíc месяц місяц bulan tháng か月 ヶ月 カ月 个月 個月 "
    "개월",
    "y": "year jahr année anos años jaar lata roky года лет роки років yıl 年 년 tahun năm",
}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "mo": 2_630_016, "y": 31_556_952}
_BEFORE = re.compile(r"^(?:vor|il y a|hace|há|ha|för|for|pred|před|cách đây)\s+", re.IGNORECASE)
_AFTER = re.compile(
    r"\s*(?:ago|fa|atrás|geleden|sedan|siden|temu|назад|тому|önce|yang lalu|lalu|trước|ago\.|之前|以前|前|전)$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"^(?:about|around|over|etwa|ungefähr|environ|circa|ca\.|cerca de|约|約|약)\s*", re.IGNORECASE)
_AMOUNT = re.compile(
    r"^(?P<n>\d{1,6}|an?|one|ein(?:e[mnr]?)?|une?|una?|uma?|ett?|een|en)\s*(?P<unit>[^\d\s.]+)\.?$", re.IGNORECASE
)
_TODAY = {"just now", "gerade eben", "à l'instant", "ahora mismo", "たった今", "刚刚", "剛剛", "방금"}.union(
    "today heute aujourd'hui hoy oggi hoje vandaag idag dzisiaj dnes сегодня bugün 今日 今天 오늘".split()  # noqa: SIM905
)
_YESTERDAY = {"i går"}.union(
    "yesterday gestern hier ayer ieri ontem gisteren igår wczoraj včera вчера вчора dün 昨日 昨天 어제".split()  # noqa: SIM905
)


def moment_of(text: str, now: datetime) -> str | None:
    """The ISO date that an age such as "3 days ago" means at the time `now`; None when the text is not an age.

    An age in hours, minutes or seconds gives a date-time.
    """
    age = text.strip().lower()
    if age in _YESTERDAY:
        return (now - timedelta(days=1)).date().isoformat()
    if age in _TODAY:
        return now.date().isoformat()
    rest = _AFTER.sub("", _BEFORE.sub("", age))
    found = _AMOUNT.match(_ABOUT.sub("", rest)) if rest != age else None
    unit = _unit(found["unit"]) if found else None
    if found is None or unit is None:
        return None
    amount = int(found["n"]) if found["n"].isdigit() else 1
    try:
        then = now - timedelta(seconds=_SECONDS[unit] * amount)
    except OverflowError:
        return None
    return then.isoformat(timespec="seconds") if unit in "smh" else then.date().isoformat()


def _unit(word: str) -> str | None:
    """The unit of time that a word names in any language: s, m, h, d, w, mo (month) or y; None if it names none."""
    whole = next((unit for unit, words in _WHOLE.items() if word in words.split()), None)
    stemmed = ((len(stem), unit) for unit, stems in _STEMS.items() for stem in stems.split() if word.startswith(stem))
    return whole or max(stemmed, default=(0, None))[1]
