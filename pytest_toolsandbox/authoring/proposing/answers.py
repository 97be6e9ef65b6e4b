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

    After a change of the world, what is told follows from the change, and is left out. So are
    questions. If conversations tell different facts, those of each are an alternative.
    """
    reports = [_reports(conversation) for conversation in conversations]
    if not all(reports):
        return None
    texts = ["\n".join(text.content for text in told_texts) for told_texts in reports]
    heard = "\n".join(c.heard_before(len(c.trajectory.messages)) for c in conversations)
    finder = FactFinder(known=heard, measured=[*_measured(conversations)])
    if facts := finder.common(texts):
        return Report(facts.matchers, reports)
    alone = [finder.common([text]).matchers for text in texts]
    if not all(alone):
        return None
    return Report([{"any_of": [all_of(matchers) for matchers in alone]}], reports)


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
    stated = (
        Text(text.message, without_questions(text.content))
        for text in conversation.answers
        if text.message < first
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
