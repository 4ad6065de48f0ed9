"""Renders templates: autoescaped, with strict headers, and with every configured secret masked."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from mcp_web import trace
from mcp_web.text.shorten import shortened_inside
from mcp_web.text.values import encodable
from mcp_web.web.catalogue import gettext, ngettext
from mcp_web.web.catalogue import gettext as _
from mcp_web.web.csrf import token_of, with_token
from mcp_web.web.times import day, moment

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

FOLDER = Path(__file__).parent
MOST_PLACE = 70  # characters of an address in a list
# A kept page must not run, load or frame anything; our own script and style are files.
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "referrer-policy": "same-origin",  # with no-referrer a browser sends forms with the origin null, which is refused
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


def views() -> tuple[tuple[str, str], ...]:
    """The path and the name of each view that every page links to."""
    return (("/", _("Home")), ("/archive", _("Archive")), ("/graph", _("Graph")), ("/watch", _("Watched")),
            ("/figures", _("Statistics")), ("/state", _("State")))  # fmt: skip


@cache
def environment() -> Environment:
    """The Jinja templates; `_()` and `{% trans %}` look every sentence up in the catalogue."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    made.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]  # of the extension
    made.filters |= {used.__name__: used for used in (moment, day, size, place, number, web_address, commands)}
    return made


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """One view as an HTML response, with all configured secrets masked; `values` are those of the template."""
    token = token_of(request)
    shared = {"views": views(), "here": request.url.path, "csrf": token}
    text = environment().get_template(template).render(shared | values)
    shown = encodable(trace.redact(text))  # notebooks can have half surrogate pairs
    return with_token(HTMLResponse(shown, status, headers=HEADERS), request, token)


def size(count: float) -> str:
    """A number of bytes in its largest unit, such as "1.2 MB"."""
    for unit, least in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= least:
            return f"{count / least:,.1f} {unit}"
    return _("%(count)s bytes") % {"count": number(count)}


def number(value: float) -> str:
    return f"{value:,.0f}"


def duration(ms: float) -> str:
    return f"{ms:,.0f}\N{NO-BREAK SPACE}ms"


def place(url: str) -> str:
    """The readable source of a document: host, port, path and query, or the path of a file; shortened in the middle."""
    if url.startswith("file:"):
        return shortened_inside(url.removeprefix("file://").lstrip("/"), MOST_PLACE)
    parts = urlsplit(url)
    path = parts.path.rstrip("/") + (f"?{parts.query}" if parts.query else "")
    return shortened_inside(parts.netloc.rpartition("@")[2].removeprefix("www.") + path, MOST_PLACE)


def commands(text: str) -> Markup:
    """A sentence of ours as HTML, with the commands that it has between backticks as code."""
    from markupsafe import Markup, escape

    parts = (Markup("<code>{}</code>").format(one) if at % 2 else escape(one) for at, one in enumerate(text.split("`")))
    return Markup().join(parts)


def web_address(url: str) -> str:
    """The URL if it is http(s); "" for file:, javascript: and others."""
    return url if url.startswith(("http://", "https://")) else ""
