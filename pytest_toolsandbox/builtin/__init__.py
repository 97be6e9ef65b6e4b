"""The bundled worlds: an office (ToolTalk), phones (ToolSandbox), a store, ten to query (SpecTool).

The machinery of worlds, which users' own worlds share, is in ``worlds``.
"""

from importlib import import_module
from typing import Final

from pytest_toolsandbox.worlds.world import World, offer_worlds

ENVIRONMENTS: Final = (
    "patent",
    "movies",
    "travel",
    "sports",
    "tools",
    "data",
    "social",
    "media",
    "spaceflight",
    "video_images",
)
"""SpecTool's environments, in the order of the paper (table 2)."""

WORLDS: Final = (
    *("office", "phone", "timed_phone", "store"),
    *(f"queries.{name}" for name in ENVIRONMENTS),
)
"""The names of the worlds, as scenarios write them, and of their modules."""


def _load(name: str) -> World:
    """Import a world alone: a scenario names one of many."""
    world: World = import_module(f"{__name__}.{name}").world
    return world


offer_worlds(WORLDS, _load)
