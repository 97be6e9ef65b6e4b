"""Sections that pages of all protocols share: a judge's opinion, unread words, error patterns.

Also the notes about findings of SpecTool's error patterns, and the limits that were reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_toolsandbox.conversation import messages
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.failure_modes import FAILURE_MODES, kind_of
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.models.finish_reasons import COMPLETE, CUT_OFF
from pytest_toolsandbox.records.imported import difference_words
from pytest_toolsandbox.records.parts import CriterionRecord, FindingRecord, OpinionRecord
from pytest_toolsandbox.records.record import ConversationRecord, Record
from pytest_toolsandbox.scoring.judging import is_too_long
from pytest_toolsandbox.text.formatting import READ_LIMIT, join_words
from pytest_toolsandbox.text.sentences import is_quoted_in, texts_in

from .view import Compared, Entry, Note, Notes, Section
from .wording import shortened, value_text

_REASON_LIMIT = 120
"""Characters of a judge's reason in a verdict."""
_FINDING_LIMIT = 160
"""Characters of what a finding expected or found."""
_UNREAD: Final = {
    "facts": "they have the facts that are asked for; nobody read the rest",
    "by_rules": "a lexical reading decided, since nothing but words is asked for",
    "not_judged": "nobody read them",
}
TOO_LONG: Final = f"more than {READ_LIMIT:,} characters: only its beginning and its end were read"
_TOO_MANY: Final = (
    "There were too many calls to compare them with those of the solutions: "
    "IAC and IAV were not looked for."
)


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
    place = _quoted_at(record, opinion["quote"])
    entry = Entry(words, rows, place, kind="reached" if verdict == "right" else "changed")
    criteria = (_criterion(record, criterion) for criterion in opinion.get("criteria", ()))
    yield Section(f"judge {record.get('judge', '')}", (entry, *criteria))


def _criterion(record: Record, criterion: CriterionRecord) -> Entry:
    """Return the row of a criterion; the reason is shown only if it is not met."""
    quote = criterion["quote"]
    place = _quoted_at(record, quote) if quote else None
    name = shortened(criterion["criterion"])
    if criterion["met"]:
        return Entry(f"met  {name}", message=place, kind="reached")
    words = f"not met  {name}: {_reason(quote, criterion['why'])}"
    return Entry(words, message=place, kind="changed")


def _reason(quote: str, why: str) -> str:
    parts = [repr(shortened(quote)) if quote else "", shortened(why)]
    return ": ".join(filter(None, parts))


def is_faulted(record: Record) -> bool:
    """Return whether a judge finds the words wrong, or a criterion not met that has to be."""
    if (opinion := record.get("opinion")) is None:
        return False
    return opinion["verdict"] != "right" or bool(_unmet(opinion))


def _unmet(opinion: OpinionRecord) -> list[CriterionRecord]:
    """Return the criteria for which the item fails."""
    criteria = opinion.get("criteria", ())
    enough = {each["any_of"] for each in criteria if each["met"] and "any_of" in each}
    return [each for each in criteria if not each["met"] and each.get("any_of") not in enough]


def fault_text(record: Record) -> str:
    """Return what a judge finds wrong, in a few words."""
    opinion = record["opinion"]
    if opinion["verdict"] == "right":
        unmet = ", ".join(shortened(each["criterion"], _REASON_LIMIT) for each in _unmet(opinion))
        return f"not met by its judge: {unmet}"
    why = shortened(opinion["why"], _REASON_LIMIT).rstrip(".")
    return f"{opinion['verdict']} by its judge: {why}"


def fault_notes(record: Record) -> Iterator[tuple[int, Note]]:
    """Yield the index of each message that a judge quotes, with what it finds wrong there."""
    if (opinion := record.get("opinion")) is None:
        return
    faults = [
        (each["quote"], f"not met: {shortened(each['criterion'])}") for each in _unmet(opinion)
    ]
    if opinion["verdict"] != "right":
        faults.insert(0, (opinion["quote"], f"{opinion['verdict']} by its judge"))
    for quote, words in faults:
        if quote and (place := _quoted_at(record, quote)) is not None:
            yield place, Note(words, "changed")


def _quoted_at(record: Record, quote: str) -> int | None:
    """Return the index of the last message of the agent that has quoted words."""
    for index, message in reversed([*enumerate(record["messages"])]):
        if message.sender is Role.AGENT:
            texts = texts_in(message.call.arguments) if message.call else (message.content,)
            if any(is_quoted_in(quote, text) for text in texts):
                return index
    return None


def pattern_sections(record: Record, *, missing: bool = True) -> Iterator[Section]:
    """Yield how often each error pattern was found, and with ``missing`` the missing calls.

    If there is none, it says what else is wrong.
    """
    if "calls" in record.get("ran_out", []):
        yield Section(_TOO_MANY)
    calls = record["error_patterns"]["calls"]
    counts = [f"{pattern} {count}" for pattern, count in calls.items() if count]
    if counts:
        absent = (each for each in record["findings"] if missing and each.message is None)
        entries = (Entry(_finding_text(finding), kind="pattern") for finding in absent)
        yield Section(f"error patterns: {', '.join(counts)}", tuple(entries))
    elif modes := {*map(kind_of, record.get("failure_modes", ()))}:
        wrong = dict.fromkeys(words for mode, words in FAILURE_MODES.items() if mode in modes)
        yield Section(f"error patterns: none, but {join_words([*wrong], 'and')}")


def reply_notes(record: ConversationRecord) -> Iterator[tuple[int, Note]]:
    """Yield the index of each message that was cut off, is empty or ended oddly, with a note."""
    reasons: dict[int, list[str]] = {}
    for usage in record.get("message_usage", ()):
        reasons.setdefault(usage["message"], []).extend(usage.get("finish_reasons", ()))
    for index, message in enumerate(record["messages"]):
        names = [name for name in dict.fromkeys(reasons.get(index, ())) if name not in COMPLETE]
        cut = ["cut off at the token limit"] if CUT_OFF in names else []
        empty = ["an empty reply"] if message.is_empty_reply else []
        odd = [f"finish reason {shortened(name)}" for name in names if name != CUT_OFF]
        if words := ", ".join([*cut, *empty, *odd]):
            yield index, Note(words)
    for difference in record.get("imported", {}).get("differences", ()):
        yield difference["message"], Note(difference_words(difference))


def with_findings(record: Record, notes: Notes) -> Notes:
    """Add faults of tools to the notes, how replies ended and were read, and error patterns."""
    joined = {index: list(about) for index, about in notes.items()}
    for index, message in enumerate(record["messages"]):
        if message.fault:
            joined.setdefault(index, []).append(Note(f"fault {message.fault}"))
    for index, note in reply_notes(record):
        joined.setdefault(index, []).append(note)
    if "texts" in record.get("ran_out", []):
        for index, message in enumerate(record["messages"]):
            if is_too_long(message):
                joined.setdefault(index, []).append(Note(TOO_LONG))
    for finding in record["findings"]:
        if finding.message is not None:
            note = Note(_finding_text(finding), "pattern")
            joined.setdefault(finding.message, []).append(note)
    return joined


def _finding_text(finding: FindingRecord) -> str:
    """Return the pattern, where it is, and what should have been there."""
    actual = shortened(value_text(finding.found), _FINDING_LIMIT)
    return PATTERNS[finding.pattern].on_page.format(
        words=shortened(finding.words, _FINDING_LIMIT),
        expected=shortened(finding.expected, _FINDING_LIMIT) or "none",
        found=f", found {actual}" if finding.given else "",
        meant=f"; did you mean {finding.nearest}?" if finding.nearest else "",
        made="not made" if finding.message is None else f"made, but as {finding.found}",
    )


def reached_limits(record: Record) -> list[str]:
    """Return which limits cut the conversation off."""
    limits = record.get("limits")
    if limits is None:
        return []
    named = {name: limits.get(name) for name in ("max_calls", "max_messages", "max_steps")}
    ran_out = record.get("ran_out", [])
    lines = [f"  cut off: {name} is {named[name]}" for name in ran_out if name in named]
    if "characters" in ran_out:
        lines.append(f"  cut off: the agent wrote more than {messages.MOST_WRITTEN:,} characters")
    return lines
