"""What was found when a scenario was proved, and why something could not be found out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.evaluation.judging import Judgement
from pytest_toolsandbox.evaluation.results import Result
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.wording.regular_expression import SlowSearchError

from .mutants import Kind

Judged = TypeVar("Judged", bound=Result | Judgement)


@dataclass(frozen=True)
class Survivor:
    """A mutant that passed, and why nothing told it from the solution."""

    kind: Kind
    what: str
    reason: str


@dataclass
class Proof:
    """What was found: ``findings`` is what is wrong; ``made`` and ``died`` count mutants."""

    findings: list[str] = field(default_factory=list)
    made: Counter[Kind] = field(default_factory=Counter)
    died: Counter[Kind] = field(default_factory=Counter)
    survivors: list[Survivor] = field(default_factory=list)


def finding(
    what: str, judged: Callable[[], Judged], wrong: Callable[[Judged], str | None]
) -> str | None:
    """Return what is wrong with the judgement on a script, or why there is no judgement."""
    try:
        reason = wrong(judged())
    except PlayError as error:
        reason = f"cannot be played: {error}"
    except (EmbedderError, SlowSearchError) as error:
        reason = f"cannot be judged: {error}"
    return None if reason is None else f"{what} {reason}"


def passes(judgement: Result | Judgement) -> str | None:
    """Say that a script passes, which is wrong of all but solutions."""
    return "passes" if judgement.passed else None
