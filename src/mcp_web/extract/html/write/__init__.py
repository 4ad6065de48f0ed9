"""The writing half of HTML extraction: chosen content roots → Markdown.

What the chooser must leave in the tree for it: `script[type^="math/"]`, `iframe`, `video`, `audio`,
`input[type=checkbox]`, empty anchors with a name, and whatever `remove_hidden` has left.
"""

from mcp_web.extract.html.write.written import Written, write_markdown

__all__ = ["Written", "write_markdown"]
