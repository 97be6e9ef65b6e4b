"""What happens in a world by itself when its clock moves: alarms ring, deliveries arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from pytest_toolsandbox.text.error_text import blamed, place_of, type_and_text

from .context import Context, WorldError
from .state import Row, State, TableSchema

_MOST: Final = 100_000
"""The limit of what happens in one move of the clock: more is a row that is due again and again."""


@dataclass(frozen=True)
class Due:
    """Rows of a table for which something happens at a time.

    ``at`` is the column with that time, or a function of state and row: a datetime with a time
    zone, a POSIX timestamp in seconds, or ``None`` for a row that is not due. ``happen`` gets the
    context, whose clock shows the time, and the row. It may change any table, as a tool does.
    """

    table: str
    at: str | Callable[[State, Row], datetime | float | None]
    happen: Callable[[Context, Row], object]

    def time_of(self, state: State, row: Row) -> datetime | None:
        """Return when a row is due, in UTC."""
        time: Any = row[self.at] if isinstance(self.at, str) else self.at(state, row)
        if time is None or isinstance(time, datetime):
            return None if time is None else time.astimezone(UTC)
        return datetime.fromtimestamp(time, UTC)


def passed_time(
    dues: Sequence[Due],
    schemas: Mapping[str, TableSchema],
    state: State,
    times: tuple[datetime, datetime],
    place: str,
) -> State:
    """Return the state after the clock moved from the first of two times to the second.

    What is due after the first time, and not after the second, happens in the order of the times;
    at equal times in the order of ``dues`` and rows. What a row leads to can be due itself, if it
    is later. Raises :class:`WorldError`.
    """
    now, end = times
    count = 0
    while (next_time := _next(dues, state, now, end)) is not None:
        for due, row in list(_due_at(dues, state, next_time)):
            if row not in state[due.table].rows:  # another one has changed it at the same time
                continue
            count += 1
            if count > _MOST:
                text = f"more than {_MOST} rows were due in one move of the clock"
                raise WorldError(f"the table {due.table!r}: {text}")
            context = Context(state, next_time.astimezone(end.tzinfo), f"{place}/{count}", schemas)
            with _blamed(due):
                due.happen(context, row)
            state = context.state
        now = next_time
    return state.at(end)


def _next(dues: Sequence[Due], state: State, now: datetime, end: datetime) -> datetime | None:
    """Return the next time at which something is due."""
    times = (time for _, _, time in _times(dues, state))
    return min((time for time in times if now < time <= end), default=None)


def _due_at(dues: Sequence[Due], state: State, moment: datetime) -> Iterator[tuple[Due, Row]]:
    return ((due, row) for due, row, time in _times(dues, state) if time == moment)


def _times(dues: Sequence[Due], state: State) -> Iterator[tuple[Due, Row, datetime]]:
    for due in dues:
        for row in state[due.table].rows:
            with _blamed(due):
                time = due.time_of(state, row)
            if time is not None:
                yield due, row, time


def _blamed(due: Due) -> AbstractContextManager[None]:
    """Raise :class:`WorldError` for what a world's function raises."""

    def mistake(error: BaseException) -> WorldError:
        text = f"what is due in the table {due.table!r} raised {type_and_text(error)}"
        place = place_of(error)
        return WorldError(f"{place}: {text}" if place else text)

    return blamed(mistake, WorldError)
