"""The signs of a wall: names in vendors' challenge pages, phrases, declarations. Sources are lower-cased first."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """A pattern of phrases, and short strings of which every match contains one; a text without them is skipped."""

    signs: tuple[str, ...]  # lower case
    pattern: re.Pattern[str]

    def search(self, text: str) -> re.Match[str] | None:
        lowered = text.lower()
        for sign in self.signs:
            if sign in lowered:
                return self.pattern.search(text)
        return None


def _phrases(signs: str, pattern: str) -> Phrases:
    return Phrases(tuple(signs.split("|")), re.compile(pattern, re.I))


# A header that only a challenge carries.
BOT_HEADERS = {
    "cf-mitigated": "challenge",
    "x-vercel-mitigated": "challenge",
    "x-amzn-waf-action": "",
    "x-sucuri-block": "",
}
# Vendor, and names that stand only in its challenge page, not in the scripts it puts on every page.
BOT_MARKS: tuple[tuple[str, tuple[str, ...]], ...] = (
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
BOT_WORDS = _phrases(
    "verify|checking your|are you a|confirm|prove |enable javascript|complete the|pardon our|unusual|making sure|"
    "automated ",
    r"verify(?:ing)? (?:that )?you(?:['’]re| are) (?:not a (?:ro)?bot|(?:a )?human)|checking your browser|"
    r"are you a (?:ro)?bot|(?:confirm|prove) (?:that )?you(?:['’]re| are) (?:not a robot|(?:a )?human)|"
    r"enable javascript and cookies to continue|complete the (?:security check|captcha)|pardon our interruption|"
    r"unusual (?:traffic|activity) from your|making sure you(?:['’]re| are) not a bot|press (?:&|"
    r"and) hold to confirm|"
    r"automated (?:access|queries|requests)[^.]{0,60}(?:blocked|denied)",
)
CONSENT_MARKS = ("consent.youtube.com", "consent.google.com", "consent.yahoo.com", "guce.yahoo", "guce.advertising")
CONSENT_WORDS = _phrases(
    "before you continue|cookies|alle akz|partner|manage |reject all|privacy|mit werbung",
    r"before you continue to|accept (?:all )?cookies|cookies akzeptieren|alle akzeptieren|"
    r"accepter (?:tous )?les cookies|(?:we|wir) (?:and|und) (?:our|unsere)[^.\n]{0,60}partner|"
    r"manage (?:your )?(?:choices|preferences|cookies)|reject all|consent to (?:the use of )?cookies|"
    r"privacy (?:choices|preferences)|we value your privacy|mit werbung weiterlesen",
)
LOGIN_WORDS = _phrases(
    "log in|login|log-in|sign in|signin|sign-in|you must|you need|account to|register to|bitte |anmeldung",
    r"(?:log|sign)[- ]?in (?:to (?:continue|view|see|access|read)|required|or (?:sign|register))|"
    r"you (?:must|need to) (?:be logged in|log in|sign in|be a member)|please (?:log|sign) ?in|"
    r"(?:create an account|register) to (?:continue|view|read)|bitte (?:anmelden|einloggen)|anmeldung erforderlich",
)
PASSWORD = re.compile(r"<input\b[^>]{0,300}\btype\s*=\s*[\"']?password", re.I)
PAYWALL_WORDS = _phrases(
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
NOT_FREE = re.compile(r"isaccessibleforfree[\"']?\s*[:=]\s*[\"']?\s*(?:https?://schema\.org/)?false")
LOCKED = re.compile(r"article:content_tier[\"'][^>]{0,40}content\s*=\s*[\"']?locked")
ROOT = re.compile(
    r"<(?:div|main|section)[^>]{0,200}\bid\s*=\s*[\"']?(?:root|app|__next|__nuxt|___gatsby|app-root|react-root|"
    r"q-app|"
    r"svelte|main-app|mount|application)[\"'][^>]{0,200}>\s*(?:<!--.{0,40}?-->\s*)?</|<app-root[^>]{0,200}>\s*</",
    re.S,
)
NOSCRIPT = re.compile(r"<noscript\b[^>]{0,100}>(.{0,1000}?)</noscript", re.S)
ASKS_SCRIPTS = re.compile(
    r"(?:enable|turn on|requires?|needs?|activate|without|activer|habilit\w+|aktivier\w+)\b.{0,40}?\bjava ?script|"
    r"java ?script.{0,30}?\b(?:disabled|required|enabled|aktivier\w*|activ\w*)",
    re.S,
)
TITLE = re.compile(r"<title[^>]{0,100}>([^<]{0,200})")
LOGIN_TITLE = re.compile(r"\b(?:log ?in|sign ?in|login|anmelden|anmeldung|connexion|iniciar sesión|accedi|inloggen)\b")
