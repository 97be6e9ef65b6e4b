"""Mistakes in a world of the user's own, which pytest shows as the one line that they are."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.worlds.errors import WorldError

from .collecting import CollectionRepr


def raise_in_one_line(error: Exception) -> None:
    """Raise pytest's ``UsageError`` where a world kept the first ``conftest.py`` from loading."""
    if text := _text(error):
        raise pytest.UsageError(text) from None


def show_in_one_line(report: pytest.CollectReport) -> None:
    """Show in a report that a world kept files from being collected."""
    call = getattr(report, "call", None)
    if call is not None and call.excinfo and (text := _text(call.excinfo.value)):
        report.longrepr = CollectionRepr(text)  # type: ignore[assignment]  # pytest takes any


def _text(error: BaseException) -> str | None:
    """Return what is wrong with a world; pytest keeps the cause of a failure to load."""
    cause = getattr(error, "cause", error)
    return str(cause) if isinstance(cause, WorldError) else None
