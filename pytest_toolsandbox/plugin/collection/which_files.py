"""Recognize scenario files and their ids, and runs that only show what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

_PLAYS_NOTHING = (
    *("collectonly", "setuponly", "showfixtures", "show_fixtures_per_test"),
    "sandbox_dry_run",
)


def plays_nothing(config: pytest.Config) -> bool:
    """Whether the user only wants to see what there is."""
    return any(config.getoption(name, None) for name in _PLAYS_NOTHING)


def is_scenario(nodeid: str, config: pytest.Config) -> bool:
    """Whether an id belongs to a scenario file, even if this process has collected none."""
    from pytest_toolsandbox.suites import placed

    root = config.rootpath
    return is_scenario_path(root / placed(nodeid.partition("::")[0], root, root), config)


def is_scenario_path(path: Path, config: pytest.Config) -> bool:
    """Whether a file is a scenario file: its name fits the ini option, or its suite is bundled."""
    from pytest_toolsandbox.language.files import is_scenario_file

    return is_scenario_file(path, config.getini("scenario_files")) or is_bundled(path)


def is_bundled(path: Path) -> bool:
    """Whether a file is a scenario file of a bundled suite, whatever names the project uses."""
    from pytest_toolsandbox.language.files import is_scenario_file

    if not is_scenario_file(path):
        return False
    from pytest_toolsandbox.suites import bundled_id

    return bundled_id(path) is not None
