"""Words in the names of elements that distinguish content from navigation, advertising and other chrome.

Their order is part of the trained model: after a change, train again (`python -m bench.extraction.train`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


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
# Words against content and words for it. Only their number is a feature, because each word alone is too rare to learn
# from.
CHROME_WORDS = _words(
    """
    nav menu foot side comment relat share sharing social promo advert cookie consent modal popup bread author meta
    tags recommend newsletter subscri banner widget login search filter copyright skip legal sponsor signature avatar
    badge rating button pagin byline rail carousel cta vote print overlay sticky hidden recirc teaser popular trend
    outbrain taboola tweet twitter facebook instagram rss disclaim rules more-on read-more readmore next prev gallery
    caption credit legend follow donat signup sign-up register upsell cross-sell crosssell similar also viewed toolbar
    tooltip dropdown masthead colophon disqus respond trackback pingback feedback survey jump backto ads dfp gpt ticker
    partner
    """
)
CONTENT_WORDS = _words(
    """
    content article post entry main body text doc story desc summary detail message answer question thread prose
    markdown richtext rich-text wysiwyg copy paragraph chapter recipe ingredient spec faq review abstract lead intro
    """
)
ALL_WORDS = tuple(dict.fromkeys((*NAME_WORDS, *CHROME_WORDS, *CONTENT_WORDS)))
# Tags of a block's box, numbered; other tags are 40.
BOX_TAGS = _words(
    """
    p div li td th pre h1 h2 h3 h4 h5 h6 dt dd blockquote figcaption section article span main header aside form
    summary caption body table ul ol tr a details address
    """
)
# Tags of a block's ancestors, one bit each.
AROUND_TAGS = _words(
    "header aside main article form table ul ol li section figure pre blockquote details dl h1 h2 h3 h4 a p td"
)

# Boxes with these names contain comments and teasers; their prose does not count for finding the page's core.
ASIDE_NAMES = _words("comment relat recommend promo newsletter widget cookie modal popup side advert sponsor")


def _pattern(words: Iterable[str]) -> str:
    """A regular expression that matches any of the words: a trie, so that each letter is tested once."""
    rest: dict[str, list[str]] = {}
    for word in words:
        rest.setdefault(word[:1], []).append(word[1:])
    ways = [re.escape(first) + _pattern(each) for first, each in sorted(rest.items()) if first]
    if len(ways) == 1 and "" not in rest:
        return ways[0]  # without brackets it is compiled in half the time
    if not ways:
        return ""
    return f"(?:{'|'.join(ways)})" + ("?" if "" in rest else "")


NAME_PATTERN = re.compile(_pattern(ALL_WORDS))

# Phrases in parts of a page that are not content, and in their headings, in the most common languages. If a word alone
# is common in texts, a phrase stands for it.
_PHRASES = _phrases(
    """
    share, sharing, tweet, follow us, email this, subscri, newsletter, sign up, signup, log in, login, sign in,
    register, advertis, sponsor, promoted, copyright, all rights reserved, privacy, terms of, cookies, related,
    recommended, popular, trending, most read, most viewed, read more, see more, learn more, load more, show more,
    more from, more on, more in, more stories, see also, you may, you might, also like, also read, read also,
    next article, next post, next page, previous article, previous post, previous page, latest, top stories,
    don't miss, keep reading, up next, around the web, similar, customers also, recently viewed, comment, comments,
    reply, replies, leave a, filed under, tag:, tags:, posted by, posted on, posted in, back to top, skip to,
    view all, see all, add to cart, add to bag, sort by, quick view, teilen, anzeige, werbung, abonnieren, anmelden,
    impressum, datenschutz, mehr zum, lesen sie, auch interessant, kommentar, partager, publicit, abonne, connexion,
    lire aussi, à lire, commentaire, compartir, publicidad, suscr, leer más, relacionad, comentario, condividi,
    pubblicit, iscriviti, leggi anche, correlat, compartilh, leia também, comentário, delen, lees ook, reacties,
    advertentie, aanbevolen, udostępnij, czytaj też, поделиться, реклама, читайте также, по теме, подпис, комментар,
    مشاركة, تعليق, ذات صلة, שתפו, תגובות,
    story continues, continues below, minute read, min read, hours ago, days ago, last updated, join the conversation,
    about us, contact us, powered by, more news, watch next, most popular, editor's picks, editors' picks,
    auch interessieren, mehr aus, mehr auf, meistgelesen, ähnliche, weitere themen,
    weitere artikel, weiterlesen, jetzt lesen, artikel lesen, empfehlungen, zur startseite, zum artikel, zum inhalt,
    über uns, sie uns auf, lesezeit, mehr lesen, mehr anzeigen, drucken, sur le même sujet, lire la suite, les plus lus,
    plus d'articles, en savoir plus, lire plus, te puede interesar, lo más leído, más noticias, lee también, ver más,
    seguir leyendo, potrebbe interessarti, leggi di più, più letti, leggi tutto, meer over, lees meer, meest gelezen,
    leia mais, mais lidas, veja também, saiba mais, les også, les mer, mest lest, annonse, læs også, læs mere,
    mest læst, läs också, läs mer, mest läst, annons, lue myös, luetuimmat, czytaj więcej, przeczytaj, zobacz też,
    zobacz także, najczęściej czytane, polecane, čtěte, mohlo by vás, reklama, ilgili haber, devamını oku,
    en çok okunan, самое читаемое, читать также, ещё по теме, اقرأ أيضا, المزيد من, קראו עוד
    """
)
_SIGNS = _phrases(
    """
    ©, 分享, 评论, 相关, 推荐, 广告, 登录, 版权, 阅读更多, 延伸阅读, 热门, シェア, コメント, 関連, おすすめ, 広告,
    ログイン, ランキング, 続きを読む, あわせて読みたい, フォロー, 会員, แชร์, ความคิดเห็น, 관련기사, 많이 본, 댓글, 공유
    """
)
# Phrases begin after a character that is not part of a word: a search for it is faster than one for `\b`.
_ASIDE_PHRASES = re.compile(rf"\W{_pattern(_PHRASES)}")
_ASIDE_SIGNS = re.compile(_pattern(_SIGNS))
_LINE = 200  # characters; longer texts are sentences, not labels


def says_aside(text: str) -> bool:
    """Whether a line of under 200 characters has a phrase of parts that are not content, such as "Related"."""
    line = f" {text.lower()}" if len(text) < _LINE else ""
    return _ASIDE_PHRASES.search(line) is not None or _ASIDE_SIGNS.search(line) is not None
