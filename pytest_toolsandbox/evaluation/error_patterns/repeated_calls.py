"""Calls that were made before, in a world that is still the same (RAC)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from pytest_toolsandbox.worlds.state import State

from .attempts import Attempt


def repetitions(attempts: Sequence[Attempt], *, turns_apart: bool = False) -> Collection[int]:
    """Return the places of attempts that find and change only what an earlier one did.

    An attempt repeats an earlier one with the same tool and arguments, defaults included, if it
    finds the same state of the world. The clock stands still, so asking for the time again is a
    repetition. An attempt with a fault repeats nothing. With ``turns_apart`` an agent only knows
    what it did since the user last spoke.
    """
    repeated = set()
    seen: dict[Hashable, list[State]] = {}
    for place, attempt in enumerate(attempts):
        if attempt.fault is not None:
            continue
        states = seen.setdefault((attempt.request, attempt.turn if turns_apart else 0), [])
        if attempt.before in states:
            repeated.add(place)
        states.append(attempt.before)
    return frozenset(repeated)
