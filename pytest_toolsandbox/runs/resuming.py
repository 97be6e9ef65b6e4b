"""Resume a stopped run: the trials that an earlier run finished, and whether they still apply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.records.configuration import CONFIGURATION, OF_JUDGE, OF_SCENARIO, changes
from pytest_toolsandbox.records.parts import TrialsRecord
from pytest_toolsandbox.records.reading import StoredRecord, UsableLines
from pytest_toolsandbox.records.record import Outcome, Record, Summary, read_record, summary_of
from pytest_toolsandbox.records.trials import SCORED
from pytest_toolsandbox.records.writing import Trial


@dataclass(frozen=True)
class KeptTrial:
    """A trial of an earlier run, with the same interface as a trial of this run.

    If it is not finished, its conversation is complete but was not judged.
    """

    record: Mapping[str, Any]
    reason: None = None
    exception: None = None

    @property
    def number(self) -> int:
        """The number of the trial in its item, from 1."""
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
        """Whether a reviewer checks its user if it failed."""
        return "reviewer" in self.record.get("user_settings", {})

    @property
    def stored(self) -> StoredRecord:
        """The parts of the record that are needed to judge its conversation again."""
        return cast("StoredRecord", read_record(self.record))

    @property
    def of_trials(self) -> TrialsRecord | None:
        """The planned number of trials of its item."""
        return self.record.get("of_trials")

    @property
    def messages(self) -> Sequence[Message]:
        """The messages of the conversation."""
        return read_record(self.record)["messages"]

    @cached_property
    def summary(self) -> Summary:
        """The part of the record that totals need."""
        return summary_of(self.record)

    def in_run_of(self, now: Trial) -> KeptTrial:
        """Return it as a trial of this run, which may have another shard or plan."""
        of_run = {"shard": now.shard, "of_trials": now.of_trials, "confirms": now.confirms}
        record = {name: value for name, value in self.record.items() if name not in of_run}
        return KeptTrial(record | {name: value for name, value in of_run.items() if value})


AnyTrial = Trial | KeptTrial


class Finished(NamedTuple):
    """The complete conversations by item and number, and a line on what cannot be used."""

    trials: dict[str, dict[int, KeptTrial]]
    unusable: str | None


def finished_trials(file: Path) -> Finished:
    """Return the finished trials in a file of records; none if it is missing or empty.

    So one command plays everything, or goes on after a stop. Raises
    :class:`~pytest_toolsandbox.records.reading.StoredError`.
    """
    trials: dict[str, dict[int, KeptTrial]] = {}
    if not file.exists() or (file.is_file() and not file.stat().st_size):
        return Finished({}, f"resume: {file} had no records, so everything was played")
    lines = UsableLines(file, Record)
    for line in lines:
        of_item = trials.setdefault(line.read["id"], {})
        is_whole = line.read.get("unjudged") and line.read["trial"] not in of_item
        if line.read["outcome"] in SCORED or is_whole:  # other outcomes do not depend on the agent
            of_item[line.read["trial"]] = KeptTrial(line.record)
    return Finished(trials, lines.unusable)


def is_of_scenario(kept: KeptTrial, now: Trial) -> bool:
    """Return whether a trial was played with the scenario's current text, tools and world."""
    return not any(changes(kept.record, now.record, OF_SCENARIO))


def other_configuration(kept: KeptTrial, now: Trial) -> Iterator[str]:
    """Yield the differences in the configuration of agent, user and judge.

    If there is no judge now, a judge in the record is a difference, since its opinion would count.
    """
    return changes(kept.record, now.record, (*CONFIGURATION, *(() if now.judge else OF_JUDGE)))


def has_other_judge(kept: KeptTrial, now: Trial) -> bool:
    """Return whether the words of a trial were judged differently, or by rules only."""
    return any(changes(kept.record, now.record, OF_JUDGE))
