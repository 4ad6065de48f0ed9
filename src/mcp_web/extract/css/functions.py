"""Computes the functions of a value that depend on the element: `var()`, `attr()`, `if()`, functions of the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from turbohtml import Element

from mcp_web.extract.css.colour import is_colour
from mcp_web.extract.css.conditions import holds_for
from mcp_web.extract.css.effort import Effort, TooComplex
from mcp_web.extract.css.syntax import split_outside
from mcp_web.extract.css.variables import substituted

_MOST_VALUE = 20_000  # characters of a value after its functions were replaced
_PER_STEP = 10  # characters of an argument that are read in the time of one step
_DEEPEST = 50  # functions inside others; more of them refer to each other in a circle
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\Z")
_MEASURES = ("<length>", "<percentage>", "<length-percentage>", "<angle>", "<time>")

Styles = Mapping[str, str]


class Function(NamedTuple):
    """A function that a sheet defines with `@function`."""

    parameters: Mapping[str, str]  # the default of each
    body: Mapping[str, str]  # `result` and local variables


class Functions:
    """Computes the functions in the values of a page's elements, such as `var()` and `attr()`."""

    def __init__(
        self,
        defined: Mapping[str, Function],
        inherited: Callable[[Element, str], str | None],
        effort: Effort,
    ) -> None:
        """`defined` are the page's own functions, by name.

        `inherited` returns the value of a variable or property that an element does not declare itself.
        """
        self._defined = defined
        self._inherited = inherited
        self._effort = effort
        self._places: dict[Element, tuple[int, int]] = {}

    def filled(
        self,
        element: Element,
        value: str,
        declared: Styles,
        around: tuple[str, ...] = (),
        invalid: set[str] | None = None,
    ) -> str:
        """The value with its functions replaced by their results, for an element with these declarations.

        A function without a result becomes "". `around` are the names of the variables and functions whose values this
        one is part of, the outermost first: fifty deep functions stay as they are. What makes the value invalid is
        added to `invalid`: the name of each variable that refers to itself through others, and "" for one that is
        not declared. Raises TooComplex if the value becomes too long.
        """

        def result(name: str, argument: str) -> str:
            self._effort.spend(5 + len(argument) / _PER_STEP)
            if len(around) >= _DEEPEST:
                return f"{name}({argument})"
            if name == "var":
                return self._variable(element, argument, declared, around, set() if invalid is None else invalid)
            inside = (*around, f"{name}()")  # a variable may have the same name
            found = self._result(element, name, argument, declared, inside)
            return self.filled(element, found, declared, inside, invalid)

        found = substituted(value, result).strip() if "(" in value else value
        if len(found) > _MOST_VALUE:
            raise TooComplex
        return found

    def _variable(
        self, element: Element, argument: str, declared: Styles, around: tuple[str, ...], invalid: set[str]
    ) -> str:
        """The result of `var()`, for the other arguments as for `filled`: the value of the variable, or the fallback
        if that is invalid."""
        name, comma, fallback = (part.strip() for part in argument.partition(","))
        if name in around:
            invalid.add(name)
            return ""
        value = declared[name] if name in declared else self._inherited(element, name)
        wrong: set[str] = set() if value else {""}
        text = self.filled(element, value, declared, (*around, name), wrong) if value else ""
        if circle := wrong - {name, ""}:
            invalid |= circle  # the variable is one of a circle, where no fallback counts
        elif wrong and comma:
            return self.filled(element, fallback, declared, (*around, "var"), invalid)
        elif wrong:
            invalid.add("")
        return text

    def _result(self, element: Element, name: str, argument: str, declared: Styles, around: tuple[str, ...]) -> str:
        if name == "attr":
            wanted, _, fallback = (part.strip() for part in argument.partition(","))
            return _attribute(element, wanted, fallback)
        if name == "if":
            return self._branch(element, argument, declared, around)
        if name == "light-dark":
            return split_outside(argument, ",")[-1 if self._is_dark(element, declared) else 0]
        if name == "random":
            numbers = [each for each in split_outside(argument, ",") if each[:1] in "+-.0123456789"]
            return numbers[0] if numbers else ""  # the least of what it may be
        if name in ("sibling-index", "sibling-count"):
            return str(self._place(element)[name == "sibling-count"])
        return self._called(element, name, split_outside(argument, ","), declared, around)

    def _branch(self, element: Element, branches: str, declared: Styles, around: tuple[str, ...]) -> str:
        """The value of the first branch of `if()` whose condition holds for the element; "" if none does."""
        for branch in split_outside(branches, ";"):
            condition, *value = split_outside(branch, ":")
            if condition == "else" or holds_for(condition, self.variables(element, declared, around)):
                return ":".join(value)
        return ""

    def variables(self, element: Element, declared: Styles, around: tuple[str, ...] = ()) -> Callable[[str], str]:
        """A function that returns a variable's value for an element with these declarations; "" if it has none."""
        return lambda name: self.filled(element, f"var({name})", declared, around)

    def _is_dark(self, element: Element, declared: Styles) -> bool:
        scheme = declared.get("color-scheme") or self._inherited(element, "color-scheme") or ""
        return "dark" in scheme and "light" not in scheme

    def _place(self, element: Element) -> tuple[int, int]:
        """The place of the element among its siblings, counted from one, and how many they are with it; (1, 1)
        alone."""
        if element not in self._places and element.parent is not None:
            siblings = [child for child in element.parent.children if isinstance(child, Element)]
            self._effort.spend(len(siblings))
            self._places.update({each: (at, len(siblings)) for at, each in enumerate(siblings, 1)})
        return self._places.get(element, (1, 1))

    def _called(self, element: Element, name: str, values: list[str], declared: Styles, around: tuple[str, ...]) -> str:
        """The result of one of the page's own functions with these arguments; "" if none has this name. It is computed
        for an element with the declarations `declared`; `around` is as for `filled`."""
        function = self._defined.get(name)
        if function is None:
            return ""
        self._effort.spend(len(function.parameters) + len(function.body) + len(declared))
        own = {
            parameter: self.filled(element, values[at] if values[at:] and values[at] else default, declared, around)
            for at, (parameter, default) in enumerate(function.parameters.items())
        }
        own = {**own, **{each: value for each, value in function.body.items() if each[:2] == "--"}}
        outside = tuple("" if each in own else each for each in around)  # its own variables are others of that name
        return self.filled(element, function.body.get("result", ""), {**declared, **own}, outside)


def _attribute(element: Element, wanted: str, fallback: str) -> str:
    """The result of `attr()`: the value of the attribute, if it fits the type or unit in `wanted`; else `fallback`.
    `wanted` is the name of the attribute and what follows it, such as "data-size px"."""
    name, _, kind = wanted.partition(" ")
    text = (element.attr(name) or "").strip().lower()
    kind = kind.strip()
    if kind[:5] == "type(":
        return text if text and has_type(text, kind[5:-1]) else fallback
    return f"{text}{kind.removeprefix('number')}" if kind and _NUMBER.match(text) else fallback


def has_type(text: str, syntax: str) -> bool:
    """Whether a value has the syntax that `attr()` or `@property` names, such as `<length> | auto`."""
    return any(_is_one(text, kind.strip(" +#")) for kind in syntax.split("|"))


def _is_one(text: str, kind: str) -> bool:
    if kind == "<color>":
        return is_colour(text)
    if kind in ("<number>", "<integer>"):
        return _NUMBER.match(text) is not None or text.startswith("calc(")
    if kind in _MEASURES:
        return (text[:1] in tuple("+-.0123456789") and (not _NUMBER.match(text) or float(text) == 0)) or text[
            -1:
        ] == ")"
    return kind[:1] in ("<", "*") or text == kind
