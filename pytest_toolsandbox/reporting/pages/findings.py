"""Findings of SpecTool's error patterns in words, for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from pytest_toolsandbox.records.record import FindingRecord, Record

from .differences import value
from .transcript import Findings, shortened, transcript

LONGEST_FINDING = 160
"""Characters of what is expected or found."""


def pattern_lines(
    record: Record, otherwise: Iterable[str], *, missing: bool = True
) -> Iterator[str]:
    """Yield how often which pattern was found, and, if asked for, the ``missing`` calls.

    Where there is none, what is wrong ``otherwise`` is said, or else that the agent gave up, as
    far as it was compared with solutions.
    """
    calls = record["error_patterns"]["calls"]
    counts = [f"{pattern} {count}" for pattern, count in calls.items() if count]
    if not counts:
        compared = record["error_patterns"]["compared_with"] != "nothing"
        if wrong := " and ".join(otherwise) or ("it gave up" if compared else ""):
            yield from ("", f"error patterns: none, but {wrong}")
        return
    yield from ("", f"error patterns: {', '.join(counts)}")
    for finding in record["findings"]:
        if missing and finding.message is None:
            yield f"  {finding_line(finding)}"


def page_text(
    record: Record, verdict: str, parts: Iterable[str], found: Findings, end: Iterable[str] = ()
) -> str:
    """Return a page: its verdict in the first line, its own ``parts``, and the conversation.

    What was ``found`` in a message stands there, and what of error patterns was.
    """
    joined = {index: list(lines) for index, lines in found.items()}
    for finding in record["findings"]:
        if finding.message is not None:
            joined.setdefault(finding.message, []).append(finding_line(finding))
    summary = ("", shortened(record["summary"])) if record["summary"] else ()
    talk = ("", "conversation", *transcript(record, joined))
    return "\n".join((verdict, *summary, *parts, *talk, *end))


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
