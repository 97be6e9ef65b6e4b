"""A trial: one conversation of a scenario, played and judged, whatever goes wrong in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.conversation.converse import converse
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.evaluation.judging import Judgement, judge
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError, using
from pytest_toolsandbox.models.errors import AgentError, ProviderError
from pytest_toolsandbox.records.agent import agent_record
from pytest_toolsandbox.records.reading import (
    StoredError,
    StoredRecord,
    as_recorded,
    stored_agent,
    stored_trajectory,
)
from pytest_toolsandbox.records.record import AgentRecord, Cause, Record, Summary
from pytest_toolsandbox.records.writing import TrialRun, record, summary
from pytest_toolsandbox.users.user import User, UserError, scripted_user
from pytest_toolsandbox.waiting.time_limit import OutOfTime
from pytest_toolsandbox.wording.error_text import describe_exception, place_of
from pytest_toolsandbox.wording.redaction import shown
from pytest_toolsandbox.wording.regular_expression import SlowSearchError
from pytest_toolsandbox.worlds.errors import WorldError

Outcome = Literal["passed", "failed", "error"]

_CAUSES: Final[tuple[tuple[type[Exception], Cause | None], ...]] = (
    (ProviderError, "provider"),
    (EmbedderError, "provider"),
    (AgentError, "agent"),
    (UserError, "user"),
    (WorldError, "world"),
    (SlowSearchError, "world"),
    (StoredError, None),
)
"""Whose fault an error is; the text of each of these says in one line what happened."""


@dataclass(frozen=True)
class Trial:
    """A conversation and what became of it.

    ``number`` counts from 1. The ``trajectory`` of a conversation that broke off is how far it
    came. There is a ``judgement``, or else the ``error`` that kept the trial from having one.
    """

    scenario: Scenario
    number: int
    trajectory: Trajectory
    judgement: Judgement | None = None
    error: Exception | None = None
    identifier: str = ""
    agent: AgentRecord = field(default_factory=lambda: agent_record("agent"))

    @property
    def outcome(self) -> Outcome:
        """Whether the trial passed or failed, or could not be played or judged."""
        if self.judgement is None:
            return "error"
        return "passed" if self.judgement.passed else "failed"

    @property
    def cause(self) -> Cause | None:
        """Whose fault an error is: ``ours`` is a defect, or code of the user's own in judging.

        There is none without an error, or where a stored conversation does not fit the scenario.
        """
        if self.error is None:
            return None
        causes = (cause for kind, cause in _CAUSES if isinstance(self.error, kind))
        return next(causes, "ours")

    @property
    def reason(self) -> str | None:
        """What went wrong, in one line without keys, where the trial is an error."""
        if self.error is None:
            return None
        known = isinstance(self.error, tuple(kind for kind, _ in _CAUSES))
        return shown(str(self.error), 1000) if known else _unexpected(self.error)

    @property
    def exception(self) -> BaseException | None:
        """What was raised in the first place, such as in the agent, where the trial is an error."""
        error: BaseException | None = self.error
        wrappers = (AgentError, UserError, WorldError, StoredError)
        while isinstance(error, wrappers) and error.__cause__ is not None:
            error = error.__cause__
        return error

    @cached_property
    def record(self) -> Record:
        """All that is known of the trial, as plain JSON values."""
        return record(self._run)

    @cached_property
    def summary(self) -> Summary:
        """The part of the record that totals are made of."""
        return summary(self._run)

    @property
    def _run(self) -> TrialRun:
        return TrialRun(
            self.identifier or self.scenario.name,
            self.number,
            self.agent,
            self.scenario,
            self.trajectory,
            self.judgement,
            self.reason,
            self.cause,
            isinstance(self.exception, OutOfTime),
        )


def play_trial(
    scenario: Scenario,
    agent: Agent,
    user: User | None = None,
    number: int = 1,
    embedder: Embedder | None = None,
) -> Trial:
    """Play a scenario once and judge the conversation. The trial tells whatever is raised.

    Without a ``user`` the scenario's own takes part. The ``embedder`` compares meanings. Only what
    is no ``Exception``, such as ``KeyboardInterrupt``, leaves it.
    """
    speaker = user or scripted_user(scenario)
    nothing = Trajectory((), (), scenario.start)
    about = Trial(scenario, number, nothing, agent=agent_record("agent", agent))
    return _judged(about, lambda: converse(scenario, agent, speaker), embedder)


def judge_again(
    scenario: Scenario, stored: StoredRecord, embedder: Embedder | None = None
) -> Trial:
    """Judge the conversation of a record by what the scenario says today.

    A stored conversation may say what no conversation can; the trial is then an error.
    """
    scenario = as_recorded(stored, scenario)
    nothing = Trajectory((), (), scenario.start)
    who = stored["id"], stored_agent(stored)
    about = Trial(scenario, stored["trial"], nothing, None, None, *who)
    trial = _judged(about, lambda: stored_trajectory(stored, scenario), embedder)
    if trial.error is None or trial.cause != "ours":
        return trial
    why = describe_exception(trial.error)
    error = StoredError(f"the stored conversation cannot be judged: {why}; play it again")
    error.__cause__ = trial.error
    return replace(trial, error=error)


def _judged(
    about: Trial, conversation: Callable[[], Trajectory], embedder: Embedder | None
) -> Trial:
    trajectory = about.trajectory
    try:
        trajectory = conversation()
        with using(embedder):
            judgement = judge(about.scenario, trajectory)
    except PlayError as error:
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        return replace(about, trajectory=error.trajectory, error=cause)
    except Exception as error:  # noqa: BLE001  # no error of one trial may hide the others
        return replace(about, trajectory=trajectory, error=error)
    return replace(about, trajectory=trajectory, judgement=judgement)


def _unexpected(error: Exception) -> str:
    """Write an error that nothing foresaw with its place: the user's own code, or ours."""
    if place_of(error):
        return f"code that the scenario uses raised {describe_exception(error)}"
    place = place_of(error, in_package=True)
    return (
        f"{describe_exception(error)} ({place}): a defect of pytest-toolsandbox, please report it"
    )
