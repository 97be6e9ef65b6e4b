"""What a judge thinks of the words of a conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.records.parts import CriterionRecord, OpinionRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.text.sentences import stands_in, texts_in

from .transcript import shortened
from .view import Compared, Entry, Kind, Section

FEW = 120
"""Characters of a reason in a verdict."""
UNMET: Final = "a criterion that is not met"
"""What is wrong where the words are right."""
_UNREAD: Final = {
    "facts": "they have the facts that are asked for; nobody read the rest",
    "by_rules": "a lexical reading decided, since nothing but words is asked for",
    "not_judged": "nobody read them",
}
_KINDS: dict[str, Kind] = {"right": "reached"}
"""How a verdict is to be taken that is not bad."""


def words_sections(record: Record) -> Iterator[Section]:
    """Yield how words were judged that no judge has read."""
    if text := _UNREAD.get(record.get("words", "")):
        yield Section(f"words: {record['words']}, {text}")


def opinion_sections(record: Record) -> Iterator[Section]:
    """Yield the verdict of a judge, what it is about and why, if one was asked."""
    if (opinion := record.get("opinion")) is None:
        return
    verdict = opinion["verdict"]
    words = f"{verdict}  {_reason(opinion['quote'], opinion['why'])}".rstrip()
    if votes := opinion.get("votes"):
        words += f" ({', '.join(f'{count} {name}' for name, count in votes.items())})"
    rows = tuple(
        Compared(name, found=shortened(text))
        for name, text in (
            ("against it", opinion.get("against")),
            ("missing", opinion.get("missing")),
        )
        if text and text != opinion["why"]
    )
    place = quoted_at(record, opinion["quote"])
    entry = Entry(words, rows, place, kind=_KINDS.get(verdict, "changed"))
    criteria = (_criterion(record, one) for one in opinion.get("criteria", ()))
    yield Section(f"judge {record.get('judge', '')}", (entry, *criteria))


def _criterion(record: Record, one: CriterionRecord) -> Entry:
    """Return the row of a criterion; why it is met is not said."""
    words, kind = ("met  ", "reached") if one["met"] else ("not met  ", "changed")
    words += shortened(one["criterion"])
    if not one["met"]:
        words += f": {_reason(one['quote'], one['why'])}"  # it has one of them
    place = quoted_at(record, one["quote"]) if one["quote"] else None
    return Entry(words, message=place, kind=cast("Kind", kind))


def _reason(quote: str, why: str) -> str:
    parts = [repr(shortened(quote))] if quote else []
    return ": ".join([*parts, *filter(None, [shortened(why)])])


def is_faulted(record: Record) -> bool:
    """Return whether a judge finds the words wrong, or a criterion not met that has to be."""
    return are_words_wrong(record) or has_unmet_criteria(record)


def are_words_wrong(record: Record) -> bool:
    """Return whether a judge finds the words wrong."""
    return "opinion" in record and record["opinion"]["verdict"] != "right"


def has_unmet_criteria(record: Record) -> bool:
    """Return whether a judge finds a criterion not met that has to be."""
    return "opinion" in record and bool(_unmet(record["opinion"]))


def _unmet(opinion: OpinionRecord) -> list[CriterionRecord]:
    """Return the criteria for which the item fails."""
    criteria = opinion.get("criteria", ())
    enough = {one["any_of"] for one in criteria if one["met"] and "any_of" in one}
    return [one for one in criteria if not one["met"] and one.get("any_of") not in enough]


def faulted_words(record: Record) -> str:
    """Write what a judge finds wrong in a few words."""
    opinion = record["opinion"]
    if opinion["verdict"] == "right":
        unmet = ", ".join(shortened(one["criterion"], FEW) for one in _unmet(opinion))
        return f"not met by its judge: {unmet}"
    return f"{opinion['verdict']} by its judge: {shortened(opinion['why'], FEW).rstrip('.')}"


def faults_at(record: Record) -> Iterator[tuple[int, str]]:
    """Yield the index of each message that a judge quotes, and what it finds wrong there."""
    if (opinion := record.get("opinion")) is None:
        return
    faults = [(opinion["quote"], f"{opinion['verdict']} by its judge")]
    faults = [] if opinion["verdict"] == "right" else faults
    unmet = ((one["quote"], f"not met: {shortened(one['criterion'])}") for one in _unmet(opinion))
    for quote, words in (*faults, *unmet):
        if quote and (place := quoted_at(record, quote)) is not None:
            yield place, words


def quoted_at(record: Record, quote: str) -> int | None:
    """Return the index of the last message of the agent that has quoted words."""
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
