"""What the conversations of a run want of their requests to models."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_toolsandbox.models.aliases import ALIASES
from pytest_toolsandbox.models.budget import Budget, Spent
from pytest_toolsandbox.models.limits import Limits
from pytest_toolsandbox.models.prices import Prices
from pytest_toolsandbox.models.requests import RequestContext
from pytest_toolsandbox.plugin.reporting.not_run import BUDGET
from pytest_toolsandbox.plugin.reporting.spending import SPENT
from pytest_toolsandbox.plugin.settings import Settings, settings_of
from pytest_toolsandbox.plugin.skipping import skip


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
