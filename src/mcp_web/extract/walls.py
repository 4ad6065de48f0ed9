"""Detects walls: why a page has less text than a reader would get (paywall, login, bot check, consent, empty shell).

The evidence is a string that only a vendor's challenge page has, a declaration of the publisher, or a phrase on a page
with almost no text. A phrase in a long text is no evidence. `tests/extract/test_walls.py` checks that no wall is found
on a thousand ordinary pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mcp_web.model.page import Wall
from mcp_web.text.html_facts import html_facts, page_text
from mcp_web.text.markdown import prose


class _Phrases:
    """A pattern to search for, and its signs: strings in lower case, of which every match contains at least one.

    The pattern is not searched for in a text without signs, which saves one per cent of the time of reading a page.
    """

    def __init__(self, signs: str, pattern: str) -> None:
        self.signs = signs.split("|")
        self.pattern = re.compile(pattern, re.I)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match of the pattern in a text, or None."""
        lowered = text.lower()
        return self.pattern.search(text) if any(sign in lowered for sign in self.signs) else None


# Headers that only a challenge page has.
_BOT_HEADERS = {
    "cf-mitigated": "challenge",
    "x-vercel-mitigated": "challenge",
    "x-amzn-waf-action": "",
    "x-sucuri-block": "",
}
# Vendors, and strings that are only in their challenge pages, not in the scripts that they add to every page.
_BOT_MARKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Cloudflare", ("_cf_chl_opt", "cf-challenge-running", "cf-error-details", 'id="cf-wrapper"')),
    ("DataDome", ("geo.captcha-delivery.com", "ct.captcha-delivery.com")),
    ("HUMAN", ('id="px-captcha"', "px-captcha-wrapper", "captcha.px-cdn.net")),
    ("Imperva", ("incapsula incident id", "incident_id=", "_incapsula_resource?cwudnsai")),
    ("Akamai", ("errors.edgesuite.net", "sec-if-cpt-container", "sec-cpt-if")),
    ("AWS WAF", ("awswafcookiedomainlist", "window.gokuprops")),
    ("Kasada", ("kpsdk.", "/149e9513-01fa-4fb0-aad4-566afd725d1b/")),
    ("Anubis", ("anubis_challenge", "/.within.website/x/cmd/anubis")),
    ("Vercel", ("vercel security checkpoint",)),
    ("Sucuri", ("sucuri_cloudproxy_js", "sucuri website firewall - access denied")),
    ("DDoS-Guard", ("check.ddos-guard.net", "ddos-guard.net/check.js")),
    ("Google", ("our systems have detected unusual traffic", "/recaptcha/challengepage/")),
    ("a network security service", ("blocked by network security", "whoa there, pardner")),
)
_BOT_WORDS = _Phrases(
    "verify|checking your|are you a|confirm|prove |enable javascript|complete the|pardon our|unusual|making sure|"
    "automated ",
    r"verify(?:ing)? (?:that )?you(?:['’]re| are) (?:not a (?:ro)?bot|(?:a )?human)|checking your browser|"
    r"are you a (?:ro)?bot|(?:confirm|prove) (?:that )?you(?:['’]re| are) (?:not a robot|(?:a )?human)|"
    r"enable javascript and cookies to continue|complete the (?:security check|captcha)|pardon our interruption|"
    r"unusual (?:traffic|activity) from your|making sure you(?:['’]re| are) not a bot|press (?:&|"
    r"and) hold to confirm|"
    r"automated (?:access|queries|requests)[^.]{0,60}(?:blocked|denied)",
)
_CONSENT_MARKS = ("consent.youtube.com", "consent.google.com", "consent.yahoo.com", "guce.yahoo", "guce.advertising")
_CONSENT_WORDS = _Phrases(
    "before you continue|cookies|alle akz|partner|manage |reject all|privacy|mit werbung",
    r"before you continue to|accept (?:all )?cookies|cookies akzeptieren|alle akzeptieren|"
    r"accepter (?:tous )?les cookies|(?:we|wir) (?:and|und) (?:our|unsere)[^.\n]{0,60}partner|"
    r"manage (?:your )?(?:choices|preferences|cookies)|reject all|consent to (?:the use of )?cookies|"
    r"privacy (?:choices|preferences)|we value your privacy|mit werbung weiterlesen",
)
_LOGIN_WORDS = _Phrases(
    "log in|login|log-in|sign in|signin|sign-in|you must|you need|account to|register to|bitte |anmeldung",
    r"(?:log|sign)[- ]?in (?:to (?:continue|view|see|access|read)|required|or (?:sign|register))|"
    r"you (?:must|need to) (?:be logged in|log in|sign in|be a member)|please (?:log|sign) ?in|"
    r"(?:create an account|register) to (?:continue|view|read)|bitte (?:anmelden|einloggen)|anmeldung erforderlich",
)
_PASSWORD = re.compile(r"<input\b[^>]{0,300}\btype\s*=\s*[\"']?password", re.I)
_PAYWALL_WORDS = _Phrases(
    "subscri|reading|member|reached your|free article|unlock |read the full|nur für|jetzt |weiterlesen|réserv|"
    "vous reste|suscriptores|abbonati|abonnees|有料|会员专享",
    r"subscribe (?:now )?(?:to|and) (?:continue|keep|read|unlock|get (?:full|unlimited) access)|"
    r"(?:to|and) (?:continue|keep) reading[^.\n]{0,60}(?:subscri|sign up|log in|register)|"
    r"this (?:article|story|post|content) is (?:only )?(?:for|available to|reserved for|exclusive to)[^.\n]{0,30}"
    r"(?:subscribers|members)|"
    r"(?:subscribers?|members?)[- ]only (?:content|story|article|post)|"
    r"(?:article|content|story) requires a subscription|already a (?:paid )?subscriber|"
    r"reached your (?:monthly )?(?:limit|article limit)|"
    r"free articles? (?:remaining|left|this month)|unlock (?:this|the full) (?:article|story|post)|"
    r"read the full (?:article|story) with a|"
    r"nur für (?:abonnenten|abonnentinnen)|jetzt (?:weiterlesen|abonnieren)|mit [^.\n]{2,20}\+ weiterlesen|"
    r"réservée? aux abonnés|il vous reste [^.\n]{1,20} de cet article|"
    r"solo para suscriptores|exclusivo para suscriptores|riservato agli abbonati|alleen voor abonnees|この記事は有料|"
    r"有料会員|会员专享",
)
_NOT_FREE = re.compile(r"isaccessibleforfree[\"']?\s*[:=]\s*[\"']?\s*(?:https?://schema\.org/)?false")
_LOCKED = re.compile(r"article:content_tier[\"'][^>]{0,40}content\s*=\s*[\"']?locked")
_TITLE = re.compile(r"<title[^>]{0,100}>([^<]{0,200})")
_LOGIN_TITLE = re.compile(r"\b(?:log ?in|sign ?in|login|anmelden|anmeldung|connexion|iniciar sesión|accedi|inloggen)\b")


WallFinding = tuple[Wall | None, str | None]

_SHORT = 1500  # characters of visible text: more than bot checks and login pages have
_EMPTY = 300
_BLANK = 15
_PREVIEW = 3500  # characters of a preview of a few paragraphs
_LOOKED_AT = 2_000_000  # characters of source
_CHALLENGE = 200_000  # characters of source: more than a challenge page has
_FORM_PAGE = 600  # characters of all text on a page that is only a form


def detect_wall(
    source: bytes, markdown: str, status: int = 200, headers: Iterable[tuple[str, str]] = ()
) -> WallFinding:
    """Why a page has less text than a reader would get: the kind of wall (login, paywall …), and a sentence about it.

    Returns (None, note) if a wall is only possible, and (None, None) without one. `source` is the page as it was
    fetched, `markdown` its extracted text.
    """
    lowered = {name.lower(): value.lower() for name, value in headers}
    if found := _by_status(status, lowered):
        return found
    if len(_shown(markdown[:5_000])) > _PREVIEW or len(shown := _shown(markdown[:12_000])) > _PREVIEW:
        return _not_free(source, markdown)
    if len(shown) > _SHORT:
        return _paywall(source, shown) or (None, None)
    html = _lowered(source)
    return _instead_of_text(html, shown) or _paywall(source, shown) or _shell(html, shown)


def _by_status(status: int, headers: dict[str, str]) -> WallFinding | None:
    """The wall (login, paywall, bot check) that the status or headers show, or None; `headers`: in lower case."""
    for name, value in _BOT_HEADERS.items():
        if name in headers and headers[name].startswith(value):
            return "bot", f"The site answered with a bot check (header {name}) instead of the page."
    if status == 401 or (status in (403, 407) and "www-authenticate" in headers):
        return "login", f"The site asks for a login (HTTP {status})."
    if status == 402:
        return "paywall", "The site asks for payment (HTTP 402)."
    return None


def _not_free(source: bytes, markdown: str) -> WallFinding:
    """The wall of a page with much text: a paywall if the publisher declares it not free and its end asks for a
    subscription, a note without a wall if it only declares that, and (None, None) otherwise."""
    if b"isAccessibleForFree" not in source or not _NOT_FREE.search(_lowered(source)):
        return None, None
    if match := _PAYWALL_WORDS.search(_shown(markdown[-4000:])):
        return "paywall", f"Content appears to be behind a paywall (“{match[0]}”); only its beginning is shown."
    return None, "The publisher marks this page as not free; the text may stop before its end."


def _instead_of_text(html: str, shown: str) -> WallFinding | None:
    """The wall of a page that shows a bot check, a consent dialogue or a login instead of its text; None if it does
    not. `html` is its source in lower case, `shown` its visible text."""
    head = html[:_CHALLENGE]
    for vendor, marks in _BOT_MARKS:
        if any(mark in head for mark in marks):
            return "bot", f"The site shows a bot check by {vendor} instead of the page."
    all_text = page_text(html.encode("latin-1")) if len(shown) <= _EMPTY else ""
    if match := _BOT_WORDS.search(shown) or _BOT_WORDS.search(all_text):
        return "bot", f"The site shows a bot check instead of the page (“{match[0]}”)."
    phrases = {match[0].lower() for match in _CONSENT_WORDS.pattern.finditer(shown)}
    if len(phrases) >= 2 or (phrases and any(mark in html for mark in _CONSENT_MARKS)):
        return "consent", "The page shows little but a cookie or consent dialogue."
    # On a longer page only the beginning counts: below a list of threads, "Log in" is for those who want to reply.
    if match := _LOGIN_WORDS.search(shown if len(shown) <= _FORM_PAGE else shown[:_EMPTY]):
        return "login", f"The page asks for a login (“{match[0]}”)."
    return ("login", "The page is a login form.") if _is_login_form(html) else None


def _is_login_form(html: str) -> bool:
    """Whether a page (its source in lower case) is a form with a password, and asks to log in."""
    if "password" not in html or not _PASSWORD.search(html):
        return False
    # Forums have a hidden login form on every page; so a form counts only with a visible request to log in.
    title = _TITLE.search(html)
    if title and _LOGIN_TITLE.search(title[1]):
        return True
    words = page_text(html.encode("latin-1")).lower()
    return len(words) <= _FORM_PAGE and bool(_LOGIN_TITLE.search(words))


def _paywall(source: bytes, shown: str) -> WallFinding | None:
    """A paywall, if the end of the visible text `shown` asks to subscribe or the publisher declares one; else None."""
    if match := _PAYWALL_WORDS.search(shown[-2500:]):
        return "paywall", f"Content appears to be behind a paywall (“{match[0]}”); only its beginning is shown."
    if b"isAccessibleForFree" not in source and b"article:content_tier" not in source:
        return None
    html = _lowered(source)
    if _NOT_FREE.search(html) or _LOCKED.search(html):
        return "paywall", "The publisher marks this page as not free, and only its beginning is shown."
    return None


def _shell(html: str, shown: str) -> WallFinding:
    """The wall "shell" if a page with little text is empty until its scripts run; else no wall, and a note if it shows
    none. `html` is its source in lower case, `shown` its visible text."""
    nothing = None if shown else "The page shows no text that can be read."
    if len(shown) > _EMPTY or not any(mark in html for mark in ("<script", "modulepreload", 'as="script"')):
        return None, nothing
    facts = html_facts(html.encode("latin-1"))
    blank = len(shown) <= _BLANK and facts.chars <= _BLANK
    if facts.wants_script or blank or facts.empty_root:
        return "shell", "The page contains almost no text without its scripts."
    return None, nothing


def _shown(markdown: str) -> str:
    """Markdown without URLs, white space collapsed."""
    return " ".join(prose(markdown).split())


def _lowered(source: bytes) -> str:
    """The beginning of the source in lower case. All strings that are searched for in it are ASCII."""
    return source[:_LOOKED_AT].lower().decode("latin-1")
