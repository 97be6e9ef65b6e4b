"""Where a request parts from the nearest one that is recorded, in lines for a page."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.wording.phrases import literal, one_line

from .exchanges import Request

SHOWN: Final = 90
"""Characters of a line of a text that are shown."""
_BEFORE: Final = 20
"""Of these, how many stand before the first character that differs."""
_LINES: Final = 12
"""Lines of a difference that are shown."""
_NOTHING: Final[Any] = object()
"""What stands where the other request has something."""


class Difference(NamedTuple):
    """A ``place``, such as ``tools.search_contacts.description``, and what stands there."""

    place: str
    recorded: Any
    now: Any

    @property
    def lines(self) -> list[str]:
        """What was recorded, behind a minus, and what is asked now, behind a plus."""
        old, new = (_lines(one) for one in (self.recorded, self.now))
        if len(old) == len(new) == 1:
            old, new = _around(old[0], new[0])
        changed = [line for line in difflib.ndiff(old, new) if line[0] in "-+"]
        shown = [f"{line[0]} {one_line(line[2:], SHOWN)}" for line in changed]
        more = len(shown) - _LINES
        return [*shown[:_LINES], f"  … and {more} more lines"] if more > 1 else shown


def nearest(asked: Request, recorded: Sequence[Request], place: int) -> int | None:
    """Return which recorded request to the same person is nearest, from ``place`` on if any is.

    It is the one with the fewest differences; of several the first.
    """
    mine = [index for index, one in enumerate(recorded) if one.who == asked.who]
    later = [index for index in mine if index >= place] or mine
    return min(later, key=lambda index: len(differences(recorded[index], asked)), default=None)


def differences(recorded: Request, now: Request) -> list[Difference]:
    """Return where two requests differ: in model, parameters, prompt and tools, then messages."""
    settings = [_by_name(one.setting) for one in (recorded, now)]
    messages = itertools.zip_longest(recorded.messages, now.messages, fillvalue=_NOTHING)
    numbered = (_parts(f"message {number}", *pair) for number, pair in enumerate(messages, 1))
    return [*_parts("", *settings), *_order(*settings), *itertools.chain.from_iterable(numbered)]


def _by_name(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting with its tools by their names."""
    first = {"model": setting.get("model"), "parameters": setting.get("parameters", {})}
    tools = {str(one.get("name")): one for one in setting.get("tools", ())}
    return {**first, **setting, "tools": tools}


def _order(*settings: Mapping[str, Any]) -> Iterator[Difference]:
    old, new = ([*one["tools"]] for one in settings)
    if old != new and {*old} == {*new}:
        yield Difference("the order of the tools", old, new)


def _parts(place: str, old: Any, new: Any) -> Iterator[Difference]:
    """Yield the smallest parts in which two values differ."""
    if old == new:
        return
    inner: Iterator[tuple[Any, Any, Any]] | None = None
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        names = dict.fromkeys((*old, *new))
        inner = ((name, old.get(name, _NOTHING), new.get(name, _NOTHING)) for name in names)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        inner = zip(itertools.count(1), old, new, strict=False)
    if inner is None:
        yield Difference(place, old, new)
        return
    for name, one, other in inner:
        yield from _parts(f"{place}.{name}" if place else str(name), one, other)


def _lines(value: Any) -> list[str]:
    if value is _NOTHING or value is None:
        return []
    return value.split("\n") if isinstance(value, str) else [literal(value)]


def _around(old: str, new: str) -> list[list[str]]:
    """Return two lines from shortly before the first character in which they differ."""
    pairs = zip(old, new, strict=False)
    same = len([*itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)])
    start = max(same - _BEFORE, 0)
    return [[f"…{one[start:]}" if start else one] for one in (old, new)]
