"""Three prompts that show how to use the tools."""

from __future__ import annotations

import anyio
import mcp_types as types
from mcp import MCPError

from mcp_web.app import App
from mcp_web.contracts.contract import Contract, Prompt, text_prompt
from mcp_web.text.untrusted import quoted
from mcp_web.tools.clean_output import clean_value

PROMPTS = (
    text_prompt(
        "docs_summarize_for_coding",
        "Summarise documentation for coding",
        "Read a documentation page and keep what a programmer needs to write correct code.",
        "Address of the documentation page.",
        "Open {value} with web_open; follow its `more:` calls or use `section` until you have read what matters. "
        "Then write for a programmer: what it is for, installation, the smallest working example, the main types "
        "and functions with their parameters and defaults, limits and common errors, the version it describes. "
        "Quote code exactly. Give the snapshot after each statement you rely on, and say what the page left open.",
    ),
    text_prompt(
        "docs_extract_api_surface",
        "Extract an API's surface",
        "List every public name of an API reference with signature and meaning.",
        "Address of the API reference.",
        "Open {value} with web_open and use its outline to reach every section of the reference; open linked pages "
        "of the same reference with web_batch_open. List every public name: kind, full signature exactly as "
        "written, one sentence of meaning, errors it raises, since which version, deprecated or not. "
        "Verify signatures with verify_quotes before you answer, and mark what could not be verified.",
    ),
    text_prompt(
        "research_with_sources",
        "Research a question with sources",
        "Answer a question from several independent sources with verified quotes.",
        "What you want to know.",
        "Answer this question: {value}\nSearch the archive first (archive_search), then the web (web_search), with "
        "different wordings. Prefer primary and independent sources; several copies of one text count once. Read "
        "only what answers with web_read. For every claim keep a short quote, check all quotes of a source with "
        "verify_quotes, and cite the quote_url. Say where sources disagree, how old they are, and what stays open; "
        "no result is not proof of absence.",
        argument="question",
    ),
)


def list_prompts(contract: Contract | None = None) -> list[types.Prompt]:
    """Our prompts, or those of the configured contract."""
    return [
        types.Prompt(
            name=prompt.name,
            title=prompt.title,
            description=prompt.description,
            arguments=[types.PromptArgument(name=prompt.argument, description=prompt.argument_help, required=True)],
        )
        for prompt in _offered(contract)
    ]


async def get_prompt(
    app: App, contract: Contract | None, name: str, arguments: dict[str, str] | None
) -> types.GetPromptResult:
    """The prompt with its argument filled in; raises MCPError for an unknown name or a missing argument."""
    known = {prompt.name: prompt for prompt in _offered(contract)}
    prompt = known.get(name)
    if prompt is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {quoted(name)}. There are: {', '.join(known)}.")
    value = (arguments or {}).get(prompt.argument, "").strip()
    if not value:
        raise MCPError(types.INVALID_PARAMS, f"The prompt {name} needs {prompt.argument!r}: {prompt.argument_help}")
    description, text = await prompt.write(app, value, anyio.current_time() + app.tools.deadline)
    if contract is not None:
        # The prompt of a contract may contain a page, and its format has no envelope, so it is defused.
        description, text = clean_value([description, text])
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=description, messages=[message])


def _offered(contract: Contract | None) -> tuple[Prompt, ...]:
    return PROMPTS if contract is None else contract.prompts
