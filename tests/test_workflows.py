"""The workflows of the project on GitHub."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(name: str) -> Any:
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_workflow_is_whole_and_pins_the_major_versions_of_its_actions(file: Path) -> None:
    document = workflow(file.name)
    assert document[True]  # the key ``on``, as YAML 1.1 reads it
    assert document["permissions"] == {"contents": "read"}
    for job in document["jobs"].values():
        assert job["runs-on"]
        assert job["timeout-minutes"]
        for step in job["steps"]:
            assert {"run", "uses"} & set(step)
            assert re.search(r"@(?:release/)?v\d+$", step.get("uses", "@v1")), step


def test_the_tests_run_on_all_systems_and_versions() -> None:
    matrix = workflow("tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    first = project["requires-python"].removeprefix(">=")
    named = [text.rpartition(" ")[2] for text in project["classifiers"] if ":: 3." in text]
    assert matrix["python"][0] == first
    assert set(named) <= set(matrix["python"])


def test_only_the_job_that_publishes_may_ask_for_an_identity() -> None:
    jobs = workflow("release.yml")["jobs"]
    assert {name: job.get("permissions") for name, job in jobs.items()} == {
        "build": None,
        "publish": {"id-token": "write"},
    }
    assert jobs["publish"]["environment"] == "pypi"
    assert jobs["publish"]["needs"] == "build"
    assert not any("run" in step for step in jobs["publish"]["steps"])
