"""In a project that has nothing to do with it the plugin is not to be noticed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from desk import Suite
from warm import COLD

HEAVY = {
    *("geographiclib", "holidays", "httpx", "jmespath", "jsonschema", "litellm"),
    *("numpy", "phonenumbers", "pint", "pydantic", "rapidfuzz", "regex", "scipy", "yaml"),
}
OURS = {
    "pytest_toolsandbox",
    *(f"pytest_toolsandbox.{name}" for name in ("language", "language.categories", "plugin")),
    *(f"pytest_toolsandbox.plugin.{name}" for name in ("marks", "options")),
}
STARTING = {
    "pytest_toolsandbox.language.files",
    *(f"pytest_toolsandbox.plugin.{name}" for name in ("collection", "starting", "stash")),
    "pytest_toolsandbox.plugin.collection.which_files",
}
LISTING = """
import sys
def pytest_unconfigure():
    open("modules", "w").write(" ".join(sys.modules))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with tests, and with YAML files that are no scenarios."""
    (tmp_path / "test_python.py").write_text("def test(): pass\n")
    (tmp_path / "values.yaml").write_text("world: phone\n")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "of_another_kind.yml").write_text("a: 1\n")
    return tmp_path


PLUGINS = ("-p", "pytest_toolsandbox.plugin", "-p", "xdist.plugin")


def run(project: Path, *arguments: str, with_all: bool = False) -> str:
    """Run pytest, with or without the other plugins that are installed."""
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plugins, environment = ((), None) if with_all else (PLUGINS, alone)
    command = [COLD, "-m", "pytest", "-p", "no:cacheprovider", *plugins, *arguments]
    finished = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=True
    )
    assert finished.stderr == ""
    return finished.stdout


def ours(project: Path) -> set[str]:
    names = (project / "modules").read_text().split()
    return {name for name in names if name.partition(".")[0] == "pytest_toolsandbox"}


@pytest.mark.any_pytest
def test_little_is_imported(project: Path) -> None:
    (project / "conftest.py").write_text(LISTING)
    assert "toolsandbox-" in run(project, with_all=True)
    assert ours(project) == OURS | STARTING  # for the YAML files
    (project / "values.yaml").unlink()
    (project / "scenarios" / "of_another_kind.yml").unlink()
    run(project)
    assert ours(project) == OURS


WATCHED = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.fork"):
        raise AssertionError(event)

sys.addaudithook(refuse)
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider"]))
"""


@pytest.mark.any_pytest
def test_no_connection_is_opened_and_no_process_started(project: Path) -> None:
    subprocess.run([COLD, "-c", WATCHED], cwd=project, check=True)


@pytest.mark.any_pytest
def test_a_scenario_pays_for_what_it_uses(light: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", COLD)
    light.conftest(LISTING)
    light.run_apart("--agent=oracle").assert_outcomes(passed=1)
    names = {name.partition(".")[0] for name in (light.path / "modules").read_text().split()}
    assert names & HEAVY == {"pydantic", "yaml"}


OWN_AGENT = """
import pytest

@pytest.fixture(scope="session")
def agent():
    return lambda messages, tools: "It is on."
"""
PHONE = """\
world: phone
user: {opening: Is the wifi on?}
milestones: {told: {says: {mentions: ["on"]}}}
solutions: {at_once: [say: It is on.]}
"""
REWRITTEN = """
import sys

def is_rewritten(module):
    return type(getattr(module, "__loader__", None)).__name__ == "AssertionRewritingHook"

def pytest_unconfigure():
    names = [name for name, module in [*sys.modules.items()] if is_rewritten(module)]
    open("modules", "w").write(" ".join(names))
"""


@pytest.mark.any_pytest
@pytest.mark.parametrize(
    ("first", "options"),
    [
        ("", ["--agent=oracle"]),
        ("from pytest_toolsandbox import World\n", ["--agent=oracle"]),
        (OWN_AGENT, []),
    ],
)
def test_pytest_rewrites_nothing_that_scenarios_need(
    project: Path, first: str, options: list[str]
) -> None:
    (project / "conftest.py").write_text(first + REWRITTEN)
    (project / "wifi.scenario.yaml").write_text(PHONE)
    assert "1 passed" in run(project, *options, "wifi.scenario.yaml")
    assert ours(project) <= OURS | STARTING


@pytest.mark.any_pytest
def test_importing_the_plugin_imports_nothing_heavy() -> None:
    statement = "import sys, pytest_toolsandbox.plugin; print(*sys.modules)"
    names = subprocess.run(
        [COLD, "-c", statement], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {name.partition(".")[0] for name in names} & HEAVY


@pytest.mark.parametrize("arguments", [("-q",), ("-q", "-n2"), ("--markers",), ("--fixtures",)])
def test_nothing_is_printed_or_written(project: Path, arguments: tuple[str, ...]) -> None:
    output = run(project, *arguments)
    if "-q" in arguments:
        assert "sandbox" not in output
    paths = {path.name for path in project.rglob("*") if path.is_file()}
    files = {path for path in paths if not path.endswith(".pyc")}
    assert files == {"test_python.py", "values.yaml", "of_another_kind.yml"}
