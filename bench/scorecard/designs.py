"""Page designs: what surrounds the text on each site, as real sites do it."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt

from bench.scorecard.corpus import Page

Frame = Callable[[Page, str, Sequence[Page]], str]
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
    frame = _FRAMES[page.site]
    head = f"<title>{html.escape(page.title)}</title><meta charset=utf-8>"
    return f"<!doctype html><html lang=en><head>{head}</head>{frame(page, body, siblings)}</html>".encode()


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


def _footer() -> str:
    return f"<footer><ul>{_links(_FOOTER)}</ul><p>© All rights reserved. Made by people who like the sea.</p></footer>"


def _manuals(page: Page, body: str, siblings: Sequence[Page]) -> str:
    tree = "".join(f'<li><a href="/{one.name}">{html.escape(one.title)}</a></li>' for one in siblings)
    return (
        f"<body><header><nav><ul>{_links(_MENU)}</ul></nav></header><div class=layout><aside class=sidebar>"
        f"<h3>All manuals</h3><ul>{tree}</ul></aside><main>{body}<p class=pager><a href=/prev>Previous</a> "
        f"<a href=/next>Next</a></p></main></div>{_footer()}</body>"
    )


def _docs(page: Page, body: str, siblings: Sequence[Page]) -> str:
    outline = "".join(f"<li><a href=#{at}>{text}</a></li>" for at, text in enumerate(_headings(body)))
    tree = "".join(f'<li><a href="/{one.name}">{html.escape(one.title)}</a></li>' for one in siblings)
    return (
        f"<body><div class=topbar><span>docs</span><input placeholder=Search><a href=/versions>Version</a></div>"
        f"<div class=grid><nav class=toctree><ul>{tree}</ul><ul>{_links(_MENU[:6])}</ul></nav><div role=main>{body}"
        f'<div class="feedback">Was this page helpful? <button>Yes</button> <button>No</button></div></div>'
        f"<div class=on-this-page><p>On this page</p><ul>{outline}</ul></div></div>{_footer()}</body>"
    )


def _town(page: Page, body: str, siblings: Sequence[Page]) -> str:
    crumbs = '<div class="crumbs"><a href="/">Start</a> › <a href="/living">Living here</a> › ' + html.escape(
        page.title
    )
    return (
        f"<body>{_COOKIES}<table width=100%><tr><td colspan=3><img src=/arms.png alt=Arms> {_links(_MENU, 'span')}</td>"
        f"</tr><tr><td class=left><ul>{_links(_FOOTER[:9])}</ul></td><td class=middle>{crumbs}</div>{body}</td>"
        f"<td class=right><h3>News from the town hall</h3>{_teasers(page, siblings, 3)}</td></tr></table>"
        f"{_footer()}</body>"
    )


def _news(page: Page, body: str, siblings: Sequence[Page]) -> str:
    comments = "".join(
        f"<li><b>Reader {number}</b> <time>{number} hours ago</time><p>{text}</p><a href=#r>Reply</a></li>"
        for number, text in enumerate(_COMMENTS, 1)
    )
    half = body.find("</p>", len(body) // 2) + 4
    advert = '<div class="ad">Advertisement<p>Winter tyres from 79 crowns. Only this week.</p></div>'
    return (
        f"<body>{_COOKIES}<header><ul>{_links(_MENU)}</ul><div class=ticker>Live: {_teasers(page, siblings, 2)}</div>"
        f"</header><article>{body[:half]}{advert}{body[half:]}"
        f"<div class=share>{_links(('Share', 'Print', 'Save'))}</div></article>"
        f"<section class=related><h3>Read more</h3>{_teasers(page, siblings, 6)}</section>"
        f"<section id=comments><h3>Comments</h3><ol>{comments}</ol></section>{_footer()}</body>"
    )


def _wiki(page: Page, body: str, siblings: Sequence[Page]) -> str:
    edited = re.sub(r"</h2>", ' <span class="edit">[<a href="/edit">edit</a>]</span></h2>', body)
    categories = "".join(f'<a href="/{one.name}">{html.escape(one.title)}</a> | ' for one in siblings)
    column = _links(("Main page", "Random article", "Recent changes", "Donate", "Tools"))
    return (
        f'<body><div id="column"><ul>{column}</ul></div>'
        f'<div id="content">{edited}<div class="navbox"><p>Tarnshire</p>{categories}</div></div>{_footer()}</body>'
    )


def _shop(page: Page, body: str, siblings: Sequence[Page]) -> str:
    soup = body.replace("<p>", '<div class="txt">').replace("</p>", "</div>")
    return (
        f"<body>{_COOKIES}<div class=head>{_links(_MENU, 'div')}</div><div class=product><div class=buy><b>129.00</b>"
        f"<button>Add to basket</button><div>Delivery in 2 to 4 days. Free returns within 30 days.</div></div>"
        f"{soup}</div><div class=also><div>Customers also bought</div>{_teasers(page, siblings, 5)}</div>"
        f"{_footer()}</body>"
    )


def _forum(page: Page, body: str, siblings: Sequence[Page]) -> str:
    posts = re.sub(
        r"<h2>(.*?)</h2>",
        r'</div><div class="post"><div class="meta">\1 · <a href="/u">Profile</a> · Quote · Like</div>',
        body,
    )
    return (
        f"<body><div class=bar>{_links(_MENU, 'span')}</div><div class=thread><div class=post>{posts}</div></div>"
        f"<div class=similar>Similar threads{_teasers(page, siblings, 5)}</div>{_footer()}</body>"
    )


def _plain(page: Page, body: str, siblings: Sequence[Page]) -> str:
    return (
        f"<body><nav>{_links(_MENU, 'span')}</nav><main>{body}</main><aside><h3>You may also like</h3>"
        f"{_teasers(page, siblings)}<h3>Newsletter</h3><p>Once a month, no spam.</p></aside>{_footer()}</body>"
    )


def _headings(body: str) -> list[str]:
    return re.findall(r"<h[23]>(.*?)</h[23]>", body)


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
_FRAMES: dict[str, Frame] = {
    "manuals": _manuals,
    "docs": _docs,
    "town": _town,
    "news": _news,
    "wiki": _wiki,
    "shop": _shop,
    "forum": _forum,
    "health": _plain,
    "blog": _plain,
    "travel": _town,
}
