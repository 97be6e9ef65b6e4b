"""The budget of a run, where the reports end up: shared with workers, and told at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from pytest_toolsandbox.wording.phrases import counted

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

    from .settings import Settings

SPENT: Final = "toolsandbox_spent"
"""What tells a worker the folder in which all workers write down what they have spent."""


def recorded_usage(records: Sequence[Summary], record: str) -> Iterator[str]:
    """Yield a line that says whose tokens and costs these are, where nobody was asked."""
    if record == "replay" and any(one.get("usage") for one in records):
        yield "usage: what the recording used; a replay asks nobody, and spends no budget"


class SessionBudget:
    """Tells workers where to write down what they spend, and what it could not see."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._folder: Any = None

    def share(self, node: Any) -> None:
        """Tell a worker where all of them write down what they have spent."""
        settings = self.settings
        if (settings.max_cost, settings.max_tokens, settings.max_time) != (None, None, None):
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="toolsandbox-")
            node.workerinput[SPENT] = self._folder.name

    def remarks(self, records: Sequence[Summary]) -> Iterator[str]:
        """Yield what the budget could not see; a replay spends nothing."""
        askers = [figures for one in records for figures in one.get("usage", {}).values()]
        silent = sum("usage" not in one for one in records if "duration" in one)
        unpriced = sum(figures["cost"] is None for figures in askers) + silent
        is_spent = self.settings.max_cost is not None and self.settings.record != "replay"
        if is_spent and unpriced:
            told = counted(unpriced, "conversation")
            yield f"budget: --sandbox-max-cost does not see {told}, whose cost is unknown"

    def close(self) -> None:
        """Remove what workers have written."""
        if self._folder is not None:
            self._folder.cleanup()
