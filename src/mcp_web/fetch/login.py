"""The operator's logins: a header or a cookie file per host. The agent sees that one was used, never its value."""

from __future__ import annotations

import base64
import contextlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_web.errors import ConfigError
from mcp_web.model.login import SiteLogin
from mcp_web.text.urls import Url, host_matches

if TYPE_CHECKING:
    from http.cookiejar import Cookie, MozillaCookieJar

_ENTRY = re.compile(r"(?P<plain>http://)?(?:https://)?(?P<host>[\w.*-]+(?::\d+)?)\s*[:=]\s+(?P<rest>.+)")
_HEADER = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9-]*):\s*(?P<value>\S.*)")


@dataclass(frozen=True, slots=True)
class Login:
    """The header or cookies for one host. Sent over plain http only if the operator wrote `http://` before the host."""

    host: str  # as configured: `wiki.example`, `*.example` or `wiki.example:8443`
    plain: bool
    header: tuple[str, str] | None = field(default=None, repr=False)
    cookies: MozillaCookieJar | None = field(default=None, repr=False)

    def fits(self, url: Url) -> bool:
        """Whether the login is for this URL: its host and port, and its scheme is allowed."""
        if url.scheme != "https" and not self.plain:
            return False
        host, _, port = self.host.partition(":")
        if url.port != (int(port) if port else 443 if url.scheme == "https" else 80):
            return False
        return host_matches(url.host, host) if host.startswith("*.") else host == url.host

    def headers(self, url: Url) -> list[tuple[str, str]]:
        """The headers to send with a request to a URL that the login `fits`; empty if no cookie is for it."""
        if self.header is not None:
            return [self.header]
        from urllib.request import Request

        assert self.cookies is not None
        asked = Request(url.href)  # noqa: S310  never opened: the jar only reads its host and path
        self.cookies.add_cookie_header(asked)
        cookie = asked.get_header("Cookie")
        return [("Cookie", cookie)] if cookie else []

    def for_browser(self, url: Url) -> SiteLogin:
        """The login in the form for a browser: a header, or cookies, each with the path that it is for."""
        if self.header is not None and self.header[0].lower() != "cookie":
            return SiteLogin(header=self.header)
        if self.header is not None:
            pairs = (part.strip().partition("=") for part in self.header[1].split(";"))
            return SiteLogin(cookies=tuple((name, value, "/") for name, equals, value in pairs if equals))
        kept = (cookie for cookie in self.cookies or () if _reaches(cookie, url))
        return SiteLogin(cookies=tuple((cookie.name, cookie.value or "", cookie.path) for cookie in kept))


class Logins:
    """All logins that the operator configured."""

    def __init__(self, text: str) -> None:
        """Read MCP_WEB_LOGIN: one `host: Header: value` or `host: cookies FILE` a line, or separated by ||.

        Raises ConfigError for an invalid entry or a cookie file that cannot be read.
        """
        lines = [line.strip() for line in re.split(r"\n|\|\|", text)]
        self._entries = [_parse(line) for line in lines if line]

    def headers(self, url: Url) -> list[tuple[str, str]]:
        """The headers of the first login that fits this URL; empty if there is none."""
        return next((login.headers(url) for login in self._entries if login.fits(url)), [])

    def for_browser(self, url: Url) -> SiteLogin | None:
        """The first login that fits this URL, in the form for a browser; None if there is none."""
        return next((login.for_browser(url) for login in self._entries if login.fits(url)), None)

    def secrets(self) -> list[str]:
        """The parts of the logins that must never be sent in a URL; some may be empty."""
        found: list[str] = []
        for login in self._entries:
            if login.header is not None:
                found += _parts(login.header[1])
            found += [cookie.value or "" for cookie in login.cookies or ()]
        return found


def _parts(value: str) -> list[str]:
    """The secrets in a header value: the whole value, its last word, its `name=VALUE` values, Basic credentials."""
    token = value.split()[-1]
    found = [value, token, *(pair.partition("=")[2].strip().strip('"') for pair in re.split(r"[;,]", value))]
    if value.lower().startswith("basic "):
        with contextlib.suppress(ValueError):
            decoded = base64.b64decode(token, validate=True).decode()
            found += [decoded, decoded.partition(":")[2]]
    return found


def _reaches(cookie: Cookie, url: Url) -> bool:
    """Whether a cookie may be sent to the host of a URL and by its scheme; its path is not checked."""
    if cookie.secure and url.scheme != "https":
        return False
    below = cookie.domain.startswith(".") and host_matches(url.host, cookie.domain[1:])
    return below or url.host == cookie.domain.lower()


def _parse(line: str) -> Login:
    """Read one entry of MCP_WEB_LOGIN; raises ConfigError if it is invalid."""
    entry = _ENTRY.fullmatch(line)
    if entry is None:
        raise _config_error("an entry without a host")
    host, plain, rest = entry["host"].lower(), bool(entry["plain"]), entry["rest"]
    if rest.startswith("cookies "):
        return Login(host, plain, cookies=_jar(rest.removeprefix("cookies ").strip(), host))
    header = _HEADER.fullmatch(rest)
    if header is None or not rest.isprintable():
        raise _config_error(f"no header and no cookie file for {host}")
    return Login(host, plain, header=(header["name"], header["value"].strip()))


def _jar(path: str, host: str) -> MozillaCookieJar:
    """The cookies of a Netscape cookie file that have not expired; raises ConfigError if it cannot be read."""
    # Imported only for operators with a cookie file: it takes a tenth of the start-up time of a fetch.
    from http.cookiejar import LoadError, MozillaCookieJar

    jar = MozillaCookieJar(path)
    try:
        jar.load(ignore_discard=True, ignore_expires=False)
    except (OSError, LoadError) as error:
        raise _config_error(f"a cookie file for {host} that cannot be read") from error
    return jar


def _config_error(what: str) -> ConfigError:
    # Values are secrets, so the message names only the host.
    return ConfigError(
        f"MCP_WEB_LOGIN contains {what}.",
        suggestion="Write `wiki.example: Authorization: Bearer TOKEN` or `wiki.example: cookies /path/cookies.txt`.",
    )


class RedirectCookies:
    """The cookies that hosts set while one page redirects: each is sent back only to its host, for this page only, and
    not over plain http if it has the attribute Secure."""

    def __init__(self) -> None:
        self._by_host: dict[str, dict[str, tuple[str, bool]]] = {}  # (value, Secure) by host and name

    def keep(self, url: Url, headers: tuple[tuple[str, str], ...]) -> None:
        """Keep the cookies that the response headers of a URL set, at most 20 for a host."""
        for name, value in headers:
            pair, *attributes = (part.strip() for part in value.split(";"))
            key, equals, content = (part.strip() for part in pair.partition("="))
            if name == "set-cookie" and equals and key and len(pair) < 4096 and pair.isprintable():
                kept = self._by_host.setdefault(url.host, {})
                if key in kept or len(kept) < 20:
                    kept[key] = content, "secure" in map(str.lower, attributes)

    def headers(self, url: Url) -> list[tuple[str, str]]:
        """The Cookie header for a URL; empty if its host set none for it."""
        kept = self._by_host.get(url.host, {}).items()
        sent = [f"{key}={value}" for key, (value, secure) in kept if url.scheme == "https" or not secure]
        return [("Cookie", "; ".join(sent))] if sent else []
