"""Parses XML without entities, and finds elements and attributes by their names without namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from xml.etree import ElementTree

Element = ElementTree.Element
_PIECE = 65_536  # bytes of XML that are parsed at once


def parse_xml(data: bytes) -> Element:
    """The root element of XML. Raises ValueError, whose message is a predicate: "contains broken XML in line 3"."""
    with _checked(data):
        return ElementTree.fromstring(data)  # noqa: S314


def read_xml(data: bytes, section: str) -> Iterator[tuple[bool, Element]]:
    """Parse XML, and yield the children of the root; of a child named `section`, its children instead.

    Each comes with whether it is in a section, and is then removed: for files too large to be kept as a tree. Raises
    ValueError for XML that is broken or declares entities, possibly after some elements.
    """
    builder = ElementTree.TreeBuilder()
    top = builder.start("", {})  # an element around the root, which has what was read so far
    parser = ElementTree.XMLParser(target=builder)  # noqa: S314
    with _checked(data):
        for start in range(0, len(data), _PIECE):
            parser.feed(data[start : start + _PIECE])
            for root in top:
                yield from _complete(root, section, len(root) - 1)
        parser.close()
    for root in top:
        yield from _complete(root, section, len(root))


def _complete(root: Element, section: str, count: int) -> Iterator[tuple[bool, Element]]:
    """Remove elements that are completely parsed from a root, and yield them as `read_xml` does: its first `count`
    children, and of a section after these all children but the last."""
    complete = root[:count]
    del root[:count]
    for each in complete:
        yield from [(True, one) for one in each] if local(each.tag) == section else [(False, each)]
    for each in root:
        if local(each.tag) == section:
            complete = each[:-1]
            del each[:-1]
            yield from [(True, one) for one in complete]


@contextmanager
def _checked(data: bytes) -> Iterator[None]:
    """A context in which errors of the XML parser become ValueError. Raises ValueError first if the data declares
    entities, which attacks use and documents do not."""
    if b"<!ENTITY" in data or b"<\x00!\x00E\x00N\x00T\x00I\x00T\x00Y" in data:
        raise ValueError("declares XML entities")
    try:
        yield
    except ElementTree.ParseError as error:
        raise ValueError(f"contains broken XML in line {error.position[0]}") from error
    except (LookupError, ValueError) as error:
        raise ValueError("is in an encoding that cannot be read") from error


@lru_cache(maxsize=1024)  # a document has few tags, each thousands of times
def local(tag: object) -> str:
    """The name of a tag without its namespace; "" for comments."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, name: str) -> str | None:
    """The value of an attribute by its local name, in any namespace; None if there is none."""
    for key, value in element.attrib.items() if element is not None else ():
        if key == name or key.endswith("}" + name):
            return value
    return None


def child(element: Element | None, *path: str) -> Element | None:
    """The element at the end of a path of local names, by the first child of each name; None if there is none."""
    for name in path:
        for each in element if element is not None else ():
            if local(each.tag) == name:
                element = each
                break
        else:
            return None
    return element


def children(element: Element | None, *names: str) -> list[Element]:
    """The children of an element; if names are given, those with one of these local names."""
    return [each for each in element if not names or local(each.tag) in names] if element is not None else []


def descendants(element: Element | None, name: str) -> Iterator[Element]:
    """The elements with the local name in document order: the element itself, if it has it, and its descendants."""
    return (each for each in element.iter() if local(each.tag) == name) if element is not None else iter(())
