"""What conversations tell the user: the facts they have in common, and their last words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pytest_toolsandbox.scoring.words import has_denial
from pytest_toolsandbox.text.numerals import is_number
from pytest_toolsandbox.text.sentences import parts

from .conversations import Conversation, Text
from .facts import FactFinder
from .origins import leaves


class Report(NamedTuple):
    """Matchers for the facts that are told, and the texts of each conversation that tell them."""

    matchers: list[Any]
    texts: Sequence[Sequence[Text]]


def facts_told(conversations: Sequence[Conversation]) -> Report | None:
    """Return the facts that all conversations tell and the user did not know.

    What is told after a change of the world mostly follows from the change: of that, only numbers
    count, and only if several conversations have them. Questions do not count. If conversations
    tell different facts, those of each are an alternative.
    """
    heard = "\n".join(c.heard_before(len(c.trajectory.messages)) for c in conversations)
    finder = FactFinder(known=heard, measured=[*_measured(conversations)])
    reports = [
        _reports(conversation, _first_change(conversation)) for conversation in conversations
    ]
    texts = [*map(_joined, reports)]
    if all(texts) and (facts := finder.common(texts)):
        return Report(facts.matchers, reports)
    if len(conversations) > 1:
        everything = [_reports(c, len(c.trajectory.messages)) for c in conversations]
        if numbers := finder.common_numbers([*map(_joined, everything)]):
            return Report(numbers.matchers, everything)
    alone = [finder.common([text]).matchers for text in texts]
    if not all(alone):
        return None
    return Report([{"any_of": [all_of(matchers) for matchers in alone]}], reports)


def _joined(texts: Sequence[Text]) -> str:
    return "\n".join(text.content for text in texts)


def all_of(matchers: Sequence[Any]) -> Any:
    """Return a matcher for texts that meet all of these."""
    return matchers[0] if len(matchers) == 1 else {"all_of": [*matchers]}


def _measured(conversations: Sequence[Conversation]) -> Iterator[float]:
    """Yield the numbers in results."""
    for conversation in conversations:
        for call in conversation.calls:
            if call.trace is not None:
                values = (leaf.value for leaf in leaves(call.trace.result))
                yield from (float(value) for value in values if is_number(value))


def _first_change(conversation: Conversation) -> int:
    """Return the message after which rows of a table first differ from the start."""
    single = {n for n, s in conversation.scenario.world.tables.items() if s.single_row}
    return next(
        (
            index
            for index, state in enumerate(conversation.trajectory.states)
            if any(state[n] != conversation.start[n] for n in state if n not in single)
        ),
        len(conversation.trajectory.messages),
    )


def _reports(conversation: Conversation, before: int) -> list[Text]:
    """Return what the agent says before a message, without questions."""
    stated = (
        Text(text.message, without_questions(text.content))
        for text in conversation.answers
        if text.message < before
    )
    return [text for text in stated if text.content]


def without_questions(text: str) -> str:
    """Return the sentences of a text that ask nothing."""
    sentences = (sentence for line in text.splitlines() for sentence in parts(line))
    return " ".join(sentence.strip() for sentence in sentences if "?" not in sentence)


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
