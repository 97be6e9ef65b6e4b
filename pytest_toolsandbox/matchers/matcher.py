"""What a matcher is: one expected value, which says how well a found value agrees with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

ROUNDING: Final = 1e-9
"""By how much a similarity may miss its threshold: floats are not exact."""


class MatcherMistake(ValueError):  # noqa: N818  # a mistake of a scenario's author
    """An expected value that cannot be read, and the path to what is wrong in it."""

    def __init__(self, text: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.path = path


@contextmanager
def below(*keys: str | int) -> Iterator[None]:
    """Put ``keys`` before the path of a mistake that is made inside."""
    try:
        yield
    except MatcherMistake as mistake:
        raise MatcherMistake(mistake.text, (*keys, *mistake.path)) from None


@dataclass(frozen=True)
class Reading:
    """How an expected value is to be read: a bare value means the matcher ``own``.

    ``thresholds`` maps names of graded matchers to other thresholds, in [0, 1], than their usual
    ones; ``threshold``, that of an event, is stronger, and one in a matcher's long form still more.
    """

    own: str = "exact"
    thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)
    threshold: float | None = None

    def threshold_of(self, name: str, usual: float) -> float:
        """Return what the graded matcher ``name`` must reach unless its long form says."""
        return self.thresholds.get(name, usual) if self.threshold is None else self.threshold


class Matcher(ABC):
    """How one expected value is compared with one found value.

    Subclasses are frozen dataclasses: pure, hashable, registered with :func:`matcher`. A graded
    one, whose similarity may lie between 0 and 1, has a field ``threshold``.
    """

    name: ClassVar[str] = ""
    """What scenarios call it; the registration sets it."""

    argument_schema: ClassVar[Mapping[str, Any]] = {}
    """The JSON Schema of the argument; ``{"$ref": "#/$defs/Value"}`` is any value or matcher."""

    threshold: float = 1.0
    """The similarity, in [0, 1], from which on a found value is good enough."""

    @classmethod
    @abstractmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Make the matcher from what stands behind its name. Raises :class:`MatcherMistake`."""

    @abstractmethod
    def similarity(self, found: Any) -> float:
        """Return how well a found value agrees, from 0 (not at all) to 1 (fully)."""

    @abstractmethod
    def describe(self) -> str:
        """Say in a few words what is expected, for a report."""

    @property
    def facts(self) -> tuple[tuple[str | int | float, ...], ...]:
        """The words and numbers that it wants in a text, each with its alternatives."""
        return ()

    def reached(self, found: Any) -> bool:
        """Whether a found value is good enough."""
        return self.similarity(found) >= self.threshold - ROUNDING

    def stood_by(self, text: str, stated: str) -> bool:
        """Whether a text is good enough, where words and numbers count that it ``stated`` alone."""
        return self.reached(stated if self.facts else text)

    def explain(self, found: Any) -> str | None:  # noqa: ARG002  # most have nothing to add
        """Say what a found value lacks, where there is more to say than the description does."""
        return None

    @classmethod
    def fits(cls, literal: Any) -> bool:
        """Whether a bare value can mean this matcher; one that does not fit is read as exact."""
        return literal is not None
