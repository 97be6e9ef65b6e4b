"""What the requests of a run's conversations to models share: limits, prices and the budget."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from pytest_toolsandbox.models.aliases import ALIASES
from pytest_toolsandbox.models.requests import Limits, RequestContext
from pytest_toolsandbox.models.usage import Budget, Prices, Spent
from pytest_toolsandbox.plugin.marks import skip
from pytest_toolsandbox.plugin.settings import Settings, settings_of
from pytest_toolsandbox.plugin.stash import BUDGET

SPENT: Final = "toolsandbox_spent"
"""What tells a worker the folder in which all workers write down what they have spent; and where
each says it when it ends."""


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
