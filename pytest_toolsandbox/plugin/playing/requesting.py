"""What the conversations of a run want of their requests to models.

The budget of a run, where the reports end up: shared with workers, and told at the end.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_toolsandbox.models.aliases import ALIASES
from pytest_toolsandbox.models.requests import Limits, RequestContext
from pytest_toolsandbox.models.usage import Budget, Prices, Spent
from pytest_toolsandbox.plugin.marks import skip
from pytest_toolsandbox.plugin.output.not_run import BUDGET
from pytest_toolsandbox.plugin.settings import Settings, settings_of
from pytest_toolsandbox.text.formatting import pluralize

if TYPE_CHECKING:
    from pytest_toolsandbox.records.record import Summary


SPENT: Final = "toolsandbox_spent"
"""What tells a worker the folder in which all workers write down what they have spent; and where
each says it when it ends."""

_TOKENS: Final = ("input_tokens", "output_tokens")


def recorded_usage(records: Sequence[Summary], record: str) -> Iterator[str]:
    """Yield a line that says whose tokens and costs these are, where nobody was asked."""
    if record == "replay" and any(one.get("usage") for one in records):
        yield "usage: what the recording used; a replay asks nobody, and spends no budget"


def _words(cost: float, tokens: float) -> list[str]:
    told = [f"{tokens:,.0f} tokens"] if tokens else []
    return [*told, f"${cost:.4f}"] if cost else told


class SessionBudget:
    """Tells workers where to write down what they spend, and what it could not see."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._folder: Any = None
        self._by_worker: dict[Any, tuple[float, float, float] | None] = {}

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

    def overspent(self, spent_here: Spent, told: Sequence[str]) -> list[str]:
        """Return a line where more was spent than a limit allows, which no session passes with.

        That the time is over is said once, in what is ``told`` or here.
        """
        cost, tokens, seconds = self._spent(spent_here)
        used, limits, settings = _words(cost, tokens), [], self.settings
        if settings.max_cost is not None and cost > settings.max_cost:
            limits.append(f"--sandbox-max-cost={settings.max_cost:g}")
        if settings.max_tokens is not None and tokens > settings.max_tokens:
            limits.append(f"--sandbox-max-tokens={settings.max_tokens}")
        if settings.max_time is not None and seconds > settings.max_time:
            limit = f"--sandbox-max-time={settings.max_time:g}"
            limits += [] if any(limit in line for line in told) else [limit]
            used.append(f"{seconds:,.1f} s")
        over = f"{', '.join(used)} were used, more than {' and '.join(limits)}"
        return [f"budget: {over}: conversations that had begun went on"] if limits else []

    def _spent(self, spent_here: Spent) -> tuple[float, float, float]:
        """Return the cost and the tokens of all processes, and the seconds of the longest."""
        known = (spent_here, *filter(None, self._by_worker.values()))
        costs, tokens, seconds = zip(*known, strict=True)
        return sum(costs), sum(tokens), max(seconds)

    def remarks(
        self, records: Sequence[Summary], spent_here: Spent, *, is_resumed: bool
    ) -> Iterator[str]:
        """Yield what the tables do not tell, and the budget could not see.

        A replay spends nothing. What records tell was not all spent now where some were resumed, or
        replayed.
        """
        from pytest_toolsandbox.output.quarantine import counted_in_gates

        is_all_known = not is_resumed and None not in self._by_worker.values()
        if is_all_known and self.settings.record == "none":
            yield from _untold(self._spent(spent_here), _told(counted_in_gates(records)))
        if self.settings.record != "replay":
            yield from self._unseen(records)

    def _unseen(self, records: Sequence[Summary]) -> Iterator[str]:
        """Yield a line for each limit that does not see some conversations, since they do not tell.

        Of those that are judged again nothing but the judge was asked now.
        """
        limits = {
            "cost is": ("--sandbox-max-cost", self.settings.max_cost, ("cost",)),
            "tokens are": ("--sandbox-max-tokens", self.settings.max_tokens, _TOKENS),
        }
        for figure, (option, limit, names) in limits.items():
            unknown = sum(self._is_unknown(one, names) for one in records)
            if limit is not None and unknown:
                told = pluralize(unknown, "conversation")
                yield f"budget: {option} does not see {told}, whose {figure} unknown"

    def _is_unknown(self, record: Summary, names: Sequence[str]) -> bool:
        used: Any = record.get("usage", {})
        is_played = self.settings.rejudge is None
        is_silent = is_played and "agent" not in used and "duration" in record
        asked = [figures for who, figures in used.items() if is_played or who == "judge"]
        return is_silent or any(one[name] is None for one in asked for name in names)

    def close(self) -> None:
        """Remove what workers have written."""
        if self._folder is not None:
            self._folder.cleanup()


def _told(records: Sequence[Summary]) -> tuple[float, float] | None:
    """Return the cost and the tokens that the records tell, unless one does not know its tokens."""
    from pytest_toolsandbox.output.usage_table import sum_of_known

    used: Any = [figures for one in records for figures in one.get("usage", {}).values()]
    tokens = sum_of_known(one[name] for one in used for name in _TOKENS)
    return None if tokens is None else (sum(one["cost"] or 0.0 for one in used), tokens)


def _untold(spent: Sequence[float], told: tuple[float, float] | None) -> Iterator[str]:
    """Yield a line where conversations used something that are in no table."""
    cost, tokens, *_ = spent
    if told and tokens > told[1]:
        lacking = _words(max(0.0, cost - told[0]), tokens - told[1])
        yield (
            f"usage: {', '.join(_words(cost, tokens))} in all; {', '.join(lacking)} of it by "
            "conversations that are in no table, since they are in quarantine, were played again, "
            "or were left at the end"
        )


class _Shared(NamedTuple):
    limits: Limits
    prices: Prices
    budget: Budget


_SHARED = pytest.StashKey[_Shared]()
_starting = threading.Lock()


def new_context(config: pytest.Config) -> RequestContext:
    """Return the context of one conversation; limits and prices are those of the others, too.

    Each worker of pytest-xdist has its part of the limits. Where the budget of the run is spent,
    the conversation is not held: its item is skipped.
    """
    settings = settings_of(config)
    with _starting:  # conversations that are played ahead begin on several threads
        if _SHARED not in config.stash:
            config.stash[_SHARED] = _shared(config, settings)
    shared = config.stash[_SHARED]
    if why := shared.budget.exceeded():
        skip(BUDGET, f"budget: {why}")
    return RequestContext(retries=settings.retries, **shared._asdict())


def _shared(config: pytest.Config, settings: Settings) -> _Shared:
    worker: Mapping[str, Any] = getattr(config, "workerinput", {})
    folder = Path(worker[SPENT]) if SPENT in worker else None
    limits = (settings.max_cost, settings.max_tokens, settings.max_time)
    shared_limits = Limits(worker.get("workercount", 1))
    return _Shared(shared_limits, _prices(settings), Budget(*limits, folder))


def spent(config: pytest.Config) -> Spent:
    """Return what this process has spent on conversations."""
    return config.stash[_SHARED].budget.spent if _SHARED in config.stash else Spent()


def _prices(settings: Settings) -> Prices:
    """Return the prices of models, those of aliases also by what they stand for."""
    names = {**ALIASES, **settings.aliases}
    return Prices({**settings.prices, **{names.get(n, n): p for n, p in settings.prices.items()}})
