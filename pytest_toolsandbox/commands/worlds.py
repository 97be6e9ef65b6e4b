"""``toolsandbox worlds pull``: write what scenarios need of servers to files beside them.

``named_world`` returns the world that an argument of a command names.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_toolsandbox.text.formatting import type_name
from pytest_toolsandbox.text.import_strings import ExpectedCallable, import_object
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.worlds.live.kept_file import pulled_files
from pytest_toolsandbox.worlds.world import World, find_world, known_worlds

from .parsing import CommandError
from .scenarios import Project, find_scenarios

_WORLD: Final = ExpectedCallable((), "", "", "names no world; write module:attribute", CommandError)


def pull_worlds(paths: Sequence[Path], project: Project) -> int:
    """Ask the servers of the worlds of all scenarios below ``paths``; return 1 if any fails.

    It runs within :func:`~pytest_toolsandbox.worlds.live.kept_file.pulling`.
    """
    collected, pulled = find_scenarios(paths, project.scenario_files), pulled_files()
    for file in pulled.values():
        print(f"wrote {_shown(file.path)}: {file.contents}")
        for remark in file.remarks:
            print(f"  {remark}")
    if not pulled and collected.scenarios:
        print("no scenario has a world behind a server")
    return int(collected.unread > 0 or not pulled)


def _shown(path: Path) -> str:
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


def named_world(name: str, option: str = "") -> World:
    """Return the world of a name, or of ``module:attribute``.

    Raises ``CommandError``, whose text begins with the ``option``.
    """
    try:
        world: object = import_object(name, _WORLD) if ":" in name else find_world(name)
    except KeyError:
        raise CommandError(f"{option}{unknown('world', name, known_worlds())}") from None
    if not isinstance(world, World):
        raise CommandError(f"{option}{name} is {type_name(world)}, not a World")
    return world
