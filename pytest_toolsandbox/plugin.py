"""The hooks and fixtures of pytest, and nothing else.

This module is imported in every run of pytest in whose environment the plugin is installed: what
it needs for scenarios alone is imported when there is one.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .options import SETTINGS, add_options, read_settings

if TYPE_CHECKING:
    from .agents.agent import Agent
    from .items import ScenarioFile


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    from .collecting import register_categories
    from .session import SessionReports

    config.stash[SETTINGS] = settings = read_settings(config)
    register_categories(config)
    if not hasattr(config, "workerinput"):  # reports end up in the controller of pytest-xdist
        config.pluginmanager.register(SessionReports(config, settings), "toolsandbox-reports")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    if file_path.suffix not in (".yaml", ".yml") and not parent.config.getini("scenario_files"):
        return None
    from .collecting import scenario_file

    return scenario_file(file_path, parent)


def pytest_collection_finish(session: pytest.Session) -> None:
    from .collecting import go_on_after_mistakes

    go_on_after_mistakes(session)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    from .collecting import attach_records

    report = yield
    attach_records(item, report)
    return report


@pytest.fixture
def agent(request: pytest.FixtureRequest) -> Agent:
    """Return the agent under test, as ``--agent`` says. Override it in a ``conftest.py``."""
    from .items import default_agent

    return default_agent(request)
