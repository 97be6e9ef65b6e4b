"""What the conversations of a run want of their requests to models."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.models.limits import Limits
from pytest_toolsandbox.models.requests import RequestContext

from .settings import settings_of

_LIMITS = pytest.StashKey[Limits]()


def new_context(config: pytest.Config) -> RequestContext:
    """Return the context of one conversation; it shares the limits of models with the others.

    Each worker of pytest-xdist has its part of them.
    """
    share = getattr(config, "workerinput", {}).get("workercount", 1)
    limits = config.stash.setdefault(_LIMITS, Limits(share))
    return RequestContext(retries=settings_of(config).retries, limits=limits)
