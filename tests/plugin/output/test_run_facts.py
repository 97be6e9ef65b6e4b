"""The field ``run`` of records: the commit, the command without secrets, the time."""

from __future__ import annotations

import subprocess
from datetime import datetime

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.plugin.output import run_facts

COMMIT = ["git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "first"]


def git(suite: Suite, *command: str) -> str:
    done = subprocess.run(["git", *command], cwd=suite.path, check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.mark.parametrize("option", ["-n0", "-n2"])
def test_commit_command_and_start(suite: Suite, option: str) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    git(suite, "init", "-q")
    git(suite, "add", "a.scenario.yaml")
    git(suite, *COMMIT[1:])
    arguments = ("--agent=oracle", "--sandbox-results=results.jsonl", option)
    suite.run(*arguments)
    (record,) = suite.whole_records()
    run = record["run"]
    assert (run["commit"], run["clean"]) == (git(suite, "rev-parse", "HEAD"), True)
    assert run["command"].startswith("pytest ")
    assert " ".join(arguments) in run["command"]
    assert datetime.fromisoformat(run["started"]).utcoffset() is not None
    suite.write("a.scenario.yaml", f"{LIGHT}\n")
    suite.run(*arguments, "--sandbox-overwrite")
    assert suite.whole_records()[0]["run"]["clean"] is False


@pytest.mark.parametrize("error", [FileNotFoundError, subprocess.TimeoutExpired("git", 5)])
def test_without_git_there_is_no_commit(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("pytest_toolsandbox.plugin.output.run_facts.subprocess.run", refuse)
    suite.write("a.scenario.yaml", LIGHT)
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl")
    (record,) = suite.whole_records()
    assert {*record["run"]} == {"started", "command"}


def test_git_is_not_asked_if_no_file_is_wanted(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(run_facts, "run_record", asked.append)
    suite.write("a.scenario.yaml", LIGHT)
    suite.run("--agent=oracle")
    assert asked == []


def test_secrets_of_the_command_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", "hunter2-hunter2")
    arguments = [
        *("--api-key", "abc", "--db-token=abc", "-oapi_token=abc", "-o", "sandbox_secrets=abc"),
        *("--override-ini=auth_token=abc", "--agent=cmd:ask --api-key=abcdefgh"),
        *("--url=https://me:abcdefgh@host/", "--say=hunter2-hunter2", "--sandbox-max-tokens=500"),
        *("--sandbox-max-tokens", "500", "test_key.py::test_token[key=1]", "-k", "token"),
    ]
    assert [*run_facts.shown_arguments(arguments)] == [
        *("--api-key", "***", "--db-token=***", "-oapi_token=***", "-o", "sandbox_secrets=***"),
        *("--override-ini=auth_token=***", "--agent=cmd:ask --api-key=***"),
        *("--url=https://***@host/", "--say=***", "--sandbox-max-tokens=500"),
        *("--sandbox-max-tokens", "500", "test_key.py::test_token[key=1]", "-k", "token"),
    ]


def test_other_commands_write_comparable_records(suite: Suite) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    suite.write("b.scenario.yaml", LIGHT)
    suite.run("--agent=oracle", "--sandbox-results=a.jsonl", "a.scenario.yaml")
    suite.run("--agent=oracle", "--sandbox-results=b.jsonl", "b.scenario.yaml")
    assert main(["merge", "a.jsonl", "b.jsonl", "-o", "both.jsonl"]) == 0
    assert main(["compare", "a.jsonl", "a.jsonl"]) == 0
