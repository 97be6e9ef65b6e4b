"""The budget of a run, and the limits and prices that all its requests to models share."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_toolsandbox.models.aliases import ALIASES
from pytest_toolsandbox.models.requests import Limits, RequestContext
from pytest_toolsandbox.models.usage import Budget, Prices, Spent
from pytest_toolsandbox.output.quarantine import counted_in_gates
from pytest_toolsandbox.output.usage_table import sum_of_known
from pytest_toolsandbox.plugin.marks import skip
from pytest_toolsandbox.plugin.settings import Settings, settings_of
from pytest_toolsandbox.plugin.stash import BUDGET, RESUMED
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.text.formatting import pluralize

from .observer import Observer, SessionResult

SPENT: Final = "toolsandbox_spent"
"""The key under which a worker reads the folder where all workers write what they have spent, and
sends what it has spent when it ends."""


_SHARED = pytest.StashKey[tuple[Limits, Prices, Budget]]()
_starting = threading.Lock()


def prices_of(settings: Settings) -> Prices:
    """Return the user's prices; that of an alias is also that of the model that it means."""
    names = {**ALIASES, **settings.aliases}
    models = {names.get(name, name): price for name, price in settings.prices.items()}
    return Prices({**settings.prices, **models})


def new_context(config: pytest.Config) -> RequestContext:
    """Return the context of one conversation; limits and prices are those of the others, too.

    Each worker of pytest-xdist has its part of the limits. Where the budget of the run is spent,
    the conversation is not held: its item is skipped.
    """
    settings = settings_of(config)
    with _starting:  # conversations that are played ahead begin on several threads
        if _SHARED not in config.stash:
            worker: Mapping[str, Any] = getattr(config, "workerinput", {})
            folder = Path(worker[SPENT]) if SPENT in worker else None
            config.stash[_SHARED] = (
                Limits(worker.get("workercount", 1)),
                prices_of(settings),
                Budget(settings.max_cost, settings.max_tokens, settings.max_time, folder),
            )
    limits, prices, budget = config.stash[_SHARED]
    if why := budget.exceeded():
        skip(BUDGET, f"budget: {why}")
    return RequestContext(
        retries=settings.retries,
        limits=limits,
        prices=prices,
        budget=budget,
        keeps_reasoning=settings.keep_reasoning,
    )


def spent(config: pytest.Config) -> Spent:
    """Return what this process has spent on conversations."""
    return config.stash[_SHARED][2].spent if _SHARED in config.stash else Spent()


_TOKENS: Final = ("input_tokens", "output_tokens")


class SessionBudget(Observer):
    """Sums the usage of all processes, and compares it with the limits and the records."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.settings = settings_of(config)
        self._folder: Any = None
        self._by_worker: dict[Any, tuple[float, float, float] | None] = {}

    def share(self, node: Any) -> None:
        """Send a worker the folder in which all of them write down what they have spent."""
        self._by_worker[node] = None
        settings = self.settings
        if (settings.max_cost, settings.max_tokens, settings.max_time) != (None, None, None):
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="toolsandbox-")
            node.workerinput[SPENT] = self._folder.name

    def note_spent(self, node: Any) -> None:
        """Note the usage of a worker that has ended; that of a lost worker is unknown."""
        self._by_worker[node] = getattr(node, "workeroutput", {}).get(SPENT)

    def overspent(self, not_run: Sequence[str]) -> list[str]:
        """Return a line if more was spent than a limit allows: then the session fails.

        A time limit that is named in the lines of what was ``not_run`` is not named again.
        """
        cost, tokens, seconds = self._spent()
        used, limits, settings = _amounts(cost, tokens), [], self.settings
        if settings.max_cost is not None and cost > settings.max_cost:
            limits.append(f"--sandbox-max-cost={settings.max_cost:g}")
        if settings.max_tokens is not None and tokens > settings.max_tokens:
            limits.append(f"--sandbox-max-tokens={settings.max_tokens}")
        if settings.max_time is not None and seconds > settings.max_time:
            limit = f"--sandbox-max-time={settings.max_time:g}"
            limits += [] if any(limit in line for line in not_run) else [limit]
            used.append(f"{seconds:,.1f} s")
        over = f"{', '.join(used)} were used, more than {' and '.join(limits)}"
        return [f"budget: {over}: conversations that had begun went on"] if limits else []

    def _spent(self) -> tuple[float, float, float]:
        """Return the cost and the tokens of all processes, and the seconds of the longest."""
        known = (spent(self._config), *filter(None, self._by_worker.values()))
        costs, tokens, seconds = zip(*known, strict=True)
        return sum(costs), sum(tokens), max(seconds)

    def remarks(self, result: SessionResult) -> Iterator[str]:
        """Yield what no table has, and what the budget could not see.

        Records do not have what was spent now if some are of an earlier run, or of a replay.
        """
        records = counted_in_gates(result.records)
        is_resumed = bool(self._config.stash.get(RESUMED, None))
        is_all_known = not is_resumed and None not in self._by_worker.values()
        if is_all_known and self.settings.record == "none":
            yield from _outside_tables(self._spent(), records)
        if self.settings.record != "replay":
            yield from self._unseen(result.records)
        elif any(record.get("usage") for record in records):
            yield "usage: what the recording used; a replay asks nobody, and spends no budget"

    def _unseen(self, records: Sequence[Summary]) -> Iterator[str]:
        """Yield a line for each limit on a figure that some conversations do not report."""
        limits = {
            "cost is": ("--sandbox-max-cost", self.settings.max_cost, ("cost",)),
            "tokens are": ("--sandbox-max-tokens", self.settings.max_tokens, _TOKENS),
        }
        for figure, (option, limit, names) in limits.items():
            unknown = sum(self._is_unknown(record, names) for record in records)
            if limit is not None and unknown:
                conversations = pluralize(unknown, "conversation")
                yield f"budget: {option} does not see {conversations}, whose {figure} unknown"

    def _is_unknown(self, record: Summary, names: Sequence[str]) -> bool:
        used: Any = record.get("usage", {})
        is_played = self.settings.rejudge is None  # else only the judge was asked now
        is_silent = is_played and "agent" not in used and "duration" in record
        asked = [figures for who, figures in used.items() if is_played or who == "judge"]
        return is_silent or any(figures[name] is None for figures in asked for name in names)

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _amounts(cost: float, tokens: float) -> list[str]:
    amounts = [f"{tokens:,.0f} tokens"] if tokens else []
    return [*amounts, f"${cost:.4f}"] if cost else amounts


def _outside_tables(spent: Sequence[float], records: Sequence[Summary]) -> Iterator[str]:
    """Yield a line if more tokens were used than the records have, if all of them are known."""
    used: Any = [figures for record in records for figures in record.get("usage", {}).values()]
    recorded = sum_of_known(figures[name] for figures in used for name in _TOKENS)
    cost, tokens, *_ = spent
    if recorded is not None and tokens > recorded:
        recorded_cost = sum(figures["cost"] or 0.0 for figures in used)
        lacking = _amounts(max(0.0, cost - recorded_cost), tokens - recorded)
        yield (
            f"usage: {', '.join(_amounts(cost, tokens))} in all; {', '.join(lacking)} of it by "
            "conversations that are in no table, since they are in quarantine, were played again, "
            "or were left at the end"
        )
