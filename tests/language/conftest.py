from __future__ import annotations

import pytest
from room import ROOM

import pytest_toolsandbox.builtin  # noqa: F401  # offers the bundled worlds
from pytest_toolsandbox.matchers import registry
from pytest_toolsandbox.worlds import world as worlds

BUILT_IN_MATCHERS = dict(registry._registered)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worlds ``phone`` and ``room`` and the built-in matchers, and no others."""
    monkeypatch.setattr(registry, "_registered", dict(BUILT_IN_MATCHERS))
    monkeypatch.setattr(worlds, "_offered", {"phone": worlds._offered["phone"]})
    monkeypatch.setattr(worlds, "_registered", {"room": ROOM})
