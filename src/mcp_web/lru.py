"""Caches of limited size, which delete the least recently used entries (LRU): a mapping, and one for functions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, MutableMapping
from contextlib import suppress
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
P = ParamSpec("P")


class LruDict(MutableMapping[K, V]):
    """A mapping of at most `most` entries: one more, and the least recently read or written entry is deleted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __getitem__(self, key: K) -> V:
        value = self._entries[key]
        with suppress(KeyError):  # another thread may have deleted it meanwhile
            self._entries.move_to_end(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def __delitem__(self, key: K) -> None:
        del self._entries[key]

    def __iter__(self) -> Iterator[K]:
        return iter(list(self._entries))  # a copy: reading an entry moves it

    def __len__(self) -> int:
        return len(self._entries)


def cached_if_short(
    longest: int, entries: int
) -> Callable[[Callable[Concatenate[str, P], V]], Callable[Concatenate[str, P], V]]:
    """Decorator for functions whose first argument is a text: caches their last `entries` results.

    Calls with a text of more than `longest` characters are not cached: such texts are rarely repeated, and a hostile
    page could fill the memory with them.
    """

    def decorate(function: Callable[Concatenate[str, P], V]) -> Callable[Concatenate[str, P], V]:
        cached: Callable[Concatenate[str, P], V] = lru_cache(maxsize=entries)(function)  # type: ignore[assignment]

        @wraps(function)
        def call(text: str, /, *others: P.args, **named: P.kwargs) -> V:
            return (cached if len(text) <= longest else function)(text, *others, **named)

        return call

    return decorate
