"""Calls that were made before, in a world that is still the same (RAC)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from pytest_toolsandbox.worlds.state import State

from .attempts import Attempt


def repetitions(attempts: Sequence[Attempt], *, turns_apart: bool = False) -> Collection[int]:
    """Return the places of attempts that can tell and change nothing that an earlier one did not.

    An attempt is a repetition of an earlier one with the same tool and the same arguments, defaults
    included, if the state of the world before it is what it was before the earlier one. The clock
    stands still, so asking for the time again is one. What was never executed repeats nothing.
    With ``turns_apart`` an agent knows of what it did since the user last spoke, and of no more.
    """
    repeated = set()
    seen: dict[Hashable, list[State]] = {}
    for place, attempt in enumerate(attempts):
        if attempt.fault is not None:
            continue
        key = attempt.request, attempt.turn if turns_apart else 0
        states = seen.setdefault(key, [])
        if attempt.before in states:
            repeated.add(place)
        states.append(attempt.before)
    return frozenset(repeated)
