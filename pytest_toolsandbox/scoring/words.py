"""How the words of a conversation were judged, and a lexical check if nothing else can decide.

State, calls and exact facts are compared first. Words that a solution also has are right. Other
words are read by a judge; without a judge they pass, and the record says that they were not read.
If an item requires only words, a lexical check fails a plain claim of success where the agent
should refuse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.registry import is_graded
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.users.user import earlier_message_count
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Column, State, Table, TableSchema
from pytest_toolsandbox.worlds.world import World

from .results import Opinion

WordsReading = Literal["exact", "facts", "by_rules", "not_judged", "judged"]
"""How the words were judged.

``exact``: they are a solution's own words. ``judged``: a judge read them. ``facts``: they have the
facts that the scenario lists; the rest was not read. ``by_rules``: the scenario requires only
words, and they are not plainly wrong. ``not_judged``: nothing in them was compared.
"""
UNREAD: Final[tuple[WordsReading, ...]] = ("facts", "by_rules", "not_judged")

SUCCESS: Final = "a plain claim of success"

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_NOT: Final = re.compile(
    r"\b(?:no|not|none|nothing|nobody|never|neither|nor|without|cannot|unable|unfortunately|afraid"
    r"|sorry|however|instead|impossible|unavailable|fail(?:s|ed|ure)?|lack\w*|missing)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
"""A text with one of these words may retract its claims."""
_OPEN: Final = re.compile(
    r"\b(?:if|once|until|unless|only|would|could|should|might|may|will|can|need|please|seems?)\b",
    re.IGNORECASE,
)
"""A sentence with one of these words may not be a claim."""
_FURTHER: Final = re.compile(r"\b(?:else|more|further)\b", re.IGNORECASE)
"""Part of a closing question: ``Anything else?``"""
_LOOKED: Final = (
    r"(?!(?:look|check|search|tri|notic|list|review|ask|need|want|hop)e?d\b)"
    r"(?!(?:had|been|got|seen)\b)"
)
_DONE: Final = re.compile(
    r"^\W*(?:it is |it's |that's |that is |all |everything is )?"
    r"(?:done|set|sorted|finished|completed?|taken care of)\b"
    rf"|\b(?:i|we)(?:['\u2019]ve| have) (?:just |now |already )*{_LOOKED}\w{{3,}}"
    rf"|\b(?:i|we) (?:just |now |already )*{_LOOKED}(?:\w{{2,}}ed|sent|set|made|put)\b"
    r"|\b(?:has|have) (?:now |just |already )*been (?:\w+ly )?\w{3,}"
    r"|\b(?:is|are) now \w{3,}|\bsuccessfully\b",
    re.IGNORECASE,
)


def agent_texts(scenario: Scenario, trajectory: Trajectory) -> list[str]:
    """Return the agent's messages to the user, without those of the history."""
    texts = [
        message.content
        for message in trajectory.messages
        if (message.sender, message.recipient) == (Role.AGENT, Role.USER)
    ]
    return texts[earlier_message_count(scenario, Role.AGENT) :]


def differing_tables(
    world: World, first: Trajectory, second: Trajectory, *, texts_count: bool = True
) -> Sequence[str]:
    """Return the tables in which two conversations end differently.

    New identifiers are ignored, since they depend on the place of a call. Free texts count only
    with ``texts_count``.
    """
    end, other_end = _end(first), _end(second)
    differing = []
    for name, schema in world.tables.items():
        if end[name] == other_end[name]:
            continue
        tables = end[name], other_end[name]
        columns = compared_columns(schema, tables, texts_count=texts_count)
        if _only(columns, end[name]) != _only(columns, other_end[name]):
            differing.append(name)
    return differing


def compared_columns(
    schema: TableSchema, tables: Iterable[Table], *, texts_count: bool = True
) -> list[str]:
    """Return the columns whose values count: no new identifiers, and free texts if they do.

    Rows of the tables may have further columns where the schema takes any.
    """
    names = dict.fromkeys(schema.columns)
    if schema.takes_any:
        names |= dict.fromkeys(name for table in tables for row in table for name in row)
    known = ((name, schema.column(name)) for name in names)
    return [
        name
        for name, column in known
        if column.default is not NEW_IDENTIFIER and (texts_count or not is_free_text(column))
    ]


def is_free_text(column: Column) -> bool:
    """Return whether a column has texts that may be worded differently."""
    return column.type is str and is_graded(column.measure)


def _end(trajectory: Trajectory) -> State:
    return trajectory.states[-1] if trajectory.states else trajectory.start


def _only(columns: Sequence[str], table: Table) -> Table:
    """Return a table with some of its columns; a tool may have left some out."""
    return Table({column: row.get(column) for column in columns} for row in table)


def plain_fault(scenario: Scenario, trajectory: Trajectory) -> Opinion | None:
    """Return what is plainly wrong with words that should refuse, deny or ask, if anything.

    A message that claims success is wrong, unless it or an earlier message denies or asks
    something. In doubt, nothing is wrong. Silence meets no milestone anyway.
    """
    for text in agent_texts(scenario, trajectory):
        questions = [sentence for sentence in _sentences(text) if "?" in sentence]
        if _NOT.search(text) or not all(map(_FURTHER.search, questions)):
            return None
        if claim := plain_claim(text):
            return Opinion("false", claim, f"{SUCCESS}: {format_value(claim)}")
    return None


def has_denial(text: str) -> bool:
    """Return whether an English text has a word that may retract a claim."""
    return _NOT.search(text) is not None


def plain_claim(text: str) -> str | None:
    """Return the first sentence of an English text that plainly claims success."""
    claims = (
        sentence
        for sentence in _sentences(text)
        if _DONE.search(sentence) and not _OPEN.search(sentence)
    )
    return next(claims, None)


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.strip()]
