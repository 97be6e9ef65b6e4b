"""Findings of SpecTool's error patterns in words, for a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_toolsandbox.evaluation.error_patterns.patterns import ErrorPatterns, Finding

from .differences import value
from .transcript import shortened

LONGEST = 160
"""Characters of what is expected or found."""


def pattern_lines(patterns: ErrorPatterns, *, missing: bool = True) -> Iterator[str]:
    """Yield how often which pattern was found, and, if asked for, the ``missing`` calls.

    What was found in a message stands there.
    """
    counts = [f"{pattern} {count}" for pattern, count in patterns.calls.items() if count]
    if not counts:
        return
    yield from ("", f"error patterns: {', '.join(counts)}")
    for finding in patterns.findings:
        if missing and finding.message is None:
            yield f"  {finding_line(finding)}"


def with_patterns(
    found: Mapping[int, Sequence[str]], patterns: ErrorPatterns
) -> dict[int, list[str]]:
    """Add the findings to what else was found in messages."""
    together = {index: list(lines) for index, lines in found.items()}
    for finding in patterns.findings:
        if finding.message is not None:
            together.setdefault(finding.message, []).append(finding_line(finding))
    return together


def finding_line(finding: Finding) -> str:
    """Write a finding: the pattern, where it is, and what should have been there."""
    expected = shortened(finding.expected, LONGEST)
    found = shortened(value(finding.found), LONGEST)
    meant = f"; did you mean {finding.nearest}?" if finding.nearest else ""
    if finding.pattern == "IAC":  # the call that was expected says which tool it is
        return f"IAC {'not made' if finding.message is None else 'made, but it failed'}: {expected}"
    match finding.pattern:
        case "IFE":
            text = f"expected {expected}"
        case "IFN":
            text = f"there is no such tool{meant}"
        case "IAN":
            text = f"the arguments are {expected or 'none'}{meant}"
        case "RAC":
            text = "the same call was made before, and nothing has changed since"
        case _ if not finding.given:
            text = f"expected {expected}"
        case _:
            text = f"expected {expected}, found {found}"
    return f"{shortened(finding.words, LONGEST)}: {text}"
