"""The worlds that scenarios may name: those of the package, and those of its users."""

from __future__ import annotations

import importlib
from typing import Final

from .errors import WorldError
from .world import World
from .world_checks import world_problem

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

_BUILT_IN = {
    "office": "pytest_toolsandbox.builtin.office",
    "phone": "pytest_toolsandbox.builtin.phone",
    **{f"queries.{name}": f"pytest_toolsandbox.builtin.queries.{name}" for name in ENVIRONMENTS},
}
_registered: dict[str, World] = {}


def register_world(world: World) -> World:
    """Make a world known by its name, for ``world:`` in scenarios. The last one of a name wins.

    Raises :class:`WorldError` for a world that could not be played as it is.
    """
    if problem := world_problem(world):
        raise WorldError(problem)
    _registered[world.name] = world
    return world


def known_worlds() -> list[str]:
    """Return the names of all worlds, in alphabetical order."""
    return sorted({*_BUILT_IN, *_registered})


def find_world(name: str) -> World:
    """Return the world of that name. Raises ``KeyError``."""
    if name not in _registered:
        _registered[name] = importlib.import_module(_BUILT_IN[name]).world
    return _registered[name]
