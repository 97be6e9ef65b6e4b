"""The hooks and fixtures of pytest, and nothing else.

This module is imported in every run of pytest in whose environment the plugin is installed: what
it needs for scenarios alone is imported when there is one.

Nothing here is asserted: PYTEST_DONT_REWRITE spares every start the rewriting.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .marks import add_marks
from .options import OPTIONS, add_options, given_value, is_any_given

if TYPE_CHECKING:
    from pytest_toolsandbox.agents.agent import Agent
    from pytest_toolsandbox.matchers.embedding import Embedder
    from pytest_toolsandbox.plugin.collection.files import ScenarioFile
    from pytest_toolsandbox.users.user import User, UserFactory


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, None, None]:
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        from pytest_toolsandbox.plugin.collection.files import raise_in_one_line

        raise_in_one_line(error)
        raise
    keys = _ini_keys(early_config)
    if any(word.startswith(("--sandbox-", "--ag", "sandbox_")) for word in (*args, *keys)):
        from pytest_toolsandbox.plain_imports import import_plainly

        import_plainly()
        from pytest_toolsandbox.plugin.misspelt import refuse_misspelt

        refuse_misspelt(parser, args, keys, early_config.inipath)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    try:
        report = yield
    except SystemExit as error:
        from pytest_toolsandbox.plugin.collection.files import is_used, left_report

        if not is_used(collector.config):
            raise
        return left_report(collector, error)
    if report.failed:
        from pytest_toolsandbox.plugin.collection.files import clean_collect_report

        clean_collect_report(report, collector.config)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    """End in one line where Ctrl-C comes again, while the first one is dealt with."""
    try:
        return (yield)
    except KeyboardInterrupt:
        from .stash import REPORTS

        if not config.pluginmanager.has_plugin(REPORTS):
            raise
        sys.stderr.write("\nERROR: Ctrl-C again, before the run came to its end\n")
        return pytest.ExitCode.INTERRUPTED


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    add_marks(config)
    if hasattr(config, "workerinput"):
        from pytest_toolsandbox.plugin.playing.workers import take_channel

        take_channel(config)
    is_given = is_any_given(config, _ini_keys(config))
    if is_given and any(given_value(option, config) for option in OPTIONS):
        from .starting import start_with_options

        start_with_options(config)
    if any("scenarios" in argument for argument in config.args):
        from pytest_toolsandbox.plugin.starting import find_suites

        find_suites(config)


def _ini_keys(config: pytest.Config) -> dict[str, object]:
    """Return what the ini file says, by its keys."""
    state = vars(config)  # the attribute is deprecated, and private by now
    keys: dict[str, object] = state.get("_inicfg", state.get("inicfg", {}))
    return keys


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:  # of pytest-xdist, where reports end up
    from pytest_toolsandbox.plugin.output.session import start_reports

    node.workerinput["toolsandbox_dist"] = node.config.option.dist
    start_reports(node.config, node)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    if file_path.suffix in (".yaml", ".yml") or parent.config.getini("scenario_files"):
        from pytest_toolsandbox.plugin.starting import collect_file

        return collect_file(file_path, parent)
    return None


@pytest.fixture(scope="session")
def embedder(request: pytest.FixtureRequest) -> Embedder | None:
    """Return what compares meanings, as the ini option ``sandbox_embedder`` says, if it does."""
    from pytest_toolsandbox.plugin.playing.fixtures import default_embedder

    return default_embedder(request.config)


@pytest.fixture
def sandbox_augmentation(request: pytest.FixtureRequest) -> str | None:
    """Return how the tools of the scenario are augmented, as ``--sandbox-augment`` says."""
    return getattr(request, "param", None)


@pytest.fixture
def sandbox_feedback(request: pytest.FixtureRequest) -> bool | None:
    """Return whether invalid calls are answered with what is allowed, where both are compared."""
    return getattr(request, "param", None)


@pytest.fixture
def sandbox_prompt(request: pytest.FixtureRequest) -> str | None:
    """Return the name of the system prompt, where ``--sandbox-prompt`` gives several."""
    return getattr(request, "param", None)


@pytest.fixture(scope="session")
def sandbox_agent(request: pytest.FixtureRequest) -> str | None:
    """Return what ``--agent`` says; where it names several, which of them plays."""
    from pytest_toolsandbox.plugin.playing.fixtures import named_agent

    return named_agent(request)


@pytest.fixture(scope="session")
def user(request: pytest.FixtureRequest) -> User | UserFactory | None:
    """Return who talks to the agent, as ``--sandbox-user`` says; ``None`` is the script."""
    from pytest_toolsandbox.plugin.playing.fixtures import default_user

    return default_user(request)


@pytest.fixture(scope="session")
def agent(request: pytest.FixtureRequest, sandbox_agent: str | None) -> Agent:
    """Return the agent under test, as ``--agent`` says. Override it in a ``conftest.py``."""
    from pytest_toolsandbox.plugin.playing.fixtures import default_agent

    return default_agent(request.config, sandbox_agent)
