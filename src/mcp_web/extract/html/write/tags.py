"""Tags of HTML, grouped by how they are written."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLAIN = _words("""
    span font small big abbr acronym cite dfn ins u mark time data output bdi bdo nobr label
    sub ruby rb rp rtc legend slot picture
    mjx-container mjx-math katex tex-math la-tex d-math
""")

NOTHING = _words("""
    script style template noscript svg canvas select textarea option datalist head title meta link
    source track param area wbr button col colgroup progress meter noembed noframes frameset frame optgroup
""")

BLOCK_SELECTOR = (
    "p,div,ul,ol,dl,table,pre,h1,h2,h3,h4,h5,h6,section,article,figure,blockquote,details,hr,header,footer,aside,main"
)
