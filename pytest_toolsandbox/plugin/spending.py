"""The budget of a run, where the reports end up: shared with workers, and told at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_toolsandbox.wording.phrases import counted

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary

    from .settings import Settings

SPENT: Final = "toolsandbox_spent"
"""What tells a worker the folder in which all workers write down what they have spent; and where
each says it when it ends."""


def recorded_usage(records: Sequence[Summary], record: str) -> Iterator[str]:
    """Yield a line that says whose tokens and costs these are, where nobody was asked."""
    if record == "replay" and any(one.get("usage") for one in records):
        yield "usage: what the recording used; a replay asks nobody, and spends no budget"


class _Spent(NamedTuple):
    cost: float
    tokens: int

    def __str__(self) -> str:
        tokens = f"{self.tokens:,} tokens" if self.tokens else ""
        cost = f"${self.cost:.4f}" if self.cost else ""
        return ", ".join(filter(None, (tokens, cost)))


class SessionBudget:
    """Tells workers where to write down what they spend, and what it could not see."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._folder: Any = None
        self._by_worker: dict[Any, tuple[float, float] | None] = {}

    def share(self, node: Any) -> None:
        """Tell a worker where all of them write down what they have spent."""
        self._by_worker[node] = None
        settings = self.settings
        if (settings.max_cost, settings.max_tokens, settings.max_time) != (None, None, None):
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="toolsandbox-")
            node.workerinput[SPENT] = self._folder.name

    def hear(self, node: Any) -> None:
        """Note what a worker has spent that has come to its end; nobody knows it of a lost one."""
        self._by_worker[node] = getattr(node, "workeroutput", {}).get(SPENT)

    def remarks(
        self, records: Sequence[Summary], spent_here: tuple[float, float], *, is_resumed: bool
    ) -> Iterator[str]:
        """Yield what the tables do not tell, and the budget could not see.

        A replay spends nothing. What records tell was not all spent now where some were resumed, or
        replayed.
        """
        known = [spent_here, *filter(None, self._by_worker.values())]
        spent = _Spent(sum(row[0] for row in known), round(sum(row[1] for row in known)))
        yield from self._exceeded(spent)
        is_all_known = not is_resumed and None not in self._by_worker.values()
        if is_all_known and self.settings.record == "none":
            yield from _untold(spent, _told(records))
        askers = [figures for one in records for figures in one.get("usage", {}).values()]
        silent = sum("usage" not in one for one in records if "duration" in one)
        unpriced = sum(figures["cost"] is None for figures in askers) + silent
        is_spent = self.settings.max_cost is not None and self.settings.record != "replay"
        if is_spent and unpriced:
            told = counted(unpriced, "conversation")
            yield f"budget: --sandbox-max-cost does not see {told}, whose cost is unknown"

    def _exceeded(self, spent: _Spent) -> Iterator[str]:
        cost, tokens = self.settings.max_cost, self.settings.max_tokens
        limits = []
        if cost is not None and spent.cost > cost:
            limits.append(f"--sandbox-max-cost={cost:g}")
        if tokens is not None and spent.tokens > tokens:
            limits.append(f"--sandbox-max-tokens={tokens}")
        if limits:
            yield (
                f"budget: {spent} were used, more than {' and '.join(limits)}: "
                "conversations that had begun went on"
            )

    def close(self) -> None:
        """Remove what workers have written."""
        if self._folder is not None:
            self._folder.cleanup()


def _told(records: Sequence[Summary]) -> _Spent | None:
    """Return what the records tell, unless one of them does not know its tokens."""
    from pytest_toolsandbox.reporting.usage_text import total

    used = [figures for one in records for figures in one.get("usage", {}).values()]
    tokens = total(one[name] for one in used for name in ("input_tokens", "output_tokens"))
    if tokens is None:
        return None
    return _Spent(sum(one["cost"] or 0.0 for one in used), round(tokens))


def _untold(spent: _Spent, told: _Spent | None) -> Iterator[str]:
    """Yield a line where conversations used something that are in no table."""
    if told and spent.tokens > told.tokens:
        lacking = _Spent(max(0.0, spent.cost - told.cost), spent.tokens - told.tokens)
        yield (
            f"usage: {spent} in all; {lacking} of it by conversations that are in no table, "
            "since they were played again, or left at the end"
        )
