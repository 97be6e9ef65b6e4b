"""``--sandbox-html``: a page of the run, written at its end."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite

pytestmark = pytest.mark.any_pytest

PAGE = "pages/report.html"


def test_a_run_writes_a_page(suite: Suite) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    result = suite.run("--agent=counterexample", f"--sandbox-html={PAGE}")
    result.stdout.fnmatch_lines([f"html: *{PAGE}"])
    text = (suite.path / PAGE).read_text(encoding="utf-8")
    assert "1 item: 1 failed" in text
    assert "missed user_told" in text
    assert str(suite.path) not in text


def test_an_error_of_an_agent_names_no_folder_of_the_machine(suite: Suite) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    suite.conftest(
        """
@pytest.fixture
def agent():
    import pathlib

    return lambda messages, tools: pathlib.Path("prompt.txt").absolute().read_text()
"""
    )
    suite.run(f"--sandbox-html={PAGE}")
    text = (suite.path / PAGE).read_text(encoding="utf-8")
    assert "the agent raised FileNotFoundError" in text
    assert "&#39;prompt.txt&#39;" in text
    assert str(suite.path) not in text


def test_workers_and_the_ini_file_too(suite: Suite) -> None:
    suite.ini(f"sandbox_html = {PAGE}")
    for name in "ab":
        suite.write(f"{name}.scenario.yaml", LIGHT)
    suite.run("--agent=oracle", "-n2")
    assert "2 items: 2 passed" in (suite.path / PAGE).read_text(encoding="utf-8")


def test_agents_of_a_parametrized_fixture_are_columns(suite: Suite) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    suite.conftest(
        """
@pytest.fixture(params=["says on", "says no"])
def agent(request):
    return lambda messages, tools: request.param
"""
    )
    suite.run(f"--sandbox-html={PAGE}")
    text = (suite.path / PAGE).read_text(encoding="utf-8")
    for name in ("fixture [says on]", "fixture [says no]"):
        assert f'<th scope="col">{name}</th>' in text
    assert "What changed" in text


def test_the_page_of_an_earlier_run_is_replaced(suite: Suite) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    suite.write(PAGE, "old")
    suite.run("--agent=oracle", f"--sandbox-html={PAGE}")
    assert "1 item: 1 passed" in (suite.path / PAGE).read_text(encoding="utf-8")


def test_a_run_that_plays_nothing_leaves_it(suite: Suite) -> None:
    suite.write("test_a.py", "def test_a(): pass")
    suite.write(PAGE, "old")
    suite.run(f"--sandbox-html={PAGE}")
    assert (suite.path / PAGE).read_text() == "old"


@pytest.mark.parametrize("what", ["html", "brief"])
def test_a_page_that_cannot_be_written_fails_the_run(
    what: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pytest_toolsandbox.text.files.os.fsync", full)
    suite.write("a.scenario.yaml", LIGHT)
    result = suite.run("--agent=oracle", f"--sandbox-{what}=page")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"{what}: *page cannot be written: No space left on device"])
