"""Where the values of a conversation come from: what was said before, or results of calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.conversation.messages import MadeCall
from pytest_toolsandbox.matchers.mentions import is_mentioned
from pytest_toolsandbox.text.numerals import is_number, numbers_in
from pytest_toolsandbox.worlds.state import identity, plain

from .conversations import Conversation, arguments_of
from .facts import names_in

Group = tuple[int, ...]
"""The numbers of calls of which each alone is enough to know a value."""

_KEY: Final = re.compile(r"[A-Za-z_]\w*")
_TELLING: Final = 10
"""Smaller whole numbers may be equal by chance."""
_ROUNDED: Final = 0.01
"""How much a number in a text may differ from a result, as a share of it."""
_FEW_LETTERS: Final = 3
"""Texts of so many letters may be part of another one by chance."""


class Leaf(NamedTuple):
    """A value inside of a result, and its JMESPath; ``""`` is the whole result."""

    path: str
    value: Any


def leaves(value: Any, path: str = "") -> Iterator[Leaf]:
    """Yield the values of a result that are no lists or objects."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            name = key if _KEY.fullmatch(key) else f'"{key}"'
            yield from leaves(item, f"{path}.{name}" if path else name)
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from leaves(item, f"{path}[{place}]")
    else:
        yield Leaf(path, value)


def is_telling(value: Any) -> bool:
    """Return whether a value is unlikely to be equal to another one by chance."""
    if isinstance(value, str):
        return sum(map(str.isalnum, value)) >= _FEW_LETTERS
    return is_number(value) and (abs(value) >= _TELLING or value % 1 > 0)


def is_heard(value: Any, text: str) -> bool:
    """Return whether a text has a value: as words, a number, or the digits of one to call."""
    if isinstance(value, str):
        letters = _letters(value)
        return bool(letters) and (letters in _letters(text) or is_mentioned(value, text))
    return is_mentioned(value, text)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def is_worked_out(call: MadeCall) -> bool:
    """Return whether a call looks nothing up: it has arguments, and reads no table."""
    return bool(call.trace and call.trace.reads == () and arguments_of(call))


class Source(NamedTuple):
    """The number of a call whose result has a value, and the path of the value."""

    number: int
    path: str


@dataclass(frozen=True)
class Origins:
    """Finds where values of one conversation come from."""

    conversation: Conversation

    @cached_property
    def _results(self) -> list[tuple[int, MadeCall, list[Leaf]]]:
        return [
            (number, call, [leaf for leaf in leaves(call.trace.result) if is_telling(leaf.value)])
            for number, call in enumerate(self.conversation.calls)
            if call.trace is not None
        ]

    def _known(self, before: int) -> Iterator[tuple[int, list[Leaf]]]:
        """Yield the results that the agent knew before a message, with the numbers of calls."""
        for number, call, values in self._results:
            if call.answer is not None and call.answer < before:
                yield number, values

    def sources(self, value: Any, before: int) -> list[Source]:
        """Return the calls answered before a message whose results have this very value.

        Empty for values that may be equal by chance, and for those that were said before.
        """
        if not is_telling(value) or is_heard(value, self.conversation.heard_before(before)):
            return []
        wanted = identity(plain(value))
        equal = (
            (number, next((leaf for leaf in values if identity(leaf.value) == wanted), None))
            for number, values in self._known(before)
        )
        return [Source(number, leaf.path) for number, leaf in equal if leaf is not None]

    def groups(self, value: Any, before: int) -> list[Group]:
        """Return the calls from which a value, or each value in a text, may come.

        A number that no result has may be worked out from all numbers that were found before.
        """
        if sources := self.sources(value, before):
            return [tuple(source.number for source in sources)]
        if not is_telling(value):
            return []
        if isinstance(value, str):
            return self.groups_in_text(value, before)
        if is_heard(value, self.conversation.heard_before(before)):
            return []
        return self._numeric(before)

    def _numeric(self, before: int) -> list[Group]:
        return [
            (number,)
            for number, values in self._known(before)
            if any(is_number(leaf.value) for leaf in values)
        ]

    def groups_in_text(self, text: str, before: int) -> list[Group]:
        """Return the calls from which the values in a text come, as far as nobody said them."""
        heard = self.conversation.heard_before(before)
        groups: dict[Any, dict[int, None]] = {}
        numbers = {n for n in map(float, numbers_in(text)) if is_telling(n)}
        unknown = {number for number in numbers if not is_mentioned(number, heard)}
        names = [name for name in names_in(text) if not is_mentioned(name, heard)]
        explained = set[float]()
        for number, values in self._known(before):
            for leaf in values:
                if isinstance(leaf.value, str):
                    inside = unknown.intersection(map(float, numbers_in(leaf.value)))
                    parts: list[Any] = [
                        *sorted(inside),
                        *(n for n in names if is_mentioned(n, leaf.value)),
                    ]
                    is_whole = is_mentioned(leaf.value, text) and not is_heard(leaf.value, heard)
                    parts += [leaf.value] if is_whole else []
                else:
                    inside = {n for n in unknown if _is_near(leaf.value, n)}
                    parts = [*sorted(inside)]
                explained |= inside
                for part in parts:
                    groups.setdefault(identity(part), {})[number] = None
        worked_out = self._numeric(before) if unknown - explained else []
        return [*map(tuple, groups.values()), *worked_out]

    def suppliers(self, groups: Iterable[Group], *, conversions: bool = False) -> list[int]:
        """Return the look-ups behind groups of calls.

        Without ``conversions``, a conversion is none, since an agent may work it out itself; its
        arguments may come from look-ups.
        """
        numbers: dict[int, None] = {}
        for group in groups:
            call = self.conversation.calls[group[0]]
            if conversions or not is_worked_out(call):
                numbers[group[0]] = None
            if not is_worked_out(call):
                continue
            for argument in leaves(dict(arguments_of(call))):
                further = self.groups(argument.value, call.request)
                numbers |= dict.fromkeys(self.suppliers(further))
        return [*numbers]

    def reference(self, value: Any, before: int, made: Iterable[int]) -> str | None:
        """Return ``$tool.path`` for a value in the latest result of a tool, if there is one.

        ``made`` are the numbers of the calls that a solution has made so far, in order.
        """
        calls = self.conversation.calls
        newest = {calls[number].call.name: number for number in made}
        for source in self.sources(value, before):
            name = calls[source.number].call.name
            if newest.get(name) == source.number and _KEY.fullmatch(name):
                return short_form(name, source.path)
        return None


def short_form(name: str, path: str) -> str:
    """Return how scenarios write a value from a result."""
    return f"${name}{'' if not path or path.startswith('[') else '.'}{path}"


def _is_near(value: float, number: float) -> bool:
    return abs(value - number) <= _ROUNDED * abs(value)
