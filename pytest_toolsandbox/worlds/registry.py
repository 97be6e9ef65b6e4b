"""The worlds that scenarios may name: those of the package, and those of its users."""

from __future__ import annotations

import importlib

from .world import World
from .world_checks import check_world

_BUILT_IN = "pytest_toolsandbox.builtin"
_registered: dict[str, World] = {}


def register_world(world: World) -> World:
    """Make a world known by its name, for ``world:`` in scenarios. The last one of a name wins.

    Raises :class:`WorldError` for a world that could not be played as it is.
    """
    check_world(world)
    _registered[world.name] = world
    return world


def known_worlds() -> list[str]:
    """Return the names of all worlds, in alphabetical order."""
    return sorted({*importlib.import_module(_BUILT_IN).WORLDS, *_registered})


def find_world(name: str) -> World:
    """Return the world of that name. Raises ``KeyError``."""
    if name not in known_worlds():
        raise KeyError(name)
    if name not in _registered:
        _registered[name] = importlib.import_module(f"{_BUILT_IN}.{name}").world
    return _registered[name]
