"""What the conversations of a run want of their requests to models."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from pytest_toolsandbox.models.aliases import ALIASES
from pytest_toolsandbox.models.limits import Limits
from pytest_toolsandbox.models.prices import Prices
from pytest_toolsandbox.models.requests import RequestContext

from .settings import Settings, settings_of


class _Shared(NamedTuple):
    limits: Limits
    prices: Prices


_SHARED = pytest.StashKey[_Shared]()


def new_context(config: pytest.Config) -> RequestContext:
    """Return the context of one conversation; limits and prices are those of the others, too.

    Each worker of pytest-xdist has its part of the limits.
    """
    settings = settings_of(config)
    if _SHARED not in config.stash:
        workers = getattr(config, "workerinput", {}).get("workercount", 1)
        config.stash[_SHARED] = _Shared(Limits(workers), _prices(settings))
    shared = config.stash[_SHARED]
    return RequestContext(retries=settings.retries, limits=shared.limits, prices=shared.prices)


def _prices(settings: Settings) -> Prices:
    """Return the prices of models, those of aliases also by what they stand for."""
    names = {**ALIASES, **settings.aliases}
    return Prices({**settings.prices, **{names.get(n, n): p for n, p in settings.prices.items()}})
