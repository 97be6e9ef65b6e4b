"""Fixtures for tests of agents."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.agents import toolbox


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Poll longer, so that parallel calls are recognized however late their threads are."""
    monkeypatch.setattr(toolbox, "_POLL_SECONDS", 0.05)
