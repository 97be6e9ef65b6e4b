"""Find the decisive step of a failed conversation: mend one step at a time, and play on.

A step is decisive if the agent succeeds each time after it was mended, and never when it goes on
after the step as it was. Of several decisive steps, the earliest counts: later ones follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.records.parts import ForkRecord
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.scoring.deviations.steps import WrongStep

from .forking import Fork, fork_at, sent_messages

Play = Callable[[Fork], Trial]
"""Plays a fork once."""


@dataclass
class TriedStep:
    """A step, with whether the agent succeeded in each continuation that was played of it."""

    step: WrongStep
    number: int
    mended: list[bool] = field(default_factory=list)
    kept: list[bool] = field(default_factory=list)

    @property
    def is_rejected(self) -> bool:
        """Whether the agent failed after the step was mended, or succeeded although it was not."""
        return not all(self.mended) or any(self.kept)


@dataclass(frozen=True)
class Failure:
    """A failed conversation of a scenario, and the number of its trial."""

    conversation: Trajectory
    scenario: Scenario
    trial: int = 1


class BlameError(Exception):
    """A continuation ended without a verdict, so nothing follows from it."""


class Search:
    """Tries the steps of a conversation, with at most ``limit`` continuations.

    ``trials`` are the continuations that were played. ``is_complete`` says whether the search came
    to its end within the limit.
    """

    def __init__(
        self,
        failure: Failure,
        steps: Sequence[WrongStep],
        play: Play,
        *,
        times: int = 3,
        limit: int = 12,
    ) -> None:
        self.failure, self.steps, self.times = failure, steps, times
        self.trials: list[Trial] = []
        self.is_complete = True
        self._play, self._limit = play, limit

    def decisive(self) -> TriedStep | None:
        """Return the earliest decisive step, ``None`` if no single step decides.

        Raises :class:`BlameError`.
        """
        untried = [*map(TriedStep, self.steps, range(1, len(self.steps) + 1))]
        while untried:
            tried = untried.pop(0)
            if not self._may_decide(tried, spare=0):
                continue
            for earlier in _leading_to(tried, untried):
                untried.remove(earlier)
                spare = self._needed(tried)
                if self._may_decide(earlier, spare) and self._decides(earlier):
                    return earlier
            if self._decides(tried):
                return tried
        return None

    def _may_decide(self, tried: TriedStep, spare: int) -> bool:
        """Play a step mended, and then as it was, once each at most."""
        self._once(tried, "mended", spare)
        if tried.mended == [True]:
            self._once(tried, "kept", spare)
        return bool(tried.kept) and not tried.is_rejected

    def _decides(self, tried: TriedStep) -> bool:
        """Play the remaining continuations of a step."""
        while not tried.is_rejected and self._needed(tried):
            before = len(self.trials)
            self._once(tried, "mended" if len(tried.mended) < self.times else "kept", 0)
            if len(self.trials) == before and self._needed(tried):
                return False
        return not tried.is_rejected

    def _needed(self, tried: TriedStep) -> int:
        """Return how many continuations a step still needs."""
        return 2 * self.times - len(tried.mended) - len(tried.kept)

    def _once(self, tried: TriedStep, kind: Literal["mended", "kept"], spare: int) -> None:
        if kind == "kept" and tried.step.last:
            tried.kept += [False] * self.times  # nothing follows, so it ends as it was recorded
            return
        if len(self.trials) + spare >= self._limit:
            self.is_complete = False
            return
        trial = self._play(self._fork(tried, kind))
        self.trials.append(trial)
        if trial.outcome not in ("passed", "failed") and trial.cause != "agent":
            raise BlameError(trial.reason or trial.outcome)
        (tried.mended if kind == "mended" else tried.kept).append(trial.outcome == "passed")

    def _fork(self, tried: TriedStep, kind: Literal["mended", "kept"]) -> Fork:
        step, recorded = tried.step, self.failure.conversation
        about = ForkRecord(
            trial=self.failure.trial,
            message=step.message,
            start=step.start if kind == "mended" else step.end,
            sent=0,
            kind=kind,
            step=tried.number,
            steps=len(self.steps),
            times=self.times,
        )
        if kind == "kept":
            return Fork(recorded, step.end, (), about)
        if not (step.whole or isinstance(step.instead, str)):
            return fork_at(recorded, step.message, self.failure.scenario, step.instead, about)
        sent = (*sent_messages(step.instead, Role.AGENT, step.start, self.failure.scenario),)
        about["sent"] = len(sent)
        return Fork(recorded, step.start, sent, about)


def _leading_to(tried: TriedStep, untried: Sequence[TriedStep]) -> list[TriedStep]:
    """Return the earlier steps that a step may follow from, the first one first."""
    earlier = (
        other
        for other in untried
        if other.step.message < tried.step.message and other.step.kind != "other words"
    )
    return sorted(earlier, key=lambda other: other.step.message)
