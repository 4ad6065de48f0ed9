"""HTML inside another format (feed entry, book chapter, notebook output) → Markdown."""

from __future__ import annotations

from turbohtml import parse

from mcp_web.extract.hidden.remove import remove_hidden
from mcp_web.extract.html.write import write_markdown


def snippet_markdown(html: str, base_url: str, *, relative_links: bool = True) -> tuple[str, int]:
    """The visible content of a piece of HTML as Markdown without images, and how many hidden texts were left out.

    Links are resolved against `base_url`. Without `relative_links` a relative link is replaced by its text: in a book
    it leads to another file of the book.
    """
    tree = parse(html, positions=False)
    tree.remove("script, iframe, object, embed, form, button")
    hidden = remove_hidden(tree)
    tree.remove("style")
    if not relative_links:
        for link in tree.select("a[href]:not([href^='http:' i]):not([href^='https:' i])"):
            link.unwrap()
    body = tree.select_one("body") or tree.root
    if body is None:
        return "", hidden
    return write_markdown([body], base_url, include_images=False).markdown.strip(), hidden
