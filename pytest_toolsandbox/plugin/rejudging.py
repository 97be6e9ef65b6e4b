"""Stored conversations in the place of played ones: ``--sandbox-rejudge``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.judging import Judgement, judge
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.records.reading import (
    StoredError,
    StoredRecords,
    as_recorded,
    read_records,
    stored_agent,
    stored_trajectory,
    without_parameters,
)
from pytest_toolsandbox.records.record import AgentRecord
from pytest_toolsandbox.wording.error_text import describe_exception

from .settings import settings_of
from .skips import skip

STORED = pytest.StashKey[StoredRecords]()
"""The records that are judged again, where there are any."""

NO_RECORD = "there is no stored conversation of this item"
OTHER_VARIANTS = (
    "those of its scenario have another --sandbox-augment or --sandbox-feedback, or other "
    "parameters of fixtures"
)


def read_stored(config: pytest.Config) -> None:
    """Read the records before any of them is asked for."""
    path = settings_of(config).rejudge
    assert path is not None
    try:
        config.stash[STORED] = read_records(path)
    except StoredError as error:
        raise pytest.UsageError(f"--sandbox-rejudge: {error}") from None


def judge_again(scenario: Scenario, trajectory: Trajectory) -> Judgement:
    """Judge a stored conversation, which may say what no conversation can.

    Raises :class:`StoredError`, and :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    try:
        return judge(scenario, trajectory)
    except EmbedderError:
        raise
    except Exception as error:
        text = (
            f"the stored conversation cannot be judged: {describe_exception(error)}; play it again"
        )
        raise StoredError(text) from error


def unusable_lines(config: pytest.Config) -> list[str]:
    """Return what is said of the lines of the file that cannot be used."""
    stored = config.stash.get(STORED, None)
    return stored.unusable_lines if stored else []


@dataclass(frozen=True)
class StoredTrial:
    """A conversation as it was stored, and the scenario as it was played then."""

    trial: int
    agent: AgentRecord
    scenario: Scenario
    trajectory: Trajectory


def stored_trajectories(
    stored: StoredRecords, item: pytest.Item, scenario: Scenario
) -> Iterator[StoredTrial]:
    """Yield the conversation of each record of an item; without any, skip it.

    Raises :class:`StoredError` for one that does not belong to the scenario any more.
    """
    if item.nodeid not in stored.records:
        other = without_parameters(item.nodeid) in stored.scenarios
        skip(item, "without record", f"{NO_RECORD}; {OTHER_VARIANTS}" if other else NO_RECORD)
    for trial, record in sorted(stored.records[item.nodeid].items()):
        trajectory = stored_trajectory(record, scenario)
        yield StoredTrial(trial, stored_agent(record), as_recorded(record, scenario), trajectory)
