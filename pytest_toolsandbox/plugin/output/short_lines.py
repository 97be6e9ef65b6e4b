"""Reports as pytest shows them: an error of many items once, and short lines with their cause.

In its short summary, pytest puts the cause behind the id, so a long id leaves no room for it.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Container, Sequence
from typing import Any, Final

import pytest

from pytest_toolsandbox.text.formatting import pluralize

_WORDS: Final = {"failed": ("F", "FAILED"), "error": ("E", "ERROR")}
"""Pytest's category of a report → its letter and its word."""
_CI: Final = ("CI", "BUILD_NUMBER")
"""Variables with which pytest cuts nothing."""
_VERBOSE: Final = 2
"""From this verbosity on, pytest cuts nothing either."""


class ShortLines:
    """Replaces reports while pytest prints its summaries.

    An error that items have in common, such as of a fixture, is shown once, with their number.
    """

    def __init__(self) -> None:
        self._kept: dict[str, list[Any]] = {}

    def begin_errors(self, reporter: pytest.TerminalReporter, items: Container[str]) -> None:
        """Replace the errors of ``items`` that are the same by the first, until ``begin``."""
        errors = reporter.stats.get("error", [])
        same: dict[str, list[Any]] = {}
        for report in errors:
            same.setdefault(_text_of(report, items), []).append(report)
        shown = [_of_all(group) for group in same.values()]
        if len(shown) < len(errors):
            self._kept["error"] = errors
            reporter.stats["error"] = shown

    def begin(self, reporter: pytest.TerminalReporter, items: Container[str]) -> None:
        """Replace the reports of ``items`` whose line pytest would cut, until the end."""
        self.end(reporter)
        is_whole = reporter.config.option.verbose >= _VERBOSE or any(map(os.environ.get, _CI))
        if is_whole:
            return
        width = reporter._tw.fullwidth  # noqa: SLF001  # pytest's own width
        for category in _WORDS:
            if reports := reporter.stats.get(category):
                self._kept[category] = reports
                groups: dict[str, list[Any]] = {}
                for report in reports:
                    is_error = category == "error"
                    key = _text_of(report, items) if is_error else f"{id(report)}"
                    groups.setdefault(key, []).append(report)
                reporter.stats[category] = [
                    _shown(group[0], category, width, len(group))
                    if group[0].nodeid in items
                    else group[0]
                    for group in groups.values()
                ]

    def end(self, reporter: pytest.TerminalReporter) -> None:
        """Give pytest its reports back."""
        reporter.stats.update(self._kept)
        self._kept.clear()


def _text_of(report: Any, items: Container[str]) -> str:
    """Return what is the same for equal errors of ``items``; nothing else is like another one."""
    is_ours = report.nodeid in items and report.when != "teardown"
    return f"{report.when} {report.longrepr}" if is_ours else f"{id(report)}"


def _of_all(reports: Sequence[Any]) -> Any:
    """Return the first of equal reports, with how many more there are."""
    first = reports[0]
    if len(reports) == 1:
        return first
    shown = copy.copy(first)
    shown.longrepr = f"{first.longrepr}\n\nthe same in {pluralize(len(reports) - 1, 'more item')}"
    return shown


def short_line(report: Any) -> tuple[str, str, str] | None:
    """Return how pytest shows a replaced report: category, letter, and the word with the cause."""
    category, cause = getattr(report, _SHOWN, (None, ""))
    if category is None:
        return None
    letter, word = _WORDS[category]
    return category, letter, f"{word} {cause}"


_SHOWN: Final = "toolsandbox_shown"


def _shown(report: Any, category: str, width: int, count: int) -> Any:
    """Return a report whose line begins with its cause, if pytest would cut the line.

    So does that of an error which several items have in common.
    """
    cause = getattr(getattr(report.longrepr, "reprcrash", None), "message", "")
    cause = cause.partition("\n")[0]
    _, word = _WORDS[category]
    if not cause or (count == 1 and len(f"{word} {report.nodeid} - {cause}") <= width):
        return report
    shown = copy.copy(report)
    shown.longrepr = None  # else pytest says the cause once more
    number = f" ({pluralize(count, 'item')}, the first is)" if count > 1 else " -"
    setattr(shown, _SHOWN, (category, f"{cause}{number}"))
    return shown
