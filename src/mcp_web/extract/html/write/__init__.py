"""Writes the chosen elements of an HTML page as Markdown.

It needs these elements, which must not be removed before: `script[type^="math/"]`, `iframe`, `video`, `audio`,
`input[type=checkbox]`, and empty anchors with a name.
"""

from mcp_web.extract.html.write.writer import Written, write_markdown

__all__ = ["Written", "write_markdown"]
