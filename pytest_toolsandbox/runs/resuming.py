"""A run that goes on after a stop: which trials an earlier one has finished, and with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.records.configuration import CONFIGURATION, OF_JUDGE, OF_SCENARIO, changes
from pytest_toolsandbox.records.parts import TrialsRecord
from pytest_toolsandbox.records.reading import StoredRecord, usable_lines
from pytest_toolsandbox.records.record import Outcome, Record, Summary, read_record, summary_of
from pytest_toolsandbox.records.trials import SCORED
from pytest_toolsandbox.records.writing import Trial


@dataclass(frozen=True)
class KeptTrial:
    """A trial of an earlier run, which tells the same as one that was played now.

    One that is not finished has a conversation that is whole, and was not judged.
    """

    record: Mapping[str, Any]
    reason: None = None
    exception: None = None

    @property
    def number(self) -> int:
        """Which trial of its item it is, from 1."""
        number: int = self.record["trial"]
        return number

    @property
    def outcome(self) -> Outcome:
        """Whether it passed or failed."""
        outcome: Outcome = self.record["outcome"]
        return outcome

    @property
    def is_finished(self) -> bool:
        """Whether it passed or failed."""
        return self.outcome in SCORED

    @property
    def may_be_reviewed(self) -> bool:
        """Whether somebody looks at its user, once it is known to have failed."""
        return "reviewer" in self.record.get("user_settings", {})

    @property
    def stored(self) -> StoredRecord:
        """What is needed to judge its conversation again."""
        return cast("StoredRecord", read_record(self.record))

    @property
    def of_trials(self) -> TrialsRecord | None:
        """How many trials its item was to have."""
        return self.record.get("of_trials")

    @property
    def messages(self) -> Sequence[Message]:
        """What was said."""
        return read_record(self.record)["messages"]

    @cached_property
    def summary(self) -> Summary:
        """The part of the record that totals need."""
        return summary_of(self.record)

    def in_run_of(self, now: Trial) -> KeptTrial:
        """Return it as a trial of the run of today, which may have another shard or plan."""
        of_run = {"shard": now.shard, "of_trials": now.of_trials, "confirms": now.confirms}
        record = {name: value for name, value in self.record.items() if name not in of_run}
        return KeptTrial(record | {name: one for name, one in of_run.items() if one})


Told = Trial | KeptTrial


class Finished(NamedTuple):
    """The trials whose conversations came to their end, by item and number; the unusable lines."""

    trials: dict[str, dict[int, KeptTrial]]
    unusable: str | None


def finished_trials(file: Path) -> Finished:
    """Return what a file of records has.

    Raises :class:`~pytest_toolsandbox.records.reading.StoredError`.
    """
    trials: dict[str, dict[int, KeptTrial]] = {}
    lines, unusable = usable_lines(file, Record)
    for line in lines:
        of_item = trials.setdefault(line.read["id"], {})
        is_whole = line.read.get("unjudged") and line.read["trial"] not in of_item
        if line.read["outcome"] in SCORED or is_whole:  # others say nothing of the agent
            of_item[line.read["trial"]] = KeptTrial(line.record)
    return Finished(trials, unusable)


def is_of_scenario(kept: KeptTrial, now: Trial) -> bool:
    """Whether a trial was played with the text, tools and world that the scenario has ``now``."""
    return not any(changes(kept.record, now.record, OF_SCENARIO))


def other_configuration(kept: KeptTrial, now: Trial) -> Iterator[str]:
    """Yield in what those who took part, and how, differ from ``now``.

    Another judge is a difference where there is none now: its opinion would stand.
    """
    return changes(kept.record, now.record, (*CONFIGURATION, *(() if now.judge else OF_JUDGE)))


def has_other_judge(kept: KeptTrial, now: Trial) -> bool:
    """Whether somebody else judged the words of a trial, or the rules alone."""
    return any(changes(kept.record, now.record, OF_JUDGE))
