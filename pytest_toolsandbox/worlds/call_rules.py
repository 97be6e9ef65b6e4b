"""How a call is compared with the one that was expected, as its tool declares it (ToolTalk)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class FreeText:
    """An argument in the caller's own words: alike from a similarity of ``threshold`` on."""

    threshold: float = 0.9


@dataclass(frozen=True)
class SupersetOf:
    """A result whose list ``rows`` must have every ``identifier`` of the expected one's list."""

    rows: str
    identifier: str


ArgumentMeasure = FreeText | Literal["exact", "set", "date", "ignored"]
"""``set``: a list whose order does not matter; ``date``: a date and time of which the date does."""

ResultMeasure = SupersetOf | Literal["equal", "ignored"]


@dataclass(frozen=True)
class CallComparison:
    """What must agree for a call to be the expected one, beside the tool and the error.

    ``arguments`` has a measure for those that are not compared exactly. Only arguments that the
    expected call gives are compared; with ``whole_request`` the calls must give the same ones.
    """

    arguments: Mapping[str, ArgumentMeasure] = field(default_factory=dict)
    result: ResultMeasure = "equal"
    whole_request: bool = False
