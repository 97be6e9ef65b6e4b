"""Reads when the world's clock moves during a conversation."""

from __future__ import annotations

import re
from typing import Final

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.clock import ClockMove
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.worlds.clock import read_moment

from .base_reader import Reader
from .call_patterns import callable_tools, read_patterns
from .events import ExpectedReader

_KEY: Final = "clock"
_FIRST: Final = 2
"""The first turn before which the clock can move: the opening says when it is at the start."""
_ABSOLUTE: Final = re.compile(r"\d{4}-")


def read_clock(model: models.ScenarioDocument, in_world: InWorld) -> tuple[ClockMove, ...]:
    """Return the moves of the clock, and note mistakes, also in the moments of replies."""
    reader = ExpectedReader(*in_world.reader.context, thresholds=in_world.thresholds)
    moves = tuple(_move(reader, move, (_KEY, place)) for place, move in enumerate(model.clock))
    for place, reply in enumerate(model.user.replies):
        if reply.at is not None:
            _check_moment(reader, reply.at, ("user", "replies", place, "at"))
    if turns := [move.turn for move in moves if move.turn is not None]:
        _check_turns(reader, turns, len(model.user.turns))
    moves_in_replies = any(reply.at is not None for reply in model.user.replies)
    if (moves or moves_in_replies) and not reader.world.has_moving_clock:
        text = f"the clock of the live world {reader.world.name!r} cannot move"
        reader.mistakes.add((_KEY,), f"{text}; give World.of a function move_clock", key=True)
    return moves


def _move(reader: ExpectedReader, move: models.ClockDocument, path: Path) -> ClockMove:
    if (move.turn is None) == (move.call is None):
        reader.mistakes.add(path, "give either 'turn' or 'call', for when the clock moves")
    _check_moment(reader, move.to, (*path, "to"))
    if move.call is None:
        return ClockMove(move.to, move.turn)
    tools = callable_tools(reader.world, "any")
    calls = read_patterns(reader, move.call, (*path, "call"), tools, invented=False)
    return ClockMove(move.to, calls=calls)


def _check_moment(reader: Reader, text: str, path: Path) -> None:
    """Note a text that is no moment, or an absolute one that is not after the start."""
    try:
        moment = read_moment(text, reader.now)
    except ValueError as error:
        # A wall time that is skipped on the first day may exist on a later one.
        if "skip" not in str(error):
            reader.mistakes.add(path, str(error))
        return
    if _ABSOLUTE.match(text) and moment.timestamp() <= reader.now.timestamp():
        reader.mistakes.add(path, f"{text!r} is not after the start, {reader.now:%Y-%m-%d %H:%M}")


def _check_turns(reader: Reader, turns: list[int], last: int) -> None:
    for place, turn in enumerate(turns):
        if turn < _FIRST or (last and turn > last):
            upto = f"to {last}" if last else "on"
            reader.mistakes.expected((_KEY, place, "turn"), f"a turn, from {_FIRST} {upto};", turn)
