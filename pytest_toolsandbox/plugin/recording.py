"""Where the cassette of an item lies, and whether it is recorded or replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_toolsandbox.runs.cassettes.places import cassette_path, cassettes_folder
from pytest_toolsandbox.runs.cassettes.recording import Recording

from .settings import settings_of

if TYPE_CHECKING:
    from .items import ScenarioItem


def recording_of(item: ScenarioItem, agent: str, user: str) -> Recording | None:
    """Return how an item is recorded or replayed that these play, if it is."""
    settings, root = settings_of(item.config), item.config.rootpath
    if settings.record == "none":
        return None
    folder = cassettes_folder(item.path, root, settings.cassettes)
    path = cassette_path(folder, agent, item.path, item.name_alone)
    shown = path.relative_to(root).as_posix() if root in path.parents else str(path)
    about = {"id": item.name_alone, "agent": agent, "user": user}
    return Recording(settings.record, path, shown, about)


def refuse_elsewhere(node: Any) -> None:
    """Raise ``pytest.UsageError`` where a worker would leave its cassettes in another place."""
    record, where = settings_of(node.config).record, node.gateway.spec
    if record in ("new", "all") and (where.chdir or not where.popen):
        place = str(where).replace("execmodel=main_thread_only//", "")
        text = f"the worker {place} would write its cassettes where it runs; record without it"
        raise pytest.UsageError(f"--sandbox-record={record}: {text}")
