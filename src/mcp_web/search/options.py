"""What an operator may set about search."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.errors import ConfigError
from mcp_web.model.option import option

SOURCE_NAMES = (
    "wikipedia",
    "wikidata",
    "openalex",
    "crossref",
    "datacite",
    "arxiv",
    "europepmc",
    "stackexchange",
    "github",
    "hackernews",
    "internetarchive",
    "pypi",
    "npm",
    "crates",
)


@dataclass(frozen=True, slots=True)
class SearchOptions:
    providers: tuple[str, ...] = option(
        (),
        "Providers that `auto` asks, in order. Empty: an own SearXNG, then those with a key; keyless ones only "
        "without an own SearXNG.",
        env="MCP_WEB_SEARCH_PROVIDERS",
        choices=("brave", "tavily", "exa", "serper", "searxng", "google", "ddgs", *SOURCE_NAMES),
    )
    sources_enabled: bool = option(
        True,
        "Whether official sources (Wikipedia, Crossref, Stack Exchange, GitHub …) are asked beside the general "
        "providers when the category or the query fits them.",
        env="MCP_WEB_SEARCH_SOURCES",
    )
    source_urls: tuple[str, ...] = option(
        (),
        "Addresses of official sources in place of the public ones, as wikipedia=https://wiki.example.",
        env="MCP_WEB_SEARCH_SOURCE_URLS",
    )
    contact: str = option(
        "",
        "E-mail address in requests to official sources: they ask for one, and Crossref answers faster.",
        env="MCP_WEB_CONTACT",
    )
    github_token: str = option(
        "",
        "Token of GitHub, without any scope: more searches, and search in code.",
        env="MCP_WEB_GITHUB_TOKEN",
        secret=True,
    )
    openalex_key: str = option("", "Free key of OpenAlex: more searches a day.", env="OPENALEX_API_KEY", secret=True)
    stackexchange_key: str = option(
        "", "Free key of Stack Exchange: more searches a day.", env="STACKEXCHANGE_KEY", secret=True
    )
    brave_api_key: str = option(
        "", "Key of the Brave Search API.", env=("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"), secret=True
    )
    brave_url: str = option(
        "https://api.search.brave.com/res/v1", "Base of the Brave Search API.", env="MCP_WEB_BRAVE_URL"
    )
    google_api_key: str = option(
        "", "Key of Google's Custom Search JSON API (ends on 2027-01-01).", env="GOOGLE_API_KEY", secret=True
    )
    google_engine_id: str = option("", "Id (cx) of the Google search engine.", env="GOOGLE_SEARCH_ENGINE_ID")
    google_url: str = option(
        "https://customsearch.googleapis.com/customsearch/v1",
        "Address of Google's Custom Search.",
        env="MCP_WEB_GOOGLE_URL",
    )
    google_safe_search: str = option(
        "off",
        "Safe search of the read-page contract when a call names none.",
        env="GOOGLE_SAFE_SEARCH",
        choices=("off", "moderate", "strict"),
    )
    tavily_api_key: str = option(
        "", "Key of Tavily; without one its keyless mode is used.", env="TAVILY_API_KEY", secret=True
    )
    tavily_url: str = option("https://api.tavily.com", "Base of the Tavily API.", env="MCP_WEB_TAVILY_URL")
    tavily_keyless: bool = option(True, "Whether Tavily may be asked without a key.", env="MCP_WEB_TAVILY_KEYLESS")
    exa_api_key: str = option("", "Key of Exa.", env="EXA_API_KEY", secret=True)
    exa_url: str = option("https://api.exa.ai", "Base of the Exa API.", env="MCP_WEB_EXA_URL")
    serper_api_key: str = option("", "Key of Serper (Google results).", env="SERPER_API_KEY", secret=True)
    serper_url: str = option("https://google.serper.dev", "Base of the Serper API.", env="MCP_WEB_SERPER_URL")
    monthly_budgets: tuple[str, ...] = option(
        (),
        "Requests that a provider may use in a calendar month, as brave=2000: a bill stays within what was planned.",
        env="MCP_WEB_SEARCH_MONTHLY_BUDGETS",
    )
    ddgs_enabled: bool = option(True, "Whether keyless search through ddgs may be used.", env="MCP_WEB_DDGS_ENABLED")
    ddgs_backends: tuple[str, ...] = option(
        ("duckduckgo", "brave", "mojeek", "yahoo", "startpage"),
        "Backends that keyless search asks, in order.",
        env="MCP_WEB_DDGS_BACKENDS",
        choices=("duckduckgo", "brave", "mojeek", "yahoo", "startpage"),
    )
    searxng_urls: tuple[str, ...] = option(
        (),
        "SearXNG instances of your own. With one, keyless providers are asked only if MCP_WEB_SEARCH_PROVIDERS lists "
        "them.",
        env=("MCP_WEB_SEARXNG_URLS", "SEARXNG_URL"),
    )
    searx_space_url: str = option(
        "https://searx.space/data/instances.json",
        "List of public SearXNG instances, used as a last resort; `off` asks none.",
        env="MCP_WEB_SEARX_SPACE_URL",
    )
    searxng_blacklist: tuple[str, ...] = option(
        (), "SearXNG instances that are never asked.", env="MCP_WEB_SEARXNG_BLACKLIST"
    )
    timeout: float = option(
        10.0,
        "Seconds one provider may take; then the next is asked too, and the search ends when the last had its time.",
        least=0.1,
        most=50,
        contracts={"searxng": 30.0},
        keys={"web_search.default_timeout": 1.0},
    )
    hedge_after: float = 3.0  # seconds without an answer after which the next SearXNG instance is asked as well
    cache_ttl: float = option(3600.0, "Seconds a search answer is kept; 0 keeps none.", least=0)
    max_consecutive_failures: int = option(
        3,
        "Failures in a row after which a provider or instance is paused.",
        least=1,
        keys={"web_search.max_consecutive_failures": 1.0},
        file_only=True,
    )
    failure_backoff: float = 5.0  # seconds of the first pause; each further one doubles, up to an hour
    rate_limit_backoff: float = option(
        60.0,
        "Seconds of pause after a rate limit that names no time; doubles as well.",
        least=0,
        keys={"web_search.rate_limit_backoff_base": 1.0},
        file_only=True,
    )
    health_check_interval: float = option(
        300.0,
        "Seconds between two health checks of a SearXNG instance.",
        least=1,
        keys={"web_search.instance_health_check_interval": 1.0},
        file_only=True,
    )
    discovery_interval: float = 21600.0  # seconds after which the list of public instances is read again
    rotate_user_agents: bool = option(
        True,
        "Whether public SearXNG instances see varying user agents.",
        keys={"web_search.rotate_user_agents": 1.0},
        file_only=True,
    )
    public_interval: float = 5.0  # seconds between two questions to one public SearXNG instance, which others share
    request_delay_least: float = option(
        0.1,
        "Least random delay in seconds before a public instance is asked.",
        least=0,
        keys={"web_search.request_delay_range.0": 0.001},
        file_only=True,
    )
    request_delay_most: float = option(
        0.5,
        "Greatest random delay in seconds before a public instance is asked.",
        least=0,
        keys={"web_search.request_delay_range.1": 0.001},
        file_only=True,
    )
    use_random_instances: bool = option(
        True,
        "Whether the round through equally good public instances starts at a random one.",
        keys={"web_search.use_random_instances": 1.0},
        file_only=True,
    )
    history: bool = option(
        False,
        "Whether queries are kept as search history. Off: no query outlives the cache.",
        env="MCP_WEB_SEARCH_HISTORY",
    )
    history_days: float = 30.0  # days that search history is kept when it is on

    def monthly_budget(self, provider: str) -> int:
        """Requests that the provider may use in a calendar month; 0 is no limit."""
        for entry in self.monthly_budgets:
            name, _, number = entry.partition("=")
            if not number.strip().isdigit():
                raise ConfigError(
                    f"MCP_WEB_SEARCH_MONTHLY_BUDGETS has {entry!r}; an entry is a provider and a number, as brave=2000."
                )
            if name.strip() == provider:
                return int(number)
        return 0

    @property
    def public_list(self) -> str:
        """Where public instances are listed; empty when none shall be asked."""
        return "" if self.searx_space_url.lower() in ("off", "none", "false") else self.searx_space_url
