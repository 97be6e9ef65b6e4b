"""What pytest is told in a project: for commands that do as it would."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from .settings import Settings, settings_of
from .stash import PLUGIN


class _Asked:
    """Reads what pytest is told, in place of the run."""

    def __init__(self) -> None:
        self.found: tuple[Settings, Path] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        self.found = settings_of(config), config.rootpath
        return 0


def told(arguments: Iterable[str]) -> tuple[Settings, Path] | int:
    """Return the settings and the rootdir of ``pytest ARGUMENTS``.

    What cannot be meant is told as pytest tells it, and its exit status is returned.
    """
    asked = _Asked()
    is_alone = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    plugin = ("-p", PLUGIN) if is_alone else ()
    status = pytest.main([*plugin, *arguments], plugins=[asked])
    return int(status) if asked.found is None else asked.found
