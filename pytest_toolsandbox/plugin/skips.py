"""Scenarios that are skipped since nobody plays them, as data that reports carry."""

from __future__ import annotations

from typing import Literal, Never

import pytest

Skip = Literal["without agent", "without record"]

SKIP = pytest.StashKey[Skip]()
"""Why an item was not played, where we skipped it."""


def skip(node: pytest.Item, reason: Skip, text: str) -> Never:
    """Skip an item; its report carries the reason, so that it can be counted."""
    __tracebackhide__ = True
    node.stash[SKIP] = reason
    pytest.skip(text)
