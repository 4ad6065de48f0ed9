"""Footnotes: `[^1]` for references, `[^1]: …` for definitions; links from a definition back to the text are removed."""

from __future__ import annotations

import re
from itertools import count, islice

from turbohtml import Element, Text

from mcp_web.extract.html.write.lists import entries
from mcp_web.extract.html.write.state import WriterState, first_element, indented

_LABEL = re.compile(r"[\[(]?\s*(\d{1,4}|[*†‡§¶‖#]{1,3}|[a-zA-Z]{1,2}|[ivxlc]{1,6})\s*[\])]?[.:]?\Z")
_WORDS = re.compile(r"foot|fn|note|cite|bib|ref|ftn|endnote", re.I)
# Ids of footnotes, and class names of links to them.
_NAMED = re.compile(
    r"foot|^_?f(?:t)?n(?![a-z])|cite_?note|(?:note|cite|citation|bib|ref|fn|ftn)[\w.:-]*\d|endnote", re.I
)
_CLASSED = re.compile(r"foot-?note|fn-?ref|note-?ref|endnote|citation|\bfn\b", re.I)
_BACK = re.compile(r"[\s↩↑⤴⏎^←⇧🔙\ufe0e\ufe0f]*\Z")
_BLOCKS = frozenset(
    ("li", "p", "div", "aside", "dd", "td", "section", "blockquote", "article", "table", "h4", "h5", "h6")
)
_INLINE = frozenset(("a", "span", "sup", "b", "strong", "small", "cite", "em", "i", "label"))
_LEAD = re.compile(
    r"[\[(\s]*[\])]\s*|[\[(]?(\w{1,6}|\\?[*†‡§¶‖#]{1,3})(?:[\])]?\\?[.:)]?(?=\s|$)|[\])])\s*"
    r"|\*\*(\w{1,6})\*\*\s*|\^(\w{1,6})\s*"
)
_STOP = re.compile(r"[.:)]\s+")  # what is left of a label such as "1." whose number is a link
_MOST = 3000  # references on one page: more than any ordinary page has


class Footnotes:
    """Finds the footnotes under the roots of a writer: references, definitions, labels."""

    def __init__(self, state: WriterState) -> None:
        self.state = state
        self.labels: dict[Element, str] = {}  # definition → label
        self.taken: set[str] = set()
        self.order: dict[Element, int] = {}
        self.by_name: dict[str, Element] = {}
        self.origins: set[str] = set()  # the ids of references, which are the targets of back links

    def mark(self) -> None:
        """Find the footnotes, and record in the writer's state what is written for them."""
        anchors = [a for root in self.state.roots for a in root.select('a[href*="#"]')][: 4 * _MOST]
        candidates = [a for a in anchors if len(a.text) < 16 and _LABEL.match(a.text.strip())]
        if candidates:
            self._index()
            for anchor in candidates[:_MOST]:
                self._refer(anchor)
        if not self.labels:
            self._mark_unlinked()
        for anchor in anchors if self.labels else ():
            name = (anchor.attr("href") or "").rpartition("#")[2]
            is_origin = name in self.origins
            around = _ancestors(anchor) if is_origin or _is_back_link(anchor) else []
            noted = _definition_of(self.by_name[name]) if name in self.by_name and not is_origin else None
            leads_to_other_note = noted in self.labels and noted not in around
            if not leads_to_other_note and not self.labels.keys().isdisjoint(around):
                self.state.inline_special.setdefault(anchor, "")  # not written
        # The writer of each definition: for its list or definition list, or for the block itself.
        self.state.notes = self.labels
        for definition in self.labels:
            parent = definition.parent
            if definition.tag in ("li", "dd") and isinstance(parent, Element):
                self.state.special[parent] = write_list
            else:
                self.state.special[definition] = write_headed if definition.tag[0] == "h" else write_note

    def _index(self) -> None:
        """Record the order of all elements under the roots, and the first element with each id or name."""
        for root in self.state.roots:
            for element in root.iter_elements():
                self.order[element] = len(self.order)
            for element in root.select("[id],a[name]"):
                for name in (element.attr("id"), element.attr("name")):
                    if name:
                        self.by_name.setdefault(name.lstrip("#"), element)  # Rspress writes the id with it

    def _refer(self, anchor: Element) -> None:
        """Record what is written for an anchor, `[^label]`, if it leads to a footnote further down the page."""
        href = anchor.attr("href") or ""
        url = self.state.links.resolve(href)
        target = self.by_name.get(href.partition("#")[2])
        if (
            url is None
            or not self.state.links.is_here(url)
            or target is None
            or self.order.get(target, -1) <= self.order.get(anchor, 0)
        ):
            return
        definition = _definition_of(target)
        if definition is None or definition in _ancestors(anchor) or not self._is_note(anchor, definition):
            return
        holder = _holder(anchor)
        for element in (anchor, *_ancestors(anchor)[:3]):
            self.origins.update(filter(None, (element.attr("id"), element.attr("name"))))
        self.state.inline_special[holder] = f"[^{self._label(definition, anchor.text)}]"

    def _is_note(self, anchor: Element, definition: Element) -> bool:
        """Whether the anchor refers to a footnote: it is superscript, or its class or target is named like one, and the
        definition is not a section."""
        if definition.select_one("h1,h2,h3,h4") is not None:
            return False
        # In Texinfo's manuals a heading holds the number of a footnote alone.
        is_heading = definition.tag[0] == "h" and _LABEL.match(definition.text.strip()) is None
        if is_heading and _WORDS.search(definition.attr("class") or "") is None:
            return False
        is_raised = anchor.select_one("sup") is not None or any(each.tag == "sup" for each in _ancestors(anchor)[:3])
        if is_raised or anchor.attr("role") == "doc-noteref":
            return True
        target = (anchor.attr("href") or "").rpartition("#")[2]
        return _NAMED.search(target) is not None or _CLASSED.search(anchor.attr("class") or "") is not None

    def _label(self, definition: Element, text: str) -> str:
        """The label of a definition, which is recorded: `text`, that of its first reference, if it is free and
        alphanumeric, else a number."""
        if definition not in self.labels:
            found = _LABEL.match(text.strip())
            label = found[1] if found and found[1].isalnum() else ""
            if not label or label in self.taken:
                numbers = map(str, count(len(self.labels) + 1))
                label = next(number for number in numbers if number not in self.taken)
            self.labels[definition] = label
            self.taken.add(label)
        return self.labels[definition]

    def _mark_unlinked(self) -> None:
        """Mark superscript numbers that are not links as references, if paragraphs begin with the same numbers.

        Does nothing unless there are such paragraphs for the number 1 and for half of the numbers.
        """
        raised = [sup for root in self.state.roots for sup in root.select("sup") if sup.text.strip().isdigit()][:_MOST]
        references = [sup for sup in raised if not _leads(sup)]
        if not references:
            return
        wanted = {sup.text.strip() for sup in references}
        found: dict[str, Element] = {}
        for root in self.state.roots:
            for lead in root.select(":is(p,li,div) > :is(sup,strong,b):first-child"):
                number = lead.text.strip().strip("[]().")
                if number in wanted and number not in found and _leads(lead) and isinstance(lead.parent, Element):
                    found[number] = lead.parent
        if "1" not in found or len(found) < 0.5 * len(wanted):
            return
        for number, definition in found.items():
            self.labels[definition] = number
            self.taken.add(number)
        for sup in references:
            if sup.text.strip() in found:
                self.state.inline_special[sup] = f"[^{sup.text.strip()}]"


def _ancestors(element: Element) -> list[Element]:
    """The nearest 40 elements around an element, the inner ones first."""
    return [node for node in islice(element.ancestors, 40) if isinstance(node, Element)]


def _holder(anchor: Element) -> Element:
    """The outermost element with no more text than the reference in brackets: the anchor or one around it."""
    holder = anchor
    for parent in _ancestors(anchor)[:3]:
        has_more = len(parent.text.strip()) > len(anchor.text.strip()) + 2
        if has_more or parent.tag not in ("sup", "span", "cite", "small"):
            break
        holder = parent
    return holder


def _definition_of(target: Element) -> Element | None:
    """The block with the definition that a target marks: the target, the block around it, or the `dd` after a `dt`;
    else None."""
    if target.tag == "dt":
        after = first_element(target.next_siblings)
        return after if after is not None and after.tag == "dd" else None
    if target.tag in _BLOCKS:
        return target
    around = _ancestors(target)[:5] if target.tag in _INLINE else []
    block = next((parent for parent in around if parent.tag in _BLOCKS), None)
    return block if block is not None and len(block.text) < 6000 else None


def _leads(element: Element) -> bool:
    """Whether the element is the first content of a `p`, `li`, `div`, `td` or `dd`."""
    if any(not isinstance(node, Text) or node.data.strip() for node in element.previous_siblings):
        return False
    return isinstance(element.parent, Element) and element.parent.tag in ("p", "li", "div", "td", "dd")


def _is_back_link(anchor: Element) -> bool:
    """Whether a link leads from a definition back to the text."""
    text = anchor.text.strip()
    marks = f"{anchor.attr('class') or ''} {anchor.attr('href') or ''} {anchor.attr('role') or ''}"
    if _BACK.match(text) or "backlink" in marks or "backref" in marks:
        return True
    return len(text) <= 6 and _LABEL.match(text) is not None and _WORDS.search(marks) is not None


def _written(label: str, inside: list[str]) -> str:
    """A definition as `[^label]: …`, without the label in its text, later blocks indented; "" without text."""
    inside = [block for block in inside if block not in ("^", "\\^")]
    if not inside:
        return ""
    first = re.sub(r"^\^\s*(?:\*?\*?[a-z]\*?\*?\s+)*", "", inside[0])
    lead = _LEAD.match(first)
    written = lead[lead.lastindex] if lead is not None and lead.lastindex is not None else ""
    if lead is not None and (written == label or not written.isalnum()):
        first = first[lead.end() :].strip()
    if stop := _STOP.match(first):
        first = first[stop.end() :]
    body = "\n\n".join([first, *inside[1:]] if first else inside[1:])
    return f"[^{label}]: {indented(body, '    ')}" if body else ""


def write_note(state: WriterState, element: Element, out: list[str]) -> None:
    """Append the footnote definition in an element; of a table, as docutils writes it, only the last cell."""
    label = state.notes[element]
    source = element.select_one("td:last-child") if element.tag == "table" else None
    state.special.pop(element, None)
    note = _written(label, state.blocks_of(source or element))
    if note:
        out.append(note)


def write_headed(state: WriterState, element: Element, out: list[str]) -> None:
    """Write nothing for a heading with the number of a footnote (Texinfo): the block after it is marked as the
    definition."""
    after = first_element(element.next_siblings)
    if after is not None and after not in state.notes:
        state.notes[after] = state.notes[element]
        state.special[after] = write_note


def write_list(state: WriterState, element: Element, out: list[str]) -> None:
    """Append a list of footnote definitions. Other items are written as paragraphs."""
    for child in entries(element) if element.tag == "dl" else element:
        if isinstance(child, Element) and child.tag == "dt" and first_element(child.next_siblings) in state.notes:
            continue  # the term before a definition is its label
        label = state.notes.get(child) if isinstance(child, Element) else None
        inside = state.blocks_of([child])
        text = _written(label, inside) if label else "\n\n".join(inside)
        if text:
            out.append(text)
