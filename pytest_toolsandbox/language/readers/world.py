"""Reads the world of a scenario: a registered one, or one that the scenario makes of a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest_toolsandbox.builtin  # noqa: F401  # offers the bundled worlds
from pytest_toolsandbox import matchers
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Mistakes, Path as Place
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.kept_file import kept_version
from pytest_toolsandbox.worlds.world import World, find_world, known_worlds

_made: dict[tuple[Path, str], tuple[object, World]] = {}
"""Folder and settings → the version of the kept file, and the world: scenarios share servers."""

_OF_NOTHING: Final = "is made of nothing; name it, or a server under mcp or openapi"


def read_world(model: models.Document, folder: Path, mistakes: Mistakes) -> World | None:
    """Return the world of a scenario whose file is in ``folder``, or note why there is none."""
    if ("world",) in mistakes.misshapen:
        return None
    if isinstance(model.world, str):
        world = _registered(model.world, ("world",), mistakes)
    elif mistakes.above_misshapen & {("world",)}:
        return None
    elif _is_registered(model.world):
        world = _registered(model.world.name or "", ("world", "name"), mistakes)
        world = world and _with_arguments(world, model.world.with_, mistakes)
    else:
        world = _of_server(model.world, folder, mistakes)
    return world if world is None or _measures_are_known(world, mistakes) else None


def _is_registered(document: models.WorldDocument) -> bool:
    return document.name is not None and all(getattr(document, kind) is None for kind in _KINDS)


def _with_arguments(world: World, arguments: Mapping[str, Any], mistakes: Mistakes) -> World | None:
    """Return a world with the arguments of a scenario; a server has them when it is reset."""
    if not arguments:
        return world
    try:
        return world.with_arguments(arguments)
    except ValueError as error:
        mistakes.add(("world", "with"), str(error))
        return None


def _registered(name: str, path: Place, mistakes: Mistakes) -> World | None:
    try:
        return find_world(name)
    except KeyError:
        text = unknown("world", name, known_worlds())
        remedy = "import the module that registers it, for instance in conftest.py"
        mistakes.add(path, text if "did you mean" in text else f"{text}; {remedy}")
        return None


def _of_server(document: models.WorldDocument, folder: Path, mistakes: Mistakes) -> World | None:
    settings = document.model_dump(exclude_unset=True, exclude={"with_"})
    kinds = [kind for kind in _KINDS if settings.get(kind) is not None]
    if len(kinds) != 1:
        text = "has both mcp and openapi; write one" if kinds else _OF_NOTHING
        mistakes.add(("world",), f"the world {text}")
        return None
    (kind,) = kinds
    name = document.name or kind
    key = folder.absolute(), json.dumps(settings, sort_keys=True)
    files = [settings[kind][part] for part in ("document",) if part in settings[kind]]
    version = kept_version(folder, name, *files)
    if version is None or _made.get(key, (None,))[0] != version:
        try:
            world = _KINDS[kind](name=name, here=folder.absolute(), **settings[kind])
        except WorldError as error:
            mistakes.add(("world", kind), str(error))
            return None
        _made[key] = kept_version(folder, name, *files), world
    return _with_arguments(_made[key][1], document.with_, mistakes)


def _mcp_world(**settings: Any) -> World:
    from pytest_toolsandbox.worlds.live.mcp.world import mcp_world

    return mcp_world(**settings)


def _openapi_world(**settings: Any) -> World:
    from pytest_toolsandbox.worlds.live.openapi.world import openapi_world

    return openapi_world(**settings)


_KINDS: Final[Mapping[str, Callable[..., World]]] = {
    "mcp": _mcp_world,
    "openapi": _openapi_world,
}
"""Key → what makes a world of the settings below it."""


def _measures_are_known(world: World, mistakes: Mistakes) -> bool:
    known = matchers.names()  # checked here: a conftest may register a matcher after its world
    for table, schema in world.tables.items():
        for name, column in schema.columns.items():
            if column.measure not in known:
                where = f"as the measure of column {name!r} of table {table!r}"
                mistakes.add(("world",), unknown("matcher", column.measure, known, where))
                return False
    return True
