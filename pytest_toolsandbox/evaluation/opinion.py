"""What a judge thinks of the words of an agent, once its calls are known to be right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

OpinionVerdict = Literal["right", "false", "incomplete"]
OPINIONS: Final[tuple[OpinionVerdict, ...]] = ("right", "false", "incomplete")


@dataclass(frozen=True)
class Opinion:
    """A verdict on the words alone, the words that it is about, and why.

    ``false`` words say what is not so, ``incomplete`` ones lack what they should say. Words that
    are ``false`` are quoted as the agent wrote them; of others the ``quote`` may be empty.
    """

    verdict: OpinionVerdict
    quote: str = ""
    why: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the words are as they should be."""
        return self.verdict == "right"
