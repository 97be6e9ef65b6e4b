"""With what a conversation is judged: what compares meanings, and who judges its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder, using
from pytest_toolsandbox.records.reading import StoredError, StoredRecord
from pytest_toolsandbox.records.record import OpinionRecord

if TYPE_CHECKING:
    from pytest_toolsandbox.evaluation.judging import Judgement
    from pytest_toolsandbox.evaluation.opinion import Opinion

Judging = Callable[[Scenario, Trajectory], "Judgement"]


class WordsJudge(Protocol):
    """Who judges the words of a conversation: :class:`~pytest_toolsandbox.judges.judge.Judge`."""

    @property
    def model(self) -> str:
        """Its name, as records tell it."""
        ...

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return what it thinks of them. Raises ``ProviderError``."""
        ...


@dataclass(frozen=True)
class StoredJudge:
    """Who was to judge the words of a conversation that is judged again, and its opinion."""

    model: str
    kept: OpinionRecord | None

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return what stands in the record. Raises ``StoredError`` where nothing does."""
        del scenario, trajectory
        from pytest_toolsandbox.evaluation.opinion import Opinion

        if self.kept is None:
            ask = f"give --sandbox-judge={self.model}"
            raise StoredError(f"its judge was not asked of the stored conversation; {ask}")
        return Opinion(self.kept["verdict"], self.kept["quote"], self.kept["why"])


def stored_judge(stored: StoredRecord) -> WordsJudge | None:
    """Return who was to judge the words of a stored conversation, if anybody was."""
    model = stored.get("judge")
    return StoredJudge(model, stored.get("opinion")) if model else None


def judging(embedder: Embedder | None, words_judge: WordsJudge | None) -> Judging:
    """Return what judges conversations. What it needs is imported while agents are asked."""

    def judged(scenario: Scenario, trajectory: Trajectory) -> Judgement:
        from pytest_toolsandbox.evaluation.judging import judge_by_rules, judge_with

        with using(embedder):
            if words_judge is None:
                return judge_by_rules(scenario, trajectory)
            ask = partial(words_judge.opinion, scenario, trajectory)
            return judge_with(scenario, trajectory, ask)

    return judged
