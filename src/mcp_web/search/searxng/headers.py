"""Headers that SearXNG's limiter accepts.

It refuses an Accept without text/html, a missing Accept-Language, and user agents of scripts; over https it requires
the Sec-Fetch headers of a navigation. No header identifies the user.
"""

from __future__ import annotations

import random

_AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
)
_LANGUAGES = ("en-US,en;q=0.9", "en-US,en;q=0.5", "en-GB,en;q=0.8", "en;q=0.9")


def headers_for(randomness: random.Random | None) -> dict[str, str]:
    """The headers of a browser navigation: with `randomness` a random browser and language, else always the same."""
    agent, language = (
        (randomness.choice(_AGENTS), randomness.choice(_LANGUAGES)) if randomness else (_AGENTS[0], _LANGUAGES[0])
    )
    return {
        "User-Agent": agent,
        "Accept": "text/html,application/json;q=0.9,*/*;q=0.8",
        "Accept-Language": language,
        "Accept-Encoding": "gzip, deflate",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
        "Sec-Fetch-Site": "none",
        "DNT": "1",
    }
