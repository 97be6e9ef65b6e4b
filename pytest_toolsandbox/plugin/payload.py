"""The payload on pytest's reports: what an item sends to the process that prints the results.

Pytest-xdist sends a report's attributes between processes, and other plugins write them as JSON:
on the report the payload is one attribute, a dictionary of plain values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

_ATTRIBUTE: Final = "toolsandbox"


@dataclass(frozen=True)
class Payload:
    """What one report adds to pytest's own fields. Each field has a default, which is not sent."""

    records: Sequence[Summary] = ()
    """The records of an item's trials."""
    is_repeated: bool = False
    """Whether another report may have carried the same records: the run was interrupted."""
    kept: Sequence[int] = ()
    """The trials that ``--sandbox-resume`` took from the earlier run."""
    judged: Sequence[int] = ()
    """The trials that it judged again and did not play."""
    is_changed: bool = False
    """Whether a finished trial was played again, since its scenario has changed."""
    skipped: str = ""
    """Why the item was skipped, if this plugin skipped it."""
    in_turn: str = ""
    """Why the item was not played ahead."""
    impact: str = ""
    """The digest of all that the verdict depends on."""
    running: int | None = None
    """How many conversations the worker holds."""
    cassettes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Path of a cassette → trials to add to it, from a worker that cannot write it."""
    usage_error: Sequence[str] = ()
    """What a worker finds wrong with the options, in lines."""

    @property
    def is_kept(self) -> bool:
        """Whether the item was not played, since the earlier run has all its trials."""
        return 0 < len(self.kept) == len(self.records)


_EMPTY: Final = Payload()


def attach_payload(report: Any, payload: Payload) -> None:
    """Put a payload on a report, if there is anything in it."""
    fields = vars(payload).items()
    if sent := {name: value for name, value in fields if value != getattr(_EMPTY, name)}:
        report.__dict__[_ATTRIBUTE] = sent


def take_payload(report: pytest.TestReport | pytest.CollectReport) -> Payload:
    """Take the payload off a report; pytest keeps all reports, and need not keep the records."""
    return Payload(**report.__dict__.pop(_ATTRIBUTE, {}))
