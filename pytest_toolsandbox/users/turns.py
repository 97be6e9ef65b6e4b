"""What an agent does with a turn: it asks, announces, or tells something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from pytest_toolsandbox.wording.long_texts import in_part
from pytest_toolsandbox.wording.sentences import Sentence, sentences

from .reading.acceptance import accepts
from .reading.acts import Act, act_of

_INNER_MARK: Final = re.compile(r"[.?!…](?!\w)|(?<=[ap])\.(?=m\b)", re.IGNORECASE)

_DRAFT: Final = re.compile(r"(?<=:)[*_\s]*\n-{3,}\n(.{1,4000}?)\n-{3,}(?=\n|$)", re.DOTALL)
"""A text between two rules, behind a colon."""


@dataclass(frozen=True)
class Turn:
    """A turn of the agent in its sentences, and what each of them does."""

    sentences: tuple[Sentence, ...]
    acts: tuple[Act, ...]

    @cached_property
    def asked(self) -> list[Sentence]:
        """What it asks for, with a question mark or without."""
        return [one for one, act in self._both() if act is Act.ASKS]

    @property
    def offers_more(self) -> bool:
        """Whether it asks, with a question mark, if there is anything else to do."""
        return any(act is Act.OFFERS_MORE and one.mark == "?" for one, act in self._both())

    @property
    def tells(self) -> bool:
        """Whether one of its sentences tells something."""
        return Act.TELLS in self.acts

    @cached_property
    def heard(self) -> str:
        """The turn as a user hears it: one who asks without a question mark asks all the same.

        Only sentences end in a mark: none stands in a quotation, or behind a shortened word.
        """
        return " ".join(
            _INNER_MARK.sub("", one.text) + ("?" if act is Act.ASKS else one.mark or ".")
            for one, act in self._both()
        )

    @cached_property
    def told(self) -> str:
        """What it tells, without what it announces; of its questions only the marks are left."""
        left = {Act.ASKS: "?", Act.TELLS: "{}."}
        return " ".join(left[act].format(one.text) for one, act in self._both() if act in left)

    @property
    def announces(self) -> bool:
        """Whether it asks nothing, and its last word is what the agent is about to do.

        So is it with one that says no more than that the errand was understood.
        """
        meant = [act for act in self.acts if act is not Act.FILLS]
        if self.asked or not self.acts:
            return False
        return meant[-1] is Act.ANNOUNCES if meant else any(map(_promises, self.sentences))

    def _both(self) -> Iterator[tuple[Sentence, Act]]:
        return zip(self.sentences, self.acts, strict=True)


def _promises(sentence: Sentence) -> bool:
    """Whether it takes the errand on."""
    return accepts(sentence.plain) or bool(
        re.match(r"i(?:'ll| will)\b", sentence.plain, re.IGNORECASE)
    )


@lru_cache(maxsize=1024)
def turn_of(text: str) -> Turn:
    """Return what an agent does with a text."""
    text = _DRAFT.sub(
        lambda draft: re.sub("^", "> ", "\n" + draft[1], flags=re.MULTILINE), in_part(text)
    )
    found = sentences(text)
    return Turn(found, tuple(map(act_of, found)))
