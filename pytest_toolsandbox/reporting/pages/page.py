"""The page of an item that did not pass: the verdict first, then its cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_toolsandbox.language.protocol import find_protocol
from pytest_toolsandbox.records.record import ConversationRecord, Record

from .transcript import transcript


def failure_page(record: Record) -> str:
    """Return the page of a conversation that failed, as its protocol has it."""
    return find_protocol(record["protocol"]).page(record)


def error_page(reason: str, record: ConversationRecord) -> str:
    """Return the page of a conversation that could not be finished, the reason in its first line.

    Where it had not begun there is nothing but the reason.
    """
    lines = list(transcript(record))
    return "\n".join([reason, "", "conversation so far", *lines] if lines else [reason])


def trials_page(pages: Mapping[int, str], trials: int) -> str:
    """Join the pages of the trials that failed, by their number; the same page stands once."""
    if trials == 1:
        return next(iter(pages.values()))
    numbers: dict[str, list[int]] = {}
    for trial, text in pages.items():
        numbers.setdefault(text, []).append(trial)
    parts = [f"{_trials(same)}: {text}" for text, same in numbers.items()]
    return f"{len(pages)} of {trials} trials failed; " + "\n\n".join(parts)


def _trials(numbers: Sequence[int]) -> str:
    return f"trial{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
