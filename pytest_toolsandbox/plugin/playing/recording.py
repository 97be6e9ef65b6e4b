"""Where the cassette of an item lies, and whether it is recorded or replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_toolsandbox.plugin.settings import settings_of

from .sent_cassettes import sent_of

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.cassettes.recording import Recording

    from .items import ScenarioItem


def recording_of(item: ScenarioItem, agent: str, user: str) -> Recording | None:
    """Return how an item is recorded or replayed that these play, if it is."""
    settings, root = settings_of(item.config), item.config.rootpath
    if settings.record == "none":
        return None
    from pytest_toolsandbox.runs.cassettes.places import cassette_path, cassettes_folder
    from pytest_toolsandbox.runs.cassettes.recording import Recording

    folder = cassettes_folder(item.path, root, settings.cassettes)
    path = cassette_path(folder, agent, item.path, item.name_alone)
    shown = path.relative_to(root).as_posix() if root in path.parents else str(path)
    about = {"id": item.name_alone, "agent": agent, "user": user}
    return Recording(settings.record, path, shown, about, sent_of(item, path))
