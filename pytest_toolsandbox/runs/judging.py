"""The judge of a conversation's words: asked, stored, or missing although it is required.

``judging`` returns the function that judges conversations with an embedder and a judge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.constraints import Criteria
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder, using
from pytest_toolsandbox.models.aliases import NO_JUDGE
from pytest_toolsandbox.models.errors import JudgeError
from pytest_toolsandbox.records.configuration import judge_record
from pytest_toolsandbox.records.parts import OpinionRecord
from pytest_toolsandbox.records.reading import StoredError, StoredRecord
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.scoring.results import Opinion
from pytest_toolsandbox.text.formatting import format_value

if TYPE_CHECKING:
    from pytest_toolsandbox.scoring.judging import Judgement


Judging = Callable[[Scenario, Trajectory], "Judgement"]


class WordsJudge(Protocol):
    """The judge of the words of a conversation: a model, or the user's own callable."""

    @property
    def name(self) -> str:
        """The name in records."""
        ...

    @property
    def asked(self) -> Any:
        """The model or callable that is asked."""
        ...

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return an opinion on the words. Raises ``ProviderError``, ``JudgeError``."""
        ...


@dataclass(frozen=True)
class StoredJudge:
    """The judge of a stored conversation, with its opinion in the record."""

    name: str
    kept: OpinionRecord | None
    asked: None = None

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Return the stored opinion, with the criteria that the scenario has now.

        Raises ``StoredError`` if the record has no opinion, or none on one of the criteria.
        """
        del trajectory
        from pytest_toolsandbox.scoring.results import CriterionOpinion, Opinion

        ask = f"give --sandbox-judge={self.name}"
        if self.kept is None:
            raise StoredError(f"its judge was not asked of the stored conversation; {ask}")
        stored = {criterion["criterion"]: criterion for criterion in self.kept.get("criteria", ())}
        if missing := [text for text in scenario.criteria.texts if text not in stored]:
            text = f"its judge was not asked about a criterion of today, {format_value(missing[0])}"
            raise StoredError(f"{text}; {ask}")
        criteria = (
            CriterionOpinion(text, opinion["met"], opinion["quote"], opinion["why"], group)
            for text, group in scenario.criteria.grouped.items()
            for opinion in [stored[text]]
        )
        return Opinion(
            self.kept["verdict"],
            self.kept["quote"],
            self.kept["why"],
            against=self.kept.get("against", ""),
            missing=self.kept.get("missing", ""),
            criteria=tuple(criteria),
            votes=self.kept.get("votes", {}),
        )


@dataclass(frozen=True)
class DemandedJudge:
    """Replaces the judge that ``--sandbox-words=judged`` requires, if none is named."""

    name: str = NO_JUDGE
    asked: None = None

    def opinion(self, scenario: Scenario, trajectory: Trajectory) -> Opinion:
        """Raise ``JudgeError``, since no judge can read the words."""
        del scenario, trajectory

        raise JudgeError(
            "no judge has read the words: --sandbox-words=judged needs --sandbox-judge=MODEL"
        )


def stored_judge(stored: StoredRecord) -> WordsJudge | None:
    """Return the judge of a stored conversation, if it had one."""
    name = stored.get("judge")
    return StoredJudge(name, stored.get("opinion")) if name else None


def without_opinion(stored: StoredRecord) -> StoredRecord:
    """Return a record without its judge and opinion."""
    judged = ("judge", "judge_settings", "opinion")
    kept = {name: value for name, value in stored.items() if name not in judged}
    return cast("StoredRecord", kept)


def with_judge(trial: Trial, judge: WordsJudge | None) -> Trial:
    """Return a trial with the name and the settings of the judge of its words."""
    if judge is None:
        return replace(trial, judge=None, judge_settings=None) if trial.judge else trial
    settings = judge_record(judge.asked, getattr(judge, "votes", 1))
    if trial.scenario.criteria:
        settings["criteria"] = trial.scenario.criteria.lists
    return replace(trial, judge=judge.name, judge_settings=settings)


def judging(embedder: Embedder | None, words_judge: WordsJudge | None) -> Judging:
    """Return the function that judges conversations. It imports modules only when called."""

    def judged(scenario: Scenario, trajectory: Trajectory) -> Judgement:
        with using(embedder):
            from pytest_toolsandbox.scoring.judging import judge
            from pytest_toolsandbox.scoring.milestones.consent import unread_consents

            if words_judge is None:
                return judge(scenario, trajectory)
            # Where only its words tell whether the user agreed to a call, the judge reads them.
            unread = tuple(unread_consents(scenario, trajectory))
            scenario = scenario.with_criteria(Criteria(unread))
            ask = partial(words_judge.opinion, scenario, trajectory)
            return judge(scenario, trajectory, ask)

    return judged
