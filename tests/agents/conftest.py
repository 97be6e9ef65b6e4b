"""Fixtures for tests of agents."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.agents import toolbox


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let calls that are made at once be found to be so however late their threads are."""
    monkeypatch.setattr(toolbox, "APART", 0.05)
