"""How a call is compared with the one that was expected, as its tool declares it (ToolTalk)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

CallProtocolName = Literal["published_code", "paper", "turnwise"]
"""How the calls of a recorded conversation are judged."""


@dataclass(frozen=True)
class FreeText:
    """An argument in the caller's own words: alike from a similarity of ``threshold`` on.

    A title, or a place, says in few words what a thing is: to ``turnwise`` each of them counts.
    """

    threshold: float = 0.9
    is_title: bool = False


@dataclass(frozen=True)
class SupersetOf:
    """A result whose list ``rows`` must have every ``identifier`` of the expected one's list.

    A result that is a list has no name for it: its own rows are compared.
    """

    rows: str
    identifier: str


ArgumentMeasure = FreeText | Literal["exact", "set", "date", "moment", "attendees", "ignored"]
"""``set``: a list whose order does not matter; ``date``: a date and time of which the date does;
``moment``: as ``exact``, but a date or time may be written with or without leading zeros;
``attendees``: a set of users to whom the calling one belongs anyway. ``turnwise`` reads ``exact``
and ``date`` as ``moment``, and to it alone ``attendees`` is not ``exact``.
"""

ResultMeasure = SupersetOf | Literal["equal", "ignored"]


@dataclass(frozen=True)
class CallComparison:
    """What must agree for a call to be the expected one, beside the tool and the error.

    ``arguments`` has a measure for those that are not compared exactly. Only arguments that the
    expected call gives are compared; with ``whole_request`` the calls must give the same ones.
    ``merged_by`` is for tools that change what one of their arguments names: to ``turnwise``, calls
    of a turn that give different arguments beside the same one are one call.
    """

    arguments: Mapping[str, ArgumentMeasure] = field(default_factory=dict)
    result: ResultMeasure = "equal"
    whole_request: bool = False
    merged_by: str | None = None
