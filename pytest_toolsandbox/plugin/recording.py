"""Where the cassette of an item lies, and whether it is recorded or replayed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_toolsandbox.runs.cassettes.places import FOLDER, cassette_path
from pytest_toolsandbox.runs.cassettes.recording import Recording
from pytest_toolsandbox.suites import shipped_id

from .settings import settings_of

if TYPE_CHECKING:
    from .items import ScenarioItem


def recording_of(item: ScenarioItem, agent: str, user: str) -> Recording | None:
    """Return how an item is recorded or replayed that these play, if it is.

    The cassettes of suites that are installed elsewhere lie in the project.
    """
    settings, root = settings_of(item.config), item.config.rootpath
    if settings.record == "none":
        return None
    folder, below = settings.cassettes, Path(item.nodeid.partition("::")[0]).parent
    if folder is None and shipped_id(item.path) and root not in item.path.parents:
        folder = root / FOLDER
    folder = item.path.parent / FOLDER if folder is None else folder / below
    path = cassette_path(folder, agent, item.path, item.name)
    shown = path.relative_to(root).as_posix() if root in path.parents else str(path)
    about = {"id": item.name, "agent": agent, "user": user}
    return Recording(settings.record, path, shown, about)
