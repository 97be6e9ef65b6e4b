"""The common part of the worlds for queries: no tables, and one time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import World

NOW: Final = datetime(2025, 5, 14, 10, 30, tzinfo=UTC)


def look_up_world(name: str, summary: str, toolset: Sequence[Tool]) -> World:
    """Return a world whose tools look things up and change nothing."""
    return World(
        name=name,
        now=NOW,
        tables={},
        toolset=toolset,
        initial=lambda _: {},
        summary=summary,
        raises=(ValueError,),
    )
