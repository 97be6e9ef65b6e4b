"""``toolsandbox init --ci``: the workflow's own steps, run one after the other."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.commands.init import CI_FILES

PROGRAMS = {
    "pytest": 'exec "{python}" -m pytest -p no:cacheprovider "$@"',
    "toolsandbox": 'exec "{python}" -m pytest_toolsandbox "$@"',
    "gh": 'echo "$@" >> "$HERE/gh.txt"',
    "git": 'echo "$@" >> "$HERE/git.txt"',
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interpreter: str) -> Path:
    """A project with a scenario, the workflow, and programs that stand for those of GitHub."""
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    assert main(["init", "--ci"]) == 0
    (tmp_path / "bin").mkdir()
    for name, script in PROGRAMS.items():
        program = tmp_path / "bin" / name
        text = script.replace("{python}", interpreter)
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)
    return tmp_path


def jobs(project: Path) -> dict[str, Any]:
    (name,) = CI_FILES
    found: dict[str, Any] = yaml.safe_load((project / name).read_text(encoding="utf-8"))["jobs"]
    return found


def run_job(project: Path, name: str, *, agent: str = "") -> list[int]:
    """Run a job's own commands as GitHub does; return their exit statuses."""
    here = {"HERE": str(project), "GITHUB_STEP_SUMMARY": str(project / "summary.md")}
    path = f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}"
    package = str(Path(__file__).parents[2])
    environment = {**os.environ, **here, "PATH": path, "PYTHONPATH": package}
    statuses: list[int] = []
    for step in jobs(project)[name]["steps"]:
        command = step.get("run", "")
        if any(statuses) and step.get("if") != "always()":
            continue
        if command and not command.startswith("pip ") and "hashFiles" not in step.get("if", ""):
            command = command.replace("-n auto", agent)
            done = subprocess.run(["bash", "-e", "-c", command], env=environment, check=False)
            statuses.append(done.returncode)
    return statuses


def test_its_steps_do_what_they_say(project: Path) -> None:
    assert run_job(project, "proof") == [0]
    assert run_job(project, "nightly") == [0, 0, 0]
    assert (project / "baseline.jsonl").is_file()
    assert (project / "git.txt").read_text(encoding="utf-8").splitlines()[-1] == "push"
    assert run_job(project, "gate") == [0, 0, 0]
    summary = (project / "summary.md").read_text(encoding="utf-8")
    assert "### ❔ inconclusive: the trials are too few to tell" in summary
    comment = (project / "comparison.md").read_text(encoding="utf-8")
    assert "### ❔ inconclusive: the trials are too few to tell" in comment
    assert "--body-file comparison.md" in (project / "gh.txt").read_text(encoding="utf-8")


def test_a_night_with_failures_is_a_night_too(project: Path) -> None:
    assert run_job(project, "nightly", agent="--agent=counterexample") == [0, 0, 0]


def test_a_pull_request_that_is_worse_is_red_and_has_its_comment(project: Path) -> None:
    assert run_job(project, "nightly", agent="--sandbox-trials=10") == [0, 0, 0]
    worse = "--agent=counterexample --sandbox-trials=3"
    assert run_job(project, "gate", agent=worse) == [1, 0, 0]
    comment = (project / "comparison.md").read_text(encoding="utf-8")
    assert "### ❌ worse: it passes less often than the baseline" in comment
    assert "| 10/10 | 0/3 | 0.003 |" in comment
    assert "--body-file comparison.md" in (project / "gh.txt").read_text(encoding="utf-8")
    assert "pytest scenarios/cancel_an_order" in (project / "brief.md").read_text(encoding="utf-8")


def test_it_is_never_written_over_another(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (name,) = CI_FILES
    assert main(["init", "--ci"]) == 1
    assert capsys.readouterr().err == (
        f"{name} already exists\n"
        "nothing was written; name another folder: toolsandbox init --ci DIR\n"
    )
    assert set(jobs(project)) == {"proof", "nightly", "gate"}
