"""Runs over gateways of pytest-xdist, as they go to other machines."""

from __future__ import annotations

import shutil
import site
import sys
import venv
from pathlib import Path

import pytest
from desk import LIGHT, Suite

import pytest_toolsandbox
from pytest_toolsandbox.__main__ import main

MANY = f"scenarios: {{{', '.join(f'{name}: ' for name in 'abcdef')}}}\n{LIGHT}"
WHERE = """
import sys
from pathlib import Path

@pytest.fixture
def agent(agent):
    def played(messages, tools):
        reply = agent(messages, tools)
        here = f" I ran in {Path.cwd().name} by {Path(sys.prefix).name}."
        return reply + here if isinstance(reply, str) else reply
    return played
"""


def other_python(folder: Path) -> Path:
    """Return a Python of another environment, which finds the packages of this one."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    paths = [Path(pytest_toolsandbox.__file__).parents[1], *site.getsitepackages()]
    (packages / "theirs.pth").write_text("".join(f"{path}\n" for path in paths))
    return folder / "bin" / "python"


def gateways(machines: Path, project: Path) -> list[str]:
    """Return gateways to two machines with a checkout each, in other folders and environments."""
    python = other_python(machines / "their_environment")
    options = []
    for name, interpreter in (("one", sys.executable), ("two", str(python))):
        shutil.copytree(project, machines / name)
        options.append(f"--tx=popen//python={interpreter}//chdir={machines / name}")
    return options


def test_two_machines_with_a_checkout_each(
    suite: Suite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    suite.write("scenarios/many.yaml", MANY)
    suite.conftest(WHERE)
    suite.ini("testpaths = scenarios")
    suite.run("--agent=oracle", "--sandbox-results=before.jsonl").assert_outcomes(passed=6)
    assert main(["baseline", "add", "before.jsonl"]) == 0
    machines = tmp_path_factory.mktemp("machines")
    there = gateways(machines, suite.path)
    (machines / "two" / "results.jsonl").mkdir()  # a place that is none there does no harm
    auto = ("--sandbox-baseline=baseline.jsonl", "--sandbox-trials=auto")
    options = ("--agent=oracle", "--sandbox-results=results.jsonl")
    result = suite.run_apart("-d", *there, *options, *auto)
    result.assert_outcomes(passed=6)
    records = suite.records()
    assert [(record["id"], record["trial"]) for record in records] == [
        (f"scenarios/many.yaml::{name}", trial) for name in "abcdef" for trial in (1, 2, 3, 4, 5)
    ]
    texts = {record["messages"][-3]["content"] for record in records}
    assert len(texts) == 2
    assert any("I ran in two by their_environment." in text for text in texts)


TALKS = """
def build():
    def agent(messages, tools):
        if messages[-1]["role"] == "tool":
            return "The lamp is on."
        call = {"name": "switch_lamp", "arguments": '{"on": true}'}
        return {"role": "assistant", "tool_calls": [{"id": "1", "function": call}]}
    return agent
"""


def cassettes(folder: Path) -> dict[str, bytes]:
    """Return the cassettes below a folder, by their places."""
    files = folder.rglob("*.cassette.yaml")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.any_pytest
def test_cassettes_are_recorded_by_two_machines_as_by_one(
    suite: Suite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    suite.write("scenarios/many.yaml", MANY)
    suite.write("own.py", TALKS)
    suite.ini("testpaths = scenarios")
    options = ("--agent=own:build", "--sandbox-record=new", "--sandbox-baseline=baseline.jsonl")
    suite.run("--agent=own:build", "--sandbox-results=before.jsonl").assert_outcomes(passed=6)
    assert main(["baseline", "add", "before.jsonl"]) == 0
    machines = tmp_path_factory.mktemp("machines")
    there = gateways(machines, suite.path)
    (suite.path / "scenarios/cassettes").write_text("in the way")
    lost = suite.run_apart("-d", *there, *options, "--sandbox-trials=2")
    lost.stdout.fnmatch_lines(
        "cassettes: 12 recorded trials could not be written: scenarios/cassettes/own-build*: *"
    )
    assert lost.ret == pytest.ExitCode.TESTS_FAILED
    (suite.path / "scenarios/cassettes").unlink()
    suite.run_apart("-d", *there, *options, "--sandbox-trials=auto").assert_outcomes(passed=6)
    recorded = cassettes(suite.path)
    assert len(recorded) == 6
    assert not cassettes(machines)
    shutil.rmtree(suite.path / "scenarios/cassettes")
    suite.run(*options, "--sandbox-trials=auto").assert_outcomes(passed=6)
    assert cassettes(suite.path) == recorded
    assert all(text.count(b"- trial:") == 5 for text in recorded.values())
