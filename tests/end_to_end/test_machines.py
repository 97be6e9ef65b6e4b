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


def test_two_machines_with_a_checkout_each(
    suite: Suite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    suite.write("scenarios/many.yaml", MANY)
    suite.conftest(WHERE)
    suite.ini("testpaths = scenarios")
    machines = tmp_path_factory.mktemp("machines")
    python = other_python(machines / "their_environment")
    gateways = []
    for name, interpreter in (("one", sys.executable), ("two", str(python))):
        shutil.copytree(suite.path, machines / name)
        gateways.append(f"--tx=popen//python={interpreter}//chdir={machines / name}")
    (machines / "two" / "results.jsonl").mkdir()  # a place that is none there does no harm
    result = suite.run_apart("-d", *gateways, "--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(passed=6)
    records = suite.records()
    assert [record["id"] for record in records] == [
        f"scenarios/many.yaml::{name}" for name in "abcdef"
    ]
    said = {record["messages"][-3]["content"] for record in records}
    assert len(said) == 2
    assert any("I ran in two by their_environment." in text for text in said)
