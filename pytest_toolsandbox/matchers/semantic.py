"""``semantic``: similar meaning by sentence embeddings, with the same quantities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pytest_toolsandbox.text.formatting import beginning_and_end, format_value, with_threshold

from . import arguments, embedding
from .registry import Deciding, Matcher, MatcherMistake, Reading, Unread, matcher


@matcher("semantic")
@dataclass(frozen=True)
class Semantic(Matcher):
    """A text of similar meaning, with the numbers, dates and times of this one.

    Meanings are compared by the cosine of sentence embeddings. These hardly distinguish 5 pm from
    6 pm, so a text that lacks such a quantity scores 0. An equal text needs no embedder;
    :func:`~pytest_toolsandbox.matchers.embedding.using` sets the embedder.
    """

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.graded_schema(
        "text", {"type": "string", "pattern": r"\S"}
    )

    text: str
    threshold: float = 0.5

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        default = reading.threshold_of(cls.name, cls.threshold)
        return cls(*arguments.graded(argument, "text", default, _text))

    def similarity(self, value: Any) -> float:
        """Return the cosine in [0, 1]. Raises :class:`~.embedding.EmbedderError`."""
        if value == self.text:
            return 1.0
        if not isinstance(value, str) or not value.strip() or self.explain(value):
            return 0.0
        return embedding.current().similarity(self.text, beginning_and_end(value))

    def describe(self) -> str:
        """Write it as ``means 'See you at 5'``."""
        return with_threshold(
            f"means {format_value(self.text)}", self.threshold, type(self).threshold
        )

    def explain(self, value: Any) -> str | None:
        if not isinstance(value, str):
            return None
        from pytest_toolsandbox.text.quantities import missing  # slow import

        lacking = missing(self.text, beginning_and_end(value))
        return f"missing: {', '.join(lacking)}" if lacking else None

    def decided(self, how: Deciding) -> Matcher:
        is_read = how.judged and not how.tells_apart
        return Unread(self, met=not how.denied) if is_read else self

    @classmethod
    def fits(cls, literal: Any) -> bool:
        return isinstance(literal, str) and bool(literal.strip())


def _text(argument: Any, *path: str | int) -> str:
    if isinstance(argument, str) and not argument.strip():
        raise MatcherMistake("expected text, found an empty text", path)
    return arguments.text(argument, *path)
