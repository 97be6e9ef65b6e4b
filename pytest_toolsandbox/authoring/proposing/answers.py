"""What conversations tell the user: the facts they have in common, and their last words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_toolsandbox.matchers.mentions import is_mentioned
from pytest_toolsandbox.scoring.words import has_denial
from pytest_toolsandbox.text.numerals import numbers_in

from .conversations import Conversation, Text
from .facts import Fact, common_facts, mentioned
from .origins import is_telling

_SPREAD: Final = 0.05
"""How far figures that mean the same may be apart, as a share of the first."""


@dataclass(frozen=True)
class Facts:
    """A matcher for facts, and the texts of each conversation that tell them."""

    matcher: Any
    texts: Sequence[Sequence[Text]]


def facts_told(conversations: Sequence[Conversation]) -> Facts | None:
    """Return the facts that all conversations tell and the user did not know.

    After a change of the world, an answer follows from the change, and is left out. So are
    questions.
    """
    reports = [_reports(conversation) for conversation in conversations]
    if not all(reports):
        return None
    joined = ["\n".join(text.content for text in texts) for texts in reports]
    heard = "\n".join(c.heard_before(len(c.trajectory.messages)) for c in conversations)
    if facts := _news(common_facts(joined), heard):
        return Facts({"mentions": mentioned(facts)}, reports)
    if figure := _figure(joined, heard):
        return Facts(figure, reports)
    each = [_news(common_facts([text]), heard) for text in joined]
    if all(each):
        either = [{"mentions": mentioned(facts)} for facts in each]
        return Facts({"any_of": either}, reports)
    return None


def _reports(conversation: Conversation) -> list[Text]:
    """Return what the agent says before it changes rows of a table, without questions."""
    single = {n for n, s in conversation.scenario.world.tables.items() if s.single_row}
    first = next(
        (
            index
            for index, state in enumerate(conversation.trajectory.states)
            if any(state[n] != conversation.start[n] for n in state if n not in single)
        ),
        len(conversation.trajectory.messages),
    )
    return [
        text for text in conversation.answers if text.message < first and "?" not in text.content
    ]


def _news(facts: Sequence[Fact], heard: str) -> list[Fact]:
    return [fact for fact in facts if not any(is_mentioned(item, heard) for item in fact)]


def _figure(texts: Sequence[str], heard: str) -> Any:
    """Return a matcher for a number that all texts have, more or less rounded."""
    first, *further = (
        [n for n in map(float, numbers_in(text)) if is_telling(n) and not is_mentioned(n, heard)]
        for text in texts
    )
    for number in first:
        near = [
            [n for n in numbers if abs(n - number) <= _SPREAD * abs(number)] for numbers in further
        ]
        if near and all(near):
            figures = [number, *(numbers[0] for numbers in near)]
            exact = max(figures, key=lambda figure: len(repr(figure)))
            within = max(abs(figure - exact) for figure in figures)
            return {"number": {"to": _plain(exact), "within": round(within, 6)}}
    return None


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def last_words(conversations: Sequence[Conversation]) -> Any:
    """Return a matcher for the last answers, which a judge reads."""
    texts = dict.fromkeys(conversation.answers[-1].content for conversation in conversations)
    kinds: dict[Any, str] = {}
    for text in sorted(texts, key=len):
        kinds.setdefault(_kind(text), text)
    words = [{"same_facts": text} for text in kinds.values()]
    return words[0] if len(words) == 1 else {"any_of": words}


def _kind(text: str) -> tuple[bool, bool]:
    """Return whether a text asks something, and whether it denies something."""
    return "?" in text, has_denial(text)
