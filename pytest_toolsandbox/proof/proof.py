"""What was found when a scenario was proved, and why something could not be found out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.wording.regular_expression import SlowSearchError

from .mutants import Kind

Result = TypeVar("Result")


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


def or_reason(what: str, judge: Callable[[], Result]) -> Result | str:
    """Return the judgement on what is played, or why there is none."""
    try:
        return judge()
    except PlayError as error:
        return f"{what} cannot be played: {error}"
    except (EmbedderError, SlowSearchError) as error:
        return f"{what} cannot be judged: {error}"
