"""Pair the acts of a conversation with those of a solution, in order, at the least cost.

It is an edit distance. An act may be left out, be made in addition, or be another one; how much
that costs depends on what it does to the world.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from .acts import Act, alike, same_effect

_CHANGE: Final = 8.0
"""The cost of a change of the world that is left out or added; it outweighs what surrounds it."""
_LOOK_UP: Final = 2.0
_TEXT: Final = 2.0
_TRIED: Final = 1.0
"""The cost of an added call that changes nothing: agents make some to find their way."""
_OTHER_CHANGE: Final = 7.0
_OTHER_LOOK_UP: Final = 2.5
"""The cost of a look-up with other arguments: less than that of two different ones."""
_OTHER_TEXT: Final = 2.0
_NEARLY: Final = 0.5
"""What similar words cost."""


class Pair(NamedTuple):
    """An act of the conversation and one of the solution, by their places; ``None`` is missing."""

    act: int | None
    right: int | None
    cost: float


@dataclass(frozen=True)
class Aligned:
    """The acts of a conversation and of a solution, paired; ``cost`` is how much they differ."""

    acts: Sequence[Act]
    solution: Sequence[Act]
    pairs: tuple[Pair, ...]

    @property
    def cost(self) -> float:
        """The sum over all pairs."""
        return sum(pair.cost for pair in self.pairs)


def aligned(acts: Sequence[Act], solution: Sequence[Act]) -> Aligned:
    """Pair the acts; of several ways at the same cost, what is left out comes first."""
    height, width = len(acts), len(solution)
    best = [[0.0] * (width + 1) for _ in range(height + 1)]
    for i in range(height, -1, -1):
        for j in range(width, -1, -1):
            if (i, j) != (height, width):
                best[i][j] = min(cost for cost, *_ in _ways(acts, solution, i, j, best))
    pairs, i, j = [], 0, 0
    while (i, j) != (height, width):
        _, pair = min(_ways(acts, solution, i, j, best), key=lambda way: way[0])
        pairs.append(pair)
        i, j = i + (pair.act is not None), j + (pair.right is not None)
    return Aligned(acts, solution, tuple(pairs))


def _ways(
    acts: Sequence[Act], solution: Sequence[Act], i: int, j: int, best: list[list[float]]
) -> list[tuple[float, Pair]]:
    ways = []
    if i < len(acts) and j < len(solution):
        cost = other_cost(acts[i], solution[j])
        ways.append((cost + best[i + 1][j + 1], Pair(i, j, cost)))
    if j < len(solution):
        cost = _left_out(solution[j])
        ways.append((cost + best[i][j + 1], Pair(None, j, cost)))
    if i < len(acts):
        cost = _added(acts[i])
        ways.append((cost + best[i + 1][j], Pair(i, None, cost)))
    return ways


def _left_out(act: Act) -> float:
    if act.text is not None:
        return _TEXT
    return _CHANGE if act.effect else _LOOK_UP


def _added(act: Act) -> float:
    if act.text is not None:
        return _TEXT
    return _CHANGE if act.effect else _TRIED


def other_cost(act: Act, right: Act) -> float:
    """Return what it costs that an act stands for that of the solution."""
    if (act.text is None) != (right.text is None):
        return math.inf
    if act.text is not None and right.text is not None:
        likeness = alike(act.text, right.text)
        return 0.0 if likeness == 1 else _NEARLY if likeness else _OTHER_TEXT
    if act.tool != right.tool:
        return math.inf
    if act.effect or right.effect:
        likeness = same_effect(act.effect, right.effect)
        return 0.0 if likeness == 1 else _NEARLY if likeness else _OTHER_CHANGE
    is_same = act.arguments == right.arguments and act.failed == right.failed
    finds_same = not act.failed and not right.failed and act.result == right.result
    return 0.0 if is_same or finds_same else _OTHER_LOOK_UP
