"""``same_facts`` and ``restates``: a text that tells nothing else than another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pytest_toolsandbox.wording.phrases import literal

from . import arguments
from .matcher import ROUNDING, Matcher, Reading
from .registry import matcher
from .rouge_l import RougeL


@matcher("same_facts")
@dataclass(frozen=True)
class SameFacts(Matcher):
    """A text with the numbers, times, dates and names of this one, which denies nothing of it."""

    argument_schema: ClassVar = {"type": "string", "minLength": 1}

    text: str

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        return cls(arguments.text_with_content(argument))

    def similarity(self, found: Any) -> float:
        return float(isinstance(found, str) and _agree(self.text, found))

    def describe(self) -> str:
        """Write it as ``the facts of 'See you at 5'``."""
        return f"the facts of {literal(self.text)}"

    def explain(self, found: Any) -> str | None:
        return _reason(self.text, found)


@matcher("restates")
@dataclass(frozen=True)
class Restates(RougeL):
    """A text with much the same words in the same order (ROUGE-L), and the same facts."""

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        usual = reading.threshold_of(cls.name, reading.threshold_of(RougeL.name, cls.threshold))
        return cls(*arguments.graded(argument, "text", usual, arguments.text_to_compare))

    def similarity(self, found: Any) -> float:
        if not isinstance(found, str) or not _agree(self.text, found):
            return 0.0
        return super().similarity(found)

    def reached(self, found: Any) -> bool:
        """Say so of the words first: facts take longer."""
        return super().similarity(found) >= self.threshold - ROUNDING and super().reached(found)

    def explain(self, found: Any) -> str | None:
        return _reason(self.text, found)


def _reason(expected: str, found: Any) -> str | None:
    from .facts import reason  # takes a tenth of a second

    return reason(expected, found) if isinstance(found, str) else None


def _agree(expected: str, found: str) -> bool:
    from .facts import agree

    return agree(expected, found)
