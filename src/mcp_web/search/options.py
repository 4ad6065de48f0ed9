"""Options of search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp_web.model.option import option
from mcp_web.text.values import FALSE

SOURCE_NAMES = (
    "wikipedia", "wikidata", "openalex", "crossref", "datacite", "arxiv", "europepmc", "stackexchange",
    "github", "hackernews", "marginalia", "internetarchive", "pypi", "npm", "crates",
)  # fmt: skip
# In the order of preference for `auto`, after the operator's SearXNG: independent indexes, then Google's, then keyless.
GENERAL_NAMES = ("brave", "tavily", "exa", "serper", "searxng", "google", "ddgs")
NEED_KEY = ("brave", "exa", "serper", "google")
ALL_SOURCES = "sources"
GOOGLE_ENGINE = "google_engine"
PUBLIC_LIST = "searx_space"
KEY_VARIABLES = {
    "BRAVE_API_KEY": "brave",
    "BRAVE_SEARCH_API_KEY": "brave",
    "TAVILY_API_KEY": "tavily",
    "EXA_API_KEY": "exa",
    "SERPER_API_KEY": "serper",
    "GOOGLE_API_KEY": "google",
    "GOOGLE_SEARCH_ENGINE_ID": GOOGLE_ENGINE,
    "MCP_WEB_GITHUB_TOKEN": "github",
    "OPENALEX_API_KEY": "openalex",
    "STACKEXCHANGE_KEY": "stackexchange",
    "MARGINALIA_API_KEY": "marginalia",
}
PUBLIC_LIST_URL = "https://searx.space/data/instances.json"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    providers: tuple[str, ...] = option(
        (),
        "Providers that `auto` asks, in order. Empty: an own SearXNG, then those with a key; keyless ones only "
        "without an own SearXNG.",
        env="MCP_WEB_SEARCH_PROVIDERS",
        choices=(*GENERAL_NAMES, *SOURCE_NAMES),
    )
    exclude: tuple[str, ...] = option(
        (),
        "Providers that are never asked, such as ddgs where queries must not be sent to a service without a contract; "
        "`sources` is every official source (Wikipedia, Crossref, GitHub …).",
        env="MCP_WEB_SEARCH_EXCLUDE",
        choices=(*GENERAL_NAMES, *SOURCE_NAMES, ALL_SOURCES),
        entries={"MCP_WEB_DDGS_ENABLED": "ddgs"},
    )
    keys: Mapping[str, str] = option(
        {},
        "Keys of search providers: one with a key is asked before those without. Google also needs the id (cx) of its "
        "search engine; official sources allow more searches with a key.",
        env="MCP_WEB_SEARCH_KEYS",
        choices=tuple(dict.fromkeys(KEY_VARIABLES.values())),
        secret=True,
        entries=KEY_VARIABLES,
    )
    urls: Mapping[str, str] = option(
        {},
        "Addresses of search providers in place of the public ones, such as a mirror or a gateway of yours; "
        f"{PUBLIC_LIST} is the list of public SearXNG instances, which are the last resort (`off` asks none).",
        env="MCP_WEB_SEARCH_URLS",
        choices=("brave", "tavily", "exa", "serper", "google", PUBLIC_LIST, *SOURCE_NAMES),
        entries={"MCP_WEB_BRAVE_URL": "brave", "MCP_WEB_GOOGLE_URL": "google", "MCP_WEB_SEARX_SPACE_URL": PUBLIC_LIST},
    )
    contact: str = option(
        "",
        "E-mail address in requests to official sources: they ask for one, and Crossref answers faster.",
        env="MCP_WEB_CONTACT",
    )
    google_safe_search: str = option(
        "off",
        "Safe search of the read-page contract when a call names none.",
        env="GOOGLE_SAFE_SEARCH",
        choices=("off", "moderate", "strict"),
        contract="read-page",
    )
    monthly_budgets: Mapping[str, int] = option(
        {},
        "Requests that a provider may use in a calendar month, as brave=2000: costs stay within a budget.",
        env="MCP_WEB_SEARCH_MONTHLY_BUDGETS",
        choices=(*GENERAL_NAMES, *SOURCE_NAMES),
        least=0,
    )
    searxng_urls: tuple[str, ...] = option(
        (),
        "SearXNG instances of your own. With one, keyless providers are asked only if MCP_WEB_SEARCH_PROVIDERS lists "
        "them.",
        env=("MCP_WEB_SEARXNG_URLS", "SEARXNG_URL"),
    )
    timeout: float = option(
        10.0,
        "Time one provider may take before the next is asked too; raise it for a slow SearXNG.",
        unit="seconds",
        least=0.1,
        most=50,
        contracts={"searxng": 30.0},
        keys={"web_search.default_timeout": 1.0},
    )
    # Backends of keyless search, in order; Bing only adds what the others lack, so it always comes last.
    ddgs_backends: tuple[str, ...] = ("duckduckgo", "brave", "mojeek", "yahoo", "startpage")
    hedge_after: float = 3.0  # seconds without an answer after which the next SearXNG instance is asked as well
    cache_ttl: float = option(
        3600.0, "Time a search answer is kept; 0 asks the providers each time.", unit="seconds", least=0
    )
    max_consecutive_failures: int = option(
        3,
        "Failures in a row after which a provider or instance is paused.",
        least=1,
        keys={"web_search.max_consecutive_failures": 1.0},
        file_only=True,
        contract="searxng",
    )
    failure_backoff: float = 5.0  # seconds of the first pause; each further one doubles, up to an hour
    rate_limit_backoff: float = option(
        60.0,
        "Pause after a rate limit that names no time; doubles as well.",
        unit="seconds",
        least=0,
        keys={"web_search.rate_limit_backoff_base": 1.0},
        file_only=True,
        contract="searxng",
    )
    health_check_interval: float = option(
        300.0,
        "Time between two health checks of a SearXNG instance.",
        unit="seconds",
        least=1,
        keys={"web_search.instance_health_check_interval": 1.0},
        file_only=True,
        contract="searxng",
    )
    discovery_interval: float = 21600.0  # seconds after which the list of public instances is read again
    rotate_user_agents: bool = option(
        True,
        "Whether public SearXNG instances see varying user agents.",
        keys={"web_search.rotate_user_agents": 1.0},
        file_only=True,
        contract="searxng",
    )
    public_interval: float = 5.0  # seconds between two requests to one public SearXNG instance
    request_delay_least: float = option(
        0.1,
        "Minimum random delay before a public instance is asked.",
        unit="seconds",
        least=0,
        keys={"web_search.request_delay_range.0": 0.001},
        file_only=True,
        contract="searxng",
    )
    request_delay_most: float = option(
        0.5,
        "Maximum random delay before a public instance is asked.",
        unit="seconds",
        least=0,
        keys={"web_search.request_delay_range.1": 0.001},
        file_only=True,
        contract="searxng",
    )
    use_random_instances: bool = option(
        True,
        "Whether the rotation through public instances of one grade starts at a random one.",
        keys={"web_search.use_random_instances": 1.0},
        file_only=True,
        contract="searxng",
    )
    history: bool = option(
        False,
        "Keep queries, so that `mcp-web history` shows them. Off: no query outlives the cache.",
        env="MCP_WEB_SEARCH_HISTORY",
    )
    history_days: float = 30.0  # days that search history is kept when it is on

    def key(self, provider: str) -> str:
        """The API key of a provider; empty if none is configured."""
        return self.keys.get(provider, "")

    def is_set_up(self, provider: str) -> bool:
        """Whether a general provider has a key, or `searxng` an instance of the operator's; False for sources."""
        return bool(self.searxng_urls if provider == "searxng" else provider in GENERAL_NAMES and self.key(provider))

    def can_ask(self, provider: str) -> bool:
        """Whether a provider can be asked at all: it is not excluded and has the key or address that it needs."""
        unlisted_source = provider in SOURCE_NAMES and provider not in self.providers
        if provider in self.exclude or (ALL_SOURCES in self.exclude and unlisted_source):
            return False
        if provider == "searxng":
            return bool(self.searxng_urls or self.public_list)
        return provider not in NEED_KEY or bool(
            self.key(provider) and (provider != "google" or self.key(GOOGLE_ENGINE))
        )

    def withholds(self, provider: str) -> bool:
        """Whether a provider must not see queries: it is not set up, and the operator has an own SearXNG.

        False for all providers if the operator listed `providers`.
        """
        return bool(self.searxng_urls) and not self.providers and not self.is_set_up(provider)

    @property
    def available(self) -> tuple[str, ...]:
        """The names of the providers that a call may use: neither excluded, nor without a key that they need, nor
        withheld because the operator has an own SearXNG."""
        names = (*GENERAL_NAMES, *SOURCE_NAMES)
        return tuple(name for name in names if self.can_ask(name) and not self.withholds(name))

    @property
    def public_list(self) -> str:
        """The URL of the list of public SearXNG instances; empty if the operator switched them off."""
        url = self.urls.get(PUBLIC_LIST, PUBLIC_LIST_URL)
        return "" if url.lower() in FALSE | {"none", ""} else url
