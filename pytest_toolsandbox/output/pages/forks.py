"""What forks of a conversation say about it: which step decided, and what was tried by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.records.trials import SCORED, outcome_words, reason_words
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import redacted_line

from .messages import message_text
from .view import Entry, Section

_NO_STEP: Final = "no single step decides"


@dataclass(frozen=True)
class StepForks:
    """The continuations of a step: ``mended`` and ``kept`` are how many passed, of how many."""

    message: int
    mended: tuple[int, int]
    kept: tuple[int, int]
    needed: int
    is_last: bool
    words: str

    @property
    def is_rejected(self) -> bool:
        """Whether the agent failed after it was mended, or succeeded although it was not."""
        return self.mended[0] < self.mended[1] or self.kept[0] > 0

    @property
    def is_decisive(self) -> bool:
        """Whether there were enough continuations, and all say that the step decided."""
        is_enough = self.mended[1] >= self.needed and (self.is_last or self.kept[1] >= self.needed)
        return is_enough and not self.is_rejected

    @property
    def counts(self) -> str:
        """How often the agent succeeded, in words."""
        mended, kept = ("{} of {}".format(*counts) for counts in (self.mended, self.kept))
        if self.is_last:
            return f"with message [{self.message}] mended, it passes in {mended}"
        more = f", and in {kept} as it was" if self.kept[1] else ""
        return f"with message [{self.message}] mended, the agent succeeds in {mended}{more}"

    @property
    def row(self) -> str:
        """The counts in a row of the page."""
        mended, kept = ("{} of {}".format(*counts) for counts in (self.mended, self.kept))
        more = f", as it was {kept}" if self.kept[1] else ""
        return f"[{self.message}]  mended {mended}{more}"


def blame_words(record: Record, forks: Sequence[Record]) -> str | None:
    """Return which step decided, in one line; ``None`` if blame played nothing."""
    steps = steps_of(record, forks)
    broken = next((fork for fork in forks if not _counts(fork)), None)
    if not steps and broken is None:
        return None
    if decisive := [step for step in steps if step.is_decisive]:
        first = min(decisive, key=lambda step: step.message)
        return f"{first.counts}: the decisive step is [{first.message}]"
    if broken is not None:
        return (
            f"undecided: a continuation came to no verdict: {redacted_line(reason_words(broken))}"
        )
    known = max(fork["fork"].get("steps", 0) for fork in forks)
    left = known - sum(step.is_rejected for step in steps)
    if left:
        tried = pluralize(sum(sum((s.mended[1], s.kept[1])) for s in steps), "continuation")
        return f"undecided after {tried}: {left} of {pluralize(known, 'step')} are left to try"
    return f"{_NO_STEP}: {pluralize(known, 'step')} mended one at a time, and it fails each time"


def steps_of(record: Record, forks: Sequence[Record]) -> list[StepForks]:
    """Return the steps that blame tried, in the order of the conversation."""
    blamed = [fork for fork in forks if fork["fork"]["kind"] != "by_hand"]
    places = [at for at, m in enumerate(record["messages"]) if m.sender is Role.AGENT]

    def number(fork: Record) -> int:
        return fork["fork"].get("step", 0)

    steps = []
    for _, group in groupby(sorted(blamed, key=number), key=number):
        same = [*filter(_counts, group)]
        mended = [fork for fork in same if fork["fork"]["kind"] == "mended"]
        if not mended:
            continue
        kept = [fork for fork in same if fork["fork"]["kind"] == "kept"]
        about = mended[0]["fork"]
        steps.append(
            StepForks(
                about["message"],
                _passed(mended),
                _passed(kept),
                about.get("times", 1),
                not any(place > about["message"] for place in places),
                _sent_words(mended[0]),
            )
        )
    return sorted(steps, key=lambda step: step.message)


def _counts(fork: Record) -> bool:
    """Whether a continuation has a verdict, or the agent could not go on."""
    return fork["outcome"] in SCORED or fork.get("cause") == "agent"


def _passed(forks: Sequence[Record]) -> tuple[int, int]:
    return sum(fork["outcome"] == "passed" for fork in forks), len(forks)


def _sent_words(fork: Record) -> str:
    """Return what was said or called instead, as the transcript shows it."""
    about = fork["fork"]
    sent = fork["messages"][about["start"] : about["start"] + about["sent"]]
    return " and ".join(message_text(message) for message in sent)


def fork_sections(record: Record, forks: Sequence[Record]) -> Iterator[Section]:
    """Yield the sections about forks of a conversation, if there are any."""
    if words := blame_words(record, forks):
        entries = (
            Entry(
                step.row,
                message=step.message,
                by=step.words,
                kind="reached" if step.is_decisive else "plain",
            )
            for step in steps_of(record, forks)
        )
        yield Section(f"blame: {words}", tuple(entries))
    by_hand = [fork for fork in forks if fork["fork"]["kind"] == "by_hand"]
    if by_hand:
        yield Section("forks by hand", tuple(map(_by_hand, by_hand)))


def _by_hand(fork: Record) -> Entry:
    about = fork["fork"]
    words = f"fork {fork['trial']} at [{about['message']}] by {redacted_line(fork['agent'])}"
    outcome = outcome_words(fork["outcome"])
    instead = _sent_words(fork) or "asked again"
    return Entry(
        f"{outcome}  {words}",
        message=about["message"],
        by=instead,
        kind="reached" if outcome == "passed" else "plain",
    )
