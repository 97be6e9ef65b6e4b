"""Findings of SpecTool's error patterns in words, and a page as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from pytest_toolsandbox.evaluation.long_texts import is_too_long
from pytest_toolsandbox.records.record import FindingRecord, Record
from pytest_toolsandbox.wording.long_texts import MOST

from .differences import value
from .transcript import shortened, transcript
from .view import Entry, Note, Notes, PageView, Section, section_lines

LONGEST_FINDING = 160
"""Characters of what is expected or found."""
TOO_LONG = f"more than {MOST:,} characters: only its beginning and its end were read"


TOO_MANY: Final = (
    "There were too many calls to compare them with those of the solutions: "
    "IAC and IAV were not looked for."
)


def pattern_sections(
    record: Record, otherwise: Iterable[str], *, missing: bool = True
) -> Iterator[Section]:
    """Yield how often which pattern was found, and, if asked for, the ``missing`` calls.

    Where there is none, what is wrong ``otherwise`` is said, or else that the agent gave up, as
    far as it was compared with solutions.
    """
    if "calls" in record.get("ran_out", []):
        yield Section(TOO_MANY)
    calls = record["error_patterns"]["calls"]
    counts = [f"{pattern} {count}" for pattern, count in calls.items() if count]
    if counts:
        absent = (one for one in record["findings"] if missing and one.message is None)
        entries = (Entry(finding_line(one), kind="pattern") for one in absent)
        yield Section(f"error patterns: {', '.join(counts)}", tuple(entries))
    elif record["outcome"] != "passed":
        compared = record["error_patterns"]["compared_with"] != "nothing"
        if wrong := " and ".join(otherwise) or ("it gave up" if compared else ""):
            yield Section(f"error patterns: none, but {wrong}")


def page_text(record: Record, view: PageView) -> str:
    """Return a page as text: the verdict, what it rests on, and the conversation."""
    summary = ("", shortened(record["summary"])) if record["summary"] else ()
    parts = (line for section in view.sections for line in section_lines(section))
    notes = {index: [note.words for note in notes] for index, notes in (view.notes or {}).items()}
    talk = ("", "conversation", *transcript(record, notes))
    return "\n".join((view.verdict, *summary, *parts, *talk, *view.end))


def with_findings(record: Record, notes: Notes) -> Notes:
    """Return what was found at each message, then what was read in part, then error patterns."""
    joined = {index: list(some) for index, some in notes.items()}
    if "texts" in record.get("ran_out", []):
        for index in (at for at, one in enumerate(record["messages"]) if is_too_long(one)):
            joined.setdefault(index, []).append(Note(TOO_LONG))
    for finding in record["findings"]:
        if finding.message is not None:
            note = Note(finding_line(finding), "pattern")
            joined.setdefault(finding.message, []).append(note)
    return joined


def finding_line(finding: FindingRecord) -> str:
    """Write a finding: the pattern, where it is, and what should have been there."""
    expected = shortened(finding.expected, LONGEST_FINDING)
    found = shortened(value(finding.found), LONGEST_FINDING)
    meant = f"; did you mean {finding.nearest}?" if finding.nearest else ""
    match finding.pattern:
        case "IAC":  # the call that was expected says which tool it is
            made = "not made" if finding.message is None else f"made, but as {finding.found}"
            return f"IAC {made}: {expected}"
        case "IFE":
            text = f"expected {expected}"
        case "IFN":
            text = f"there is no such tool{meant}"
        case "IAN":
            text = f"the arguments are {expected or 'none'}{meant}"
        case "RAC":
            text = "the same call was made before, and this one tells or changes nothing more"
        case "IAT" | "IAV":
            text = f"expected {expected}{f', found {found}' if finding.given else ''}"
        case _:
            assert_never(finding.pattern)
    return f"{shortened(finding.words, LONGEST_FINDING)}: {text}"
