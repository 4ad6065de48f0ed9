"""Page designs: what surrounds the text on each site, as real sites do it."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt

from bench.scorecard.corpus import Page

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_MENU = ("Home", "About us", "Contact", "Newsletter", "Jobs", "Press", "Shop", "Help", "Sign in", "Search")
_FOOTER = (
    *("Imprint", "Privacy", "Terms of use", "Accessibility", "Cookies", "Site map", "Advertise with us", "RSS"),
    *("Follow us", "Feedback", "Careers", "Partners", "Archive", "Licences", "Report a problem", "Change language"),
)
_COOKIES = (
    '<div class="cookie-banner" role="dialog"><p>We and our 214 partners store information on your device to measure '
    "how pages are used. You can accept all, choose, or refuse.</p><button>Accept all</button>"
    "<button>Choose</button></div>"
)


def to_html(page: Page, siblings: Sequence[Page]) -> bytes:
    body = _MARKDOWN.render(page.markdown)
    head = f"<title>{html.escape(page.title)}</title><meta charset=utf-8>"
    inside = _FRAMES[page.site].format_map(_parts(page, _CHANGES.get(page.site, str)(body), siblings))
    return f"<!doctype html><html lang=en><head>{head}</head><body>{inside}{_FOOT}</body></html>".encode()


def to_pdf(page: Page) -> bytes:
    """The page as a PDF with running heads; the same bytes every time."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer

    styles, flow = getSampleStyleSheet(), list[Flowable]()
    for block in page.markdown.split("\n\n"):
        level = len(block) - len(block.lstrip("#"))
        style = styles[f"Heading{level}"] if level else styles["BodyText"]
        flow += [Paragraph(html.escape(block.lstrip("# ").replace("\n", " ")), style), Spacer(1, 4)]
    made = io.BytesIO()
    SimpleDocTemplate(made, pagesize=A4, title=page.title, invariant=1).build(flow)
    return made.getvalue()


def _links(names: Sequence[str], tag: str = "li") -> str:
    return "".join(f'<{tag}><a href="/{name.lower().replace(" ", "-")}">{name}</a></{tag}>' for name in names)


def _teasers(page: Page, siblings: Sequence[Page], count: int = 4) -> str:
    """The titles and beginnings of other pages, which have words of their own to be found by."""
    others = [one for one in siblings if one.name != page.name][:count]
    return "".join(
        f'<div class="teaser"><h4><a href="/{one.name}">{html.escape(one.title)}</a></h4>'
        f"<p>{html.escape(_beginning(one))}</p></div>"
        for one in others
    )


def _beginning(page: Page) -> str:
    lines = [line for line in page.markdown.splitlines() if line and line[0] not in "#|*-`>"]
    return lines[0][:120] + " …" if lines else page.title


def _parts(page: Page, body: str, siblings: Sequence[Page]) -> dict[str, str]:
    """What a frame can show around the text."""
    titles = [(one.name, html.escape(one.title)) for one in siblings]
    outline = enumerate(re.findall(r"<h[23]>(.*?)</h[23]>", body))
    return {
        "body": body,
        "title": html.escape(page.title),
        "menu": _links(_MENU),
        "menu_spans": _links(_MENU, "span"),
        "menu_divs": _links(_MENU, "div"),
        "tree": "".join(f'<li><a href="/{name}">{title}</a></li>' for name, title in titles),
        "categories": "".join(f'<a href="/{name}">{title}</a> | ' for name, title in titles),
        "outline": "".join(f"<li><a href=#{at}>{text}</a></li>" for at, text in outline),
        **{f"teasers_{count}": _teasers(page, siblings, count) for count in range(2, 7)},
    }


def _with_advert(body: str) -> str:
    half = body.find("</p>", len(body) // 2) + 4
    advert = '<div class="ad">Advertisement<p>Winter tyres from 79 crowns. Only this week.</p></div>'
    return body[:half] + advert + body[half:]


def _with_edit_links(body: str) -> str:
    return body.replace("</h2>", ' <span class="edit">[<a href="/edit">edit</a>]</span></h2>')


def _without_paragraphs(body: str) -> str:
    return body.replace("<p>", '<div class="txt">').replace("</p>", "</div>")


def _as_posts(body: str) -> str:
    meta = r'</div><div class="post"><div class="meta">\1 · <a href="/u">Profile</a> · Quote · Like</div>'
    return re.sub(r"<h2>(.*?)</h2>", meta, body)


_COMMENTS = (
    "I said so two years ago and nobody listened.",
    "Thank you for reporting this without shouting.",
    "What about the side streets? They are never mentioned.",
    "My uncle worked there for thirty years and tells a different story.",
    "Please check the figures in the second paragraph.",
    "Good. Next time a little earlier.",
    "Does anybody know whether the buses run again?",
    "The photograph is from last year, by the way.",
)
_COMMENT_LIST = "".join(
    f"<li><b>Reader {number}</b> <time>{number} hours ago</time><p>{text}</p><a href=#r>Reply</a></li>"
    for number, text in enumerate(_COMMENTS, 1)
)
_FOOT = f"<footer><ul>{_links(_FOOTER)}</ul><p>© All rights reserved. Made by people who like the sea.</p></footer>"
_TOWN = (
    f"{_COOKIES}<table width=100%><tr><td colspan=3><img src=/arms.png alt=Arms> {{menu_spans}}</td>"
    f"</tr><tr><td class=left><ul>{_links(_FOOTER[:9])}</ul></td><td class=middle>"
    '<div class="crumbs"><a href="/">Start</a> › <a href="/living">Living here</a> › {title}</div>{body}</td>'
    "<td class=right><h3>News from the town hall</h3>{teasers_3}</td></tr></table>"
)
_PLAIN = (
    "<nav>{menu_spans}</nav><main>{body}</main><aside><h3>You may also like</h3>{teasers_4}"
    "<h3>Newsletter</h3><p>Once a month, no spam.</p></aside>"
)
_CHANGES: dict[str, Callable[[str], str]] = {  # of the text itself, by site
    "news": _with_advert,
    "wiki": _with_edit_links,
    "shop": _without_paragraphs,
    "forum": _as_posts,
}
_FRAMES = {
    "manuals": "<header><nav><ul>{menu}</ul></nav></header><div class=layout><aside class=sidebar>"
    "<h3>All manuals</h3><ul>{tree}</ul></aside><main>{body}<p class=pager><a href=/prev>Previous</a> "
    "<a href=/next>Next</a></p></main></div>",
    "docs": "<div class=topbar><span>docs</span><input placeholder=Search><a href=/versions>Version</a></div>"
    f"<div class=grid><nav class=toctree><ul>{{tree}}</ul><ul>{_links(_MENU[:6])}</ul></nav><div role=main>{{body}}"
    '<div class="feedback">Was this page helpful? <button>Yes</button> <button>No</button></div></div>'
    "<div class=on-this-page><p>On this page</p><ul>{outline}</ul></div></div>",
    "town": _TOWN,
    "news": f"{_COOKIES}<header><ul>{{menu}}</ul><div class=ticker>Live: {{teasers_2}}</div>"
    f"</header><article>{{body}}<div class=share>{_links(('Share', 'Print', 'Save'))}</div></article>"
    "<section class=related><h3>Read more</h3>{teasers_6}</section>"
    f"<section id=comments><h3>Comments</h3><ol>{_COMMENT_LIST}</ol></section>",
    "wiki": '<div id="column"><ul>'
    + _links(("Main page", "Random article", "Recent changes", "Donate", "Tools"))
    + '</ul></div><div id="content">{body}<div class="navbox"><p>Tarnshire</p>{categories}</div></div>',
    "shop": f"{_COOKIES}<div class=head>{{menu_divs}}</div><div class=product><div class=buy><b>129.00</b>"
    "<button>Add to basket</button><div>Delivery in 2 to 4 days. Free returns within 30 days.</div></div>"
    "{body}</div><div class=also><div>Customers also bought</div>{teasers_5}</div>",
    "forum": "<div class=bar>{menu_spans}</div><div class=thread><div class=post>{body}</div></div>"
    "<div class=similar>Similar threads{teasers_5}</div>",
    "health": _PLAIN,
    "blog": _PLAIN,
    "travel": _TOWN,
}
