"""The writing half of HTML extraction: chosen content roots → Markdown."""

from mcp_web.extract.html.write.written import Written, write_markdown

__all__ = ["Written", "write_markdown"]
