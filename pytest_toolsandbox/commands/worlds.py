"""``toolsandbox worlds pull``: write what scenarios need of servers to files beside them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.worlds.live.kept_file import pulled_files

from .scenarios import Project, find_scenarios


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
