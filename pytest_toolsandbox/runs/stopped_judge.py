"""A judge that a stop of the run leaves behind: the conversation is kept, and judged later."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.opinion import Opinion
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import JudgeError

from .judging import WordsJudge
from .pool import while_open


class StoppedError(JudgeError):
    """The run was stopped before a judge had answered, by the Ctrl-C that is its cause."""


@dataclass(frozen=True)
class LeftBehind:
    """Asks a judge until the run is stopped."""

    judge: WordsJudge

    @property
    def name(self) -> str:
        """Its name, as records tell it."""
        return self.judge.name

    @property
    def asked(self) -> Any:
        """Who is asked: a model, or a callable."""
        return self.judge.asked

    @property
    def votes(self) -> int:
        """How often it is asked of a conversation."""
        return getattr(self.judge, "votes", 1)

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return what it thinks of a conversation. Raises what it raises, and ``StoppedError``."""
        try:
            return while_open(partial(self.judge.opinion, scenario, trajectory))
        except KeyboardInterrupt as stop:
            text = f"{self.name}: the run was stopped before the judge had answered"
            raise StoppedError(text) from stop
