"""What a judge thinks of the words of a conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.wording.quoting import stands_in, texts_in

from .transcript import shortened
from .view import Entry, Kind, Section

FEW = 120
"""Characters of a reason in a verdict."""
WORDS_ALONE: Final = "words alone fail it, by rules: otherwise all calls and changes are right"
_KINDS: dict[str, Kind] = {"right": "reached"}
"""How a verdict is to be taken that is not bad."""


def words_alone_sections(record: Record) -> Iterator[Section]:
    """Yield that nothing but words is wrong, where rules decided that they are."""
    if record.get("words_alone"):
        yield Section(WORDS_ALONE)


def opinion_sections(record: Record) -> Iterator[Section]:
    """Yield the verdict of a judge, what it is about and why, if one was asked."""
    if (opinion := record.get("opinion")) is None:
        return
    verdict = opinion["verdict"]
    against = "" if (verdict == "right") == (opinion["by_rules"] == "passed") else ", by the rules"
    result = f"{against} it {opinion['by_rules']}" if against else ""
    quote = f"{shortened(opinion['quote'])!r}: " if opinion["quote"] else ""
    words = f"{verdict}  {quote}{shortened(opinion['why'])}"
    place = quoted_at(record)
    entry = Entry(words, message=place, kind=_KINDS.get(verdict, "changed"))
    yield Section(f"judge {record.get('judge', '')}{result}", (entry,))


def is_faulted(record: Record) -> bool:
    """Whether a judge finds the words wrong."""
    opinion = record.get("opinion")
    return opinion is not None and opinion["verdict"] != "right"


def faulted_words(record: Record) -> str:
    """Write what a judge finds wrong in a few words."""
    opinion = record["opinion"]
    return f"{opinion['verdict']} by its judge: {shortened(opinion['why'], FEW).rstrip('.')}"


def quoted_at(record: Record) -> int | None:
    """Return the index of the last message of the agent that has the words at fault."""
    quote = record["opinion"]["quote"]
    said = [
        index
        for index, one in enumerate(record["messages"])
        if one.sender is Role.AGENT
        and any(
            stands_in(quote, text)
            for text in (texts_in(one.call.arguments) if one.call else (one.content,))
        )
    ]
    return said[-1] if said else None
