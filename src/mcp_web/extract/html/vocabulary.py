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

# What short lines say when they are not content: words and pairs of words, by kind; a kind is one bit.
SAYINGS: dict[str, str] = {
    "share": "share tweet facebook twitter linkedin whatsapp pinterest print copy+link follow+us email+this",
    "account": "subscribe subscribed subscription newsletter signup sign+up sign+in login log+in register join+us "
    "join+now create+account my+account",
    "legal": "cookie cookies consent gdpr privacy+policy terms+of terms+and rights+reserved © copyright",
    "related": "related recommended also+like more+from more+in more+on more+stories more+news read+more read+next "
    "most+read most+popular most+viewed trending popular latest see+also up+next featured also+on similar",
    "comments": "comment comments reply replies leave+a response responses discussion thoughts+on",
    "advert": "advertisement advert advertise sponsored promoted affiliate ad ads",
    "move": "next previous prev back+to home menu skip+to load+more show+more show+all show+less view+all view+more "
    "see+all see+more top older newer continue+reading learn+more click+here scroll",
    "shop": "add+to buy+now in+stock out+of checkout shipping free+delivery quantity qty sort+by filter filters "
    "compare wishlist sold+out review reviews",
    "by": "by posted+by written+by author von par por updated published posted last+modified last+updated",
    "tags": "tags tag topics topic category categories filed+under posted+in labels",
    "contact": "contact+us call+us phone fax address get+in email+us request+a free+quote free+trial "
    "free+demo book+now",
    "image": "photo image picture credit foto getty reuters shutterstock ap+photo file+photo",
}
_BIT_OF = {
    words.replace("+", " "): 1 << number for number, kinds in enumerate(SAYINGS.values()) for words in kinds.split()
}
_TELLING = frozenset(words.split()[0] for words in _BIT_OF)
_WORD = re.compile(r"[\w©]+")


def saying(text: str) -> int:
    """Which kinds of SAYINGS a line holds, one bit each."""
    words = _WORD.findall(text.lower())
    if _TELLING.isdisjoint(words):
        return 0
    mask = 0
    last = ""
    for word in words:
        mask |= _BIT_OF.get(word, 0) | _BIT_OF.get(f"{last} {word}", 0)
        last = word
    return mask


# Boxes of these names hold what others say or what is said elsewhere; their prose does not mark the page's core.
ASIDE_NAMES = _words("comment relat recommend promo newsletter widget cookie modal popup side advert sponsor")
