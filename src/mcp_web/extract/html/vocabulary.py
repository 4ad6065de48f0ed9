"""Words that tell chrome from content: in the names authors give to elements, and in short lines.

Their order is part of the trained model: after a change, train again (`python -m bench.extraction.train`).
"""

from __future__ import annotations

import re


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAME_WORDS = _words(
    """
    nav menu foot head side comment relat share social promo advert cookie modal popup bread toc content article post
    entry main body text doc author meta tag recommend newsletter subscri banner widget login search filter product
    desc review price thread message reply answer question card list grid title hidden caption copyright skip legal
    sponsor hero faq feature code signature user avatar badge rating button pagin topic story byline date time rail
    summary detail spec gallery image video slide tab accordion job event item result carousel cta form vote score
    quote blog news page wrap container column row section block note info notice alert warning overlay sticky print
    """
)
# Tags of a block's own box, numbered; what is not here is 40.
BOX_TAGS = _words(
    """
    p div li td th pre h1 h2 h3 h4 h5 h6 dt dd blockquote figcaption section article span main header aside form
    summary caption body table ul ol tr a details address
    """
)
# Tags around a block, one bit each.
AROUND_TAGS = _words(
    "header aside main article form table ul ol li section figure pre blockquote details dl h1 h2 h3 h4 a p td"
)

_MONTHS = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
# What short lines say when they are not content; each kind is a figure of its own.
PHRASES: tuple[tuple[str, str], ...] = (
    ("share", r"\b(share|tweet|facebook|twitter|linkedin|whatsapp|pinterest|e-?mail this|print|copy link|follow us)\b"),
    (
        "subscribe",
        r"\b(subscri\w+|newsletter|sign ?up|sign ?in|log ?in|register|join (us|now)|create account|my account)\b",
    ),
    ("cookie", r"\b(cookies?|consent|gdpr|privacy policy|terms (of|and)|all rights reserved)\b|©|\(c\) ?\d{4}"),
    (
        "related",
        r"\b(related|recommended|you (may|might) (also )?like|more (from|in|on|stories|news)|read (more|next|also)|"
        r"most (read|popular|viewed)|trending|popular|latest|see also|up next|don.t miss|featured|also on|similar)\b",
    ),
    ("comments", r"\b(comments?|repl(y|ies)|leave a|responses?|discussion|thoughts on)\b"),
    ("advert", r"\b(advert\w*|sponsored|promoted|ad choices|affiliate)\b"),
    (
        "move",
        r"\b(next|previous|prev|back to|home|menu|skip to|load more|show (more|all|less)|view (all|more)|"
        r"see (all|more)|top|older|newer|page \d+|continue reading|learn more|click here|scroll)\b",
    ),
    (
        "shop",
        r"\b(add to (cart|bag|basket|wish\w*)|buy now|in stock|out of stock|checkout|shipping|free delivery|quantity|"
        r"qty|sort by|filters?|compare|wishlist|sold out|reviews?)\b",
    ),
    ("by", r"^(by|posted by|written by|author|von|par|por|updated|published|posted|last modified|last updated)\b"),
    ("tags", r"^(tags?|topics?|categor(y|ies)|filed under|posted in|labels?)\b"),
    (
        "contact",
        r"\b(contact us|call us|phone|fax|address|get in touch|email us|request a|free (quote|trial|demo)|"
        r"book (now|a))\b",
    ),
    (
        "image",
        r"^(photo|image|picture|credit|source|foto|getty|reuters|file photo)\b|"
        r"\b(getty images|shutterstock|ap photo)\b",
    ),
)
DATE = re.compile(
    rf"\b(\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}|\d{{4}}-\d{{2}}-\d{{2}}|{_MONTHS}[a-z]*\.? \d{{1,2}}|"
    rf"\d{{1,2}}\.? {_MONTHS}|\d+ (minutes?|hours?|days?|weeks?|months?|years?) ago)",
    re.I,
)
MONEY = re.compile(r"[$€£¥₹]\s?\d|\d\s?(€|£|USD|EUR|GBP|kr|zł)\b")
# Boxes of these names hold what others say or what is said elsewhere; their prose does not mark the page's core.
ASIDE_NAMES = _words("comment relat recommend promo newsletter widget cookie modal popup side advert sponsor")
