"""Errors that tools of several worlds raise; an agent reads them as ``Type: message``."""

from __future__ import annotations

from collections.abc import Iterable

Checks = Iterable[tuple[object, str]]
"""What must be true, and what is wrong where it is not. A check may rely on those before it."""


class NoDataError(Exception):
    """Nothing has the identifier that the call names."""


class DuplicateError(Exception):
    """The change would make a second one of what there can be only one of."""


class WorldError(Exception):
    """A world is wrong: it cannot be registered, or a tool raised what it does not declare.

    One line: file and line in the world's code, what was found, and what to do. It is an error of
    the collection or of the item, and never a score of the agent.
    """


DECLARED = (NoDataError, DuplicateError)
"""What every tool may raise for the agent to read, without declaring it."""


def check(checks: Checks, start: str) -> None:
    """Raise :class:`WorldError`, with ``start`` before its words, for the first that fails."""
    for holds, problem in checks:
        if not holds:
            raise WorldError(f"{start}: {problem}")
