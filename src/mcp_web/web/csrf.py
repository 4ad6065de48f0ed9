"""Protects forms against cross-site request forgery: a token that only our own pages contain (double-submit cookie)."""

from __future__ import annotations

import hmac
import secrets

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from mcp_web.errors import InvalidInput
from mcp_web.web.catalogue import gettext as _

COOKIE = "mcp_web_form"
FIELD = "form_token"


def token_of(request: Request) -> str:
    """The form token in this browser's cookie; a new one if there is none."""
    return request.cookies.get(COOKIE) or secrets.token_urlsafe(24)


def with_token(response: Response, request: Request, token: str) -> Response:
    """The response, with the token as a cookie unless the browser has it already."""
    if request.cookies.get(COOKIE) != token:
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=secure, path="/")
    return response


async def checked_form(request: Request) -> FormData:
    """The fields of a form; raises InvalidInput for a form that was not sent from one of our pages."""
    form = await request.form(max_fields=50, max_files=0)
    given, known = str(form.get(FIELD, "")), request.cookies.get(COOKIE, "")
    if not known or not hmac.compare_digest(given.encode(), known.encode()):
        raise InvalidInput(
            _("This form was not sent from a page of this server."), suggestion=_("Reload it and try again.")
        )
    return form


async def check_confirmed(request: Request) -> FormData:
    """The fields of a form that deletes something; raises InvalidInput if it is not from one of our pages, or its
    confirmation box was not ticked."""
    form = await checked_form(request)
    if form.get("sure") != "yes":
        raise InvalidInput(_("Deleting was not confirmed."), suggestion=_("Tick the box and try again."))
    return form
