"""The hooks and fixtures of pytest, and nothing else.

This module is imported in every run of pytest in whose environment the plugin is installed: what
it needs for scenarios alone is imported when there is one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .options import SETTINGS, add_marks, add_options, read_settings

if TYPE_CHECKING:
    from .agents.agent import Agent
    from .items import ScenarioFile
    from .matchers.embedding import Embedder


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    add_marks(config)
    config.stash[SETTINGS] = settings = read_settings(config)
    if settings.rejudge:
        from .rejudging import read_stored

        read_stored(config)
    if settings.results or settings.minimum_scores:
        from .session import start_reports

        start_reports(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:  # of pytest-xdist, where reports end up
    from .session import start_reports

    start_reports(node.config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    patterns = parent.config.stash[SETTINGS].scenario_files
    if file_path.suffix not in (".yaml", ".yml") and not patterns:
        return None
    from .collecting import holds_scenarios

    if not holds_scenarios(file_path, parent.config):
        return None
    from .items import ScenarioFile

    return ScenarioFile.from_parent(parent, path=file_path)


@pytest.fixture(scope="session")
def embedder(request: pytest.FixtureRequest) -> Embedder | None:
    """Return what compares meanings, as the ini option ``sandbox_embedder`` says, if it does."""
    from .fixtures import default_embedder

    return default_embedder(request.config)


@pytest.fixture
def agent(request: pytest.FixtureRequest) -> Agent:
    """Return the agent under test, as ``--agent`` says. Override it in a ``conftest.py``."""
    from .fixtures import default_agent

    return default_agent(request)
