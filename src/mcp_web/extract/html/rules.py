"""Chooses the content by selectors alone, for pages with too many boxes to score."""

from __future__ import annotations

from turbohtml import Document as Tree
from turbohtml import Element, Text

from mcp_web.extract import sites
from mcp_web.text.html_facts import html_facts

# Without visible text, whatever was selected (the writer reads formulas from script[type^=math]).
UNSEEN = "script:not([type^='math/' i]),style,template,svg,datalist,meter,progress,body title"
# Never content, on any kind of page.
NEVER = (
    f"{UNSEEN},iframe:not([src]),canvas,object,embed,select,"
    "input:not([type=checkbox]),textarea,nav,button,dialog:not([open]),"
    "footer:not(blockquote footer,figure footer,[class*=footnote]),[role=navigation],[role=search],[role=menu],"
    "[role=menubar],[role=dialog],[role=alertdialog],[role=contentinfo]"
)
# Comments of readers; removed from a page that declares itself an article.
COMMENTS = (
    "#comments,#respond,#disqus_thread,#comment-section,#comments-section,.comments-area,.comment-list,.commentlist,"
    ".comments-list,.comment-respond,.comments-section,.fb-comments,.comments-container,#commentform"
)
ROOTS = ("main,[role=main]", "article", "#content,#main,#main-content")
_MOST = 200  # elements that are checked one by one
_LITTLE = 200  # characters; a page that shows less beside a dialog shows nothing but the dialog
_MOST_WRITTEN = 100_000  # elements: more than any page that people read has; they are written in a second


def open_dialogs(tree: Tree, body: Element, source: bytes) -> None:
    """Let the dialogs of a page that shows nothing else count as its content, by removing their role.

    Not on a page that a script fills: there the text beside the dialog, which often asks about cookies, is yet to come.
    Must run before hidden text is removed: inside elements that are never content, it is not looked for.
    """
    # The search visits all elements.
    dialogs = tree.select("[role=dialog],[role=alertdialog]") if b"dialog" in source else []
    if not dialogs:
        return
    inside = sum([len(element.text) for element in sites.outermost(dialogs)])
    beside = len(body.text) - sum([len(element.text) for element in sites.outermost(body.select(NEVER))])
    if beside < _LITTLE and inside > 3 * beside and not html_facts(source).root:
        for element in dialogs:
            del element.attrs["role"]


def cut_off(root: Element) -> int:
    """If a very large page has over 100,000 elements, remove all after them, and return how many it had; else return 0.
    Empty elements are removed before."""
    root.remove("p:empty,div:empty,span:empty,li:empty,b:empty,a:empty")
    elements = _unwrapped(root).select("*")
    if len(elements) <= _MOST_WRITTEN:
        return 0
    at: Element | None = elements[_MOST_WRITTEN]
    while at is not None and at != root:
        for sibling in list(at.next_siblings):
            sibling.decompose()
        at = at.parent  # type: ignore[assignment]  # below the root every parent is an element
    return len(elements)


def _unwrapped(root: Element) -> Element:
    """The root, or the first element below it that contains more than a single element: wrappers are skipped."""
    while True:
        inside = [node for node in root.children if not (isinstance(node, Text) and node.data.isspace())]
        if len(inside) != 1 or not isinstance(inside[0], Element):
            return root
        root = inside[0]


def choose_by_rules(tree: Tree, body: Element) -> Element:
    """The content of a page that is not scored: the first of these with enough of its text: the longest `main`, the
    only `article`, the longest element with an id such as `content`. Else the body."""
    whole = len(body.text)
    for selector in ROOTS:
        found = tree.select(selector)[:_MOST]
        if not found or (selector == "article" and len(found) > 1):
            continue
        best = max(found, key=lambda element: len(element.text))
        if (size := len(best.text)) > 200 and (size > 0.35 * whole or size > 2500):
            return best
    return body
