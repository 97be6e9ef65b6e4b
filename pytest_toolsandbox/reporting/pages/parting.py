"""Where the conversations of two trials part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.records.verdict import SCORED
from pytest_toolsandbox.runs.resuming import Told

from .transcript import NAMES, WIDTH, said

_MOST = 3
"""How many partings are shown."""


def parting_lines(trials: Sequence[Told]) -> list[str]:
    """Return where trials part from the first one that passed, or else from the first.

    Trials that part at the same message, and say the same there, share their lines. One that was
    not finished parts from none.
    """
    trials = [one for one in trials if one.outcome in SCORED]
    if len(trials) == 1 or not trials:
        return []
    messages = {one.number: one.messages for one in trials}
    passed = [one.number for one in trials if one.outcome == "passed"]
    first, *_ = passed or messages
    partings: dict[tuple[int, str, str], list[int]] = {}
    for number, others in messages.items():
        if place := parting(messages[first], others):
            partings.setdefault(place, []).append(number)
    lines: list[str] = []
    for (index, here, there), numbers in list(partings.items())[:_MOST]:
        lines += _written(index, {_named([first]): here, _named(numbers): there})
    more = len(partings) - _MOST
    return [*lines, *([f"and {more} more ways"] if more > 0 else [])]


def parting(one: Sequence[Message], other: Sequence[Message]) -> tuple[int, str, str] | None:
    """Return the index of the first message that differs, and what both say there, if one does."""
    for index, (here, there) in enumerate(zip_longest(one, other)):
        if _facts(here) != _facts(there):
            return index, _line(here), _line(there)
    return None


def _facts(message: Message | None) -> object:
    """Return what is said, without the identifiers of calls, which are made up."""
    if message is None:
        return None
    call = message.call and (message.call.name, message.call.arguments)
    return message.sender, message.recipient, message.content, call


def _line(message: Message | None) -> str:
    if message is None:
        return "nothing more"
    arrow = f"{NAMES[message.sender]} -> {NAMES[message.recipient]}"
    return f"{arrow:<{WIDTH}}  {said(message)}".rstrip()


def _written(index: int, sides: dict[str, str]) -> Iterator[str]:
    width = max(map(len, sides))
    yield f"{' and '.join(sides)} part at [{index}]"
    for name, line in sides.items():
        yield f"  {name:<{width}}  {line}"


def _named(numbers: Sequence[int]) -> str:
    return f"trial{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
