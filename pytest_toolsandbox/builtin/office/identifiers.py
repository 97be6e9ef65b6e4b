"""Identifiers, tokens and codes: each tool draws its own, the same in every conversation.

A tool's n-th identifier is the n-th value of ToolTalk's random stream for its shape. So the next
identifier depends on nothing but the state, and recorded conversations can be replayed.
"""

from __future__ import annotations

from functools import cache
from random import Random

from pytest_toolsandbox.worlds.context import Context

SEED = 489

# The numbers of hexadecimal digits in the groups of an identifier.
SHAPES = {
    "UserLogin": (8, 4, 4),
    "RegisterUser": (8, 4, 4),
    "AddAlarm": (4, 4),
    "CreateEvent": (8, 4),
    "SendEmail": (2, 4, 8),
    "SendMessage": (8, 8),
    "AddReminder": (2, 4),
}
CODES = "SendVerificationCode"
"""The tool that draws codes of six decimal digits instead."""


def draw(context: Context, tool: str) -> str:
    """Return the tool's next identifier, and count it as drawn."""
    counts = context.state["identifier"].where(tool=tool)
    drawn = counts[0]["drawn"] if counts else 0
    context.remove("identifier", *counts)
    context.add("identifier", {"tool": tool, "drawn": drawn + 1})
    return identifier(tool, drawn)


def identifier(tool: str, place: int) -> str:
    """Return the identifier that a tool draws after ``place`` others, from 0."""
    count = 16
    while count <= place:
        count *= 2
    return _first(tool, count)[place]


@cache
def _first(tool: str, count: int) -> tuple[str, ...]:
    random = Random(SEED)  # noqa: S311  # it is to be foreseeable
    if tool == CODES:
        return tuple(f"{random.randint(0, 999_999):06}" for _ in range(count))
    return tuple(_hexadecimal(random, SHAPES[tool]) for _ in range(count))


def _hexadecimal(random: Random, shape: tuple[int, ...]) -> str:
    return "-".join(f"{random.randint(0, 16**digits - 1):0{digits}x}" for digits in shape)
