"""One MCP server that gives an AI agent the web: search, open, read, remember, cite."""

__version__ = "0.1.0"
