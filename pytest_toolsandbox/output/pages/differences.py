"""Where what was found parts from what was asked, in rows of a page.

Findings of SpecTool's error patterns in words, and a page as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.matchers.registry import ROUNDING
from pytest_toolsandbox.records.parts import AskedRecord, FindingRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.scoring.judging import is_too_long
from pytest_toolsandbox.scoring.results import ConstraintResult, Difference
from pytest_toolsandbox.text.formatting import READ_LIMIT, format_value

from .transcript import shortened, transcript
from .view import Compared, Entry, Note, Notes, PageView, Section, section_lines

LONGEST_VALUE = 200
_NUMBER = r"(\d{9,10}(?:\.\d+)?)\b(?!')"  # seconds since 1970; from 1973 to 2286
_ALONE = re.compile(rf"(?<![\w.+'-]){_NUMBER}")
_NAMED = re.compile(rf"(timestamp\w*: ){_NUMBER}")


def constraint_rows(
    asked: AskedRecord, result: ConstraintResult, message: Message | None, zone: tzinfo
) -> Iterator[Compared]:
    """Yield how a constraint fared, against ``message`` if any: a row per difference."""
    label = result.label
    if result.reached:
        yield Compared(label, holds=True)
        return
    if not result.differences:
        yield Compared(label, shown_value(asked["expected"], zone))
        return
    if label in ("call", "tried") and message and message.call:
        label = f"{label} {message.call.name}"
    for difference in result.differences:
        if difference.similarity < difference.threshold - ROUNDING:
            yield difference_row(label, difference, asked["columns"], zone)


def difference_row(
    label: str, difference: Difference, columns: Sequence[str], zone: tzinfo
) -> Compared:
    """Return what was expected and what was found in its place."""
    is_said = difference.where in (*label.split(), "rows", "snapshot")
    expected = shown_value(difference.expected, zone, difference.where)
    found = shown_value(_found(difference, columns), zone, difference.where) + _remarks(difference)
    return Compared(f"{label}{'' if is_said else f', {difference.where}'}", expected, found)


def _remarks(difference: Difference) -> str:
    remarks = []
    if difference.threshold < 1 or difference.similarity > 0:
        similarity, least = score_text(difference.similarity), f"{difference.threshold:g}"
        remarks.append(f"similarity {similarity}, at least {least} was asked")
    if difference.note:
        remarks.append(shortened(difference.note))
    return f" ({'; '.join(remarks)})" if remarks else ""


def _found(difference: Difference, columns: Sequence[str]) -> str:
    """Write what was found; of rows only the ``columns`` that are asked for, if any are."""
    if difference.where == "snapshot":
        return f"[{difference.found}]"
    if difference.where != "rows":
        return value(difference.found)
    rows = difference.found if isinstance(difference.found, list) else [difference.found]
    if not rows:
        return "none"
    shown = [{name: row.get(name) for name in columns} if columns else row for row in rows]
    count = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
    return f"{count}: {' and '.join(map(value, shown))}"


def shown_value(text: str, zone: tzinfo, name: str = "") -> str:
    """Write a value in one line, cut where it is long, with wall times."""
    return with_wall_times(shortened(text, LONGEST_VALUE), zone, name)


def value(found: Any) -> str:
    """Write a value that was found the way that expected ones are written."""
    return repr(found) if isinstance(found, str) else format_value(found)


def score_text(score: float) -> str:
    """Write a score with two digits, and as 1 only what is 1."""
    text = f"{score:.2f}"
    return "0.99" if text == "1.00" and score < 1 else text


def zone_of(record: Record) -> tzinfo:
    """Return the time zone of the record's world, by its name or else as the clock has it."""
    try:
        return ZoneInfo(record.get("time_zone", ""))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return clock_of(record).tzinfo or UTC


def clock_of(record: Record) -> datetime:
    """Return what the world's clock says; the epoch where it says nothing.

    So it is of an item whose process ended.
    """
    try:
        return datetime.fromisoformat(record["now"])
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def with_wall_times(text: str, zone: tzinfo, name: str = "") -> str:
    """Add the wall time to the timestamps in a text.

    A number is one behind a name with "timestamp" in it, ``reminder_timestamp: 1741968000``, and
    anywhere if ``name``, that of the column or argument that the text is about, has that in it.
    """
    if "timestamp" in name:
        return _ALONE.sub(lambda found: f"{found[1]} ({_wall_time(found[1], zone)})", text)
    if "timestamp" not in text:
        return text
    return _NAMED.sub(lambda found: f"{found[0]} ({_wall_time(found[2], zone)})", text)


def _wall_time(seconds: str, zone: tzinfo) -> str:
    moment = datetime.fromtimestamp(float(seconds), zone)
    return f"{moment:%Y-%m-%d %H:%M:%S}".removesuffix(":00")


LONGEST_FINDING = 160
"""Characters of what is expected or found."""
TOO_LONG = f"more than {READ_LIMIT:,} characters: only its beginning and its end were read"


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
    found = shortened(value(finding.found), LONGEST_FINDING)
    return PATTERNS[finding.pattern].on_page.format(
        words=shortened(finding.words, LONGEST_FINDING),
        expected=shortened(finding.expected, LONGEST_FINDING) or "none",
        found=f", found {found}" if finding.given else "",
        meant=f"; did you mean {finding.nearest}?" if finding.nearest else "",
        made="not made" if finding.message is None else f"made, but as {finding.found}",
    )
