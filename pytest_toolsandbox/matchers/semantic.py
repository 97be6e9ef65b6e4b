"""``semantic``: much the same meaning, with the same numbers, times and dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.wording.literals import graded, literal

from . import arguments, embedding
from .matcher import Matcher, MatcherMistake, Reading
from .registry import matcher

USUAL_THRESHOLD: Final = 0.5


@matcher("semantic")
@dataclass(frozen=True)
class Semantic(Matcher):
    """A text of much the same meaning, with every number, time and date of this one.

    Meanings are compared by the cosine of sentence embeddings, which hardly tell 5 pm from 6 pm;
    so a text that lacks a detail scores 0. An embedder is needed for all other texts than the same
    one: :func:`~pytest_toolsandbox.matchers.embedding.using` sets it.
    """

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.graded_schema(
        "text", {"type": "string", "pattern": r"\S"}
    )

    text: str
    threshold: float = USUAL_THRESHOLD

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Take a text, or ``{text, threshold}``."""
        usual = reading.threshold_of(cls.name, USUAL_THRESHOLD)
        return cls(*arguments.graded(argument, "text", usual, _text))

    def similarity(self, found: Any) -> float:
        """Return the cosine in [0, 1]; 0 for what is no text, or lacks a detail.

        Raises :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
        """
        if found == self.text:
            return 1.0
        if not isinstance(found, str) or not found.strip() or self._missing(found):
            return 0.0
        return embedding.current().similarity(self.text, found)

    def describe(self) -> str:
        """Write it as ``means 'See you at 5'``."""
        return graded(f"means {literal(self.text)}", self.threshold, USUAL_THRESHOLD)

    def explain(self, found: Any) -> str | None:
        """Say which details are missing."""
        if not isinstance(found, str):
            return None
        missing = self._missing(found)
        return f"missing: {', '.join(missing)}" if missing else None

    @classmethod
    def fits(cls, literal: Any) -> bool:
        """Whether a bare value is a text with something in it."""
        return isinstance(literal, str) and bool(literal.strip())

    def _missing(self, found: str) -> tuple[str, ...]:
        from .quantities import missing  # takes a tenth of a second

        return missing(self.text, found)


def _text(argument: Any, *path: str | int) -> str:
    if isinstance(argument, str) and not argument.strip():
        raise MatcherMistake("expected text, found an empty one", path)
    return arguments.text(argument, *path)
