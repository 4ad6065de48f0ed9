"""robots.txt by RFC 9309, read as leniently as the large crawlers read it. Pure; never raises on any input.

Written by hand because no available parser both passes Google's test suite and reads real files.
Known departures from the RFC, all Google's: a missing colon, common misspellings and longer forms of the keys
(`disallowed`) are understood, a rule that allows `/dir/index.html` allows `/dir/`, and an allowed `%62` is not `b`.
A disallowed `%62` does match `b`: where the encoding leaves a doubt, the URL is not fetched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_BYTES = 512 * 1024  # RFC 9309 asks for at least 500 KiB
_MAX_LINE = 2083 * 8  # eight times the longest URL that old browsers took; the rest of a line is ignored
_AGENT_KEYS = ("user-agent", "useragent", "user agent")
_DISALLOW_KEYS = ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")
_TOKEN = re.compile(r"[A-Za-z_-]+")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_ESCAPE = re.compile(rb"%([0-9a-fA-F]{2})|[\x80-\xff]")
_INDEX = re.compile(r"/index\.htm[^/]*$")
# Characters whose encoding changes nothing (RFC 3986 2.3), and the apostrophe, which a URL parser encodes in a query.
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'")
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}|[\x00-\x20\"<>`{}^|\\\x7f]")


@dataclass(frozen=True, slots=True)
class RobotsRule:
    """One Allow or Disallow line."""

    allow: bool
    pattern: str  # as written, with hex in upper case: of the rules that match, the longest decides
    normalised: str  # the same with percent-encoding normalised

    def covers(self, path: str, normalised: str) -> bool:
        """Whether the rule matches a path; `normalised` is the same path with percent-encoding normalised."""
        if matches(self.pattern, path):
            return True
        return (self.normalised, normalised) != (self.pattern, path) and matches(self.normalised, normalised)


@dataclass(slots=True)
class Group:
    """A group of a robots.txt: user agents, in lower case, and the rules for them."""

    agents: set[str] = field(default_factory=set)
    rules: list[RobotsRule] = field(default_factory=list)


class Robots:
    """A parsed robots.txt."""

    def __init__(self, groups: list[Group], delays: dict[str, float]) -> None:
        self._groups = groups
        self._delays = delays

    def allows(self, agent: str, url: str) -> bool:
        """Whether this user agent may fetch a URL (or a path): the longest matching rule decides, a tie allows.

        The rules are those of the groups that name the agent, or if none does, of those for all agents (`*`).
        """
        path = path_of(url)
        normalised = _normalised(path).replace("*", "%2A").replace("$", "%24")
        token = agent.lower() if _TOKEN.fullmatch(agent) else None
        own = [group for group in self._groups if token in group.agents]
        groups = own or [group for group in self._groups if "*" in group.agents]
        rules = (rule for group in groups for rule in group.rules if rule.covers(path, normalised))
        return max(((len(rule.pattern), rule.allow) for rule in rules), default=(0, True))[1]

    def delay(self, agent: str) -> float | None:
        """The Crawl-delay for this user agent (if no group names it, that for `*`), in seconds; None if none is set."""
        token = agent.lower()
        named = any(token in group.agents for group in self._groups)
        return self._delays.get(token if named else "*")


def parse_robots(body: bytes | str) -> Robots:
    """Parse a robots.txt, at most its first 512 KiB; lines that are not understood are ignored."""
    raw = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else body
    groups: list[Group] = []
    delays: dict[str, float] = {}
    open_for_agents = False
    named: list[str] = []  # the agents of the last run of user-agent lines
    naming = False
    for line in _lines(raw):
        key, value = _pair(line)
        names_agent = key.startswith(_AGENT_KEYS)
        if names_agent:
            if not open_for_agents:
                groups.append(Group())
                open_for_agents = True
            agent = _agent_name(value)
            groups[-1].agents.add(agent)
            named = [*named, agent] if naming else [agent]
        elif key.startswith(("allow", *_DISALLOW_KEYS)):
            open_for_agents = False
            if groups and value:
                groups[-1].rules += _rules(key.startswith("allow"), value)
        elif key == "crawl-delay" and (seconds := _seconds(value)) is not None:
            # Not in the RFC, so it ends no group of rules; it applies to the agents named just above.
            delays |= {agent: seconds for agent in named if agent not in delays}
        # Any other line neither opens nor closes a group (RFC 9309 2.2.4).
        naming = names_agent or (naming and not key)
    return Robots(groups, delays)


def agent_token(user_agent: str) -> str:
    """The name by which a User-Agent is looked up in robots.txt: `mcp-web` for `mcp-web/1.0`; empty if it has none."""
    found = re.search(r"compatible;\s*([A-Za-z_-]+)", user_agent) or re.match(r"\s*([A-Za-z_-]+)", user_agent)
    return found[1] if found else ""


def matches(pattern: str, path: str) -> bool:
    """Whether a path begins with a rule's pattern: `*` is any characters, a final `$` the end. Linear time."""
    anchored = pattern.endswith("$")
    first, *rest = (pattern[:-1] if anchored else pattern).split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    if not rest:
        return not anchored or at == len(path)
    *middle, last = rest
    for part in middle:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    if anchored:
        return path.endswith(last) and len(path) - len(last) >= at
    return path.find(last, at) >= 0


def path_of(url: str) -> str:
    """The part of a URL that rules are matched against: path and query."""
    rest = url.partition("#")[0]
    if rest.startswith("/") and not rest.startswith("//"):
        return rest
    rest = re.sub(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//", "", rest)
    found = re.search(r"[/?;]", rest)
    if not found:
        return "/"
    path = rest[found.start() :]
    return path if path.startswith("/") else "/" + path


def kept_text(body: bytes) -> str:
    """A robots.txt as ASCII text, to be stored: other bytes are percent-encoded, which leaves the rules the same."""
    plain = _without_mark(body).replace(b"\0", b"")
    return re.sub(rb"[\x80-\xff]", lambda octet: b"%%%02X" % octet[0][0], plain).decode("ascii")


def _lines(raw: bytes) -> list[bytes]:
    """The lines of the first 512 KiB, without the line that is cut off there: half a rule is another rule."""
    lines = _LINE_END.split(_without_mark(raw[:MAX_BYTES]))
    return lines[:-1] if len(raw) >= MAX_BYTES else lines


def _normalised(text: str, plain: frozenset[str] = _PLAIN) -> str:
    """Normalise percent-encoding: decode the characters in `plain`, encode what a URL may not have, upper-case hex."""

    def replaced(found: re.Match[str]) -> str:
        if len(found[0]) == 1:
            return f"%{ord(found[0]):02X}"
        char = chr(int(found[0][1:], 16))
        return char if char in plain else found[0].upper()

    return _ENCODED.sub(replaced, text)


def _without_mark(body: bytes) -> bytes:
    """The body without a byte-order mark, even an incomplete one."""
    mark = b"\xef\xbb\xbf"
    for size in (3, 2, 1):
        if body.startswith(mark[:size]):
            return body[size:]
    return body


def _pair(line: bytes) -> tuple[str, bytes]:
    """The key of a line, in lower case, and its value, without a comment; both empty for a line of another form."""
    text = line[: _MAX_LINE - 1].partition(b"#")[0].strip()
    key, colon, value = text.partition(b":")
    if not colon:
        words = text.split()
        if len(words) != 2:
            return "", b""
        key, value = words
    return key.strip().lower().decode("latin-1"), value.strip()


def _agent_name(value: bytes) -> str:
    """The agent that a user-agent line names: its product token in lower case, `*` for all, empty if invalid."""
    name = value.decode("latin-1")
    if name == "*" or (name.startswith("*") and name[1].isspace()):
        return "*"
    found = _TOKEN.match(name)
    return found[0].lower() if found else ""


def _rules(allow: bool, value: bytes) -> list[RobotsRule]:
    """The rules of an Allow or Disallow line: one, and if it allows an index page a second that allows its folder."""
    pattern = _ESCAPE.sub(lambda m: b"%" + m[1].upper() if m[1] else b"%%%02X" % m[0][0], value).decode("latin-1")
    rules = [_rule(allow, pattern)]
    if allow and _INDEX.search(pattern):
        rules.append(_rule(True, pattern[: pattern.rindex("/") + 1] + "$"))
    return rules


def _rule(allow: bool, pattern: str) -> RobotsRule:
    ending = "$" if pattern.endswith("$") else ""
    literal = pattern.removesuffix("$").replace("$", "%24")  # only a last one is the end; stars are stars everywhere
    return RobotsRule(allow, pattern, _normalised(literal, frozenset() if allow else _PLAIN) + ending)


def _seconds(value: bytes) -> float | None:
    """The seconds in the value of a Crawl-delay line; None if it is invalid."""
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < 1e9 else None
