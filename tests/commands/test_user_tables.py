"""``toolsandbox user-tables``: how often users were at fault, from records of conversations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, ModelServer, Request, calls, text
from pantry import scenario
from played_users import MODEL, PANTRY, agent

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.configuration import agent_record, user_record
from pytest_toolsandbox.users.simulated.model_user import ModelUser
from pytest_toolsandbox.users.simulated.toolsandbox_prompt import Prompt

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm")

PAGE = (Path(__file__).parents[2] / "docs" / "users.md").read_text(encoding="utf-8")
MADE_UP, OFFERS = "Take the key from Boston.", "Shall I shut it for you?"
WRONG = {
    "gpt goal 1": {1: MADE_UP, 2: OFFERS},
    "gpt boundary 1": {1: MADE_UP},
    "claude full 1": {2: MADE_UP},
    "claude full 3": {3: OFFERS, 4: MADE_UP},
    "gemini full 2": {1: OFFERS},
}
"""Run → what the user says at first in the scenario of a number."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer(speak) as server:
        server.replace_openai(monkeypatch)
        yield server


def speak(request: Request) -> Answer:
    """Say something wrong at first, where the user is to; then what is right, and end."""
    messages = request.body["messages"]
    run, _, number = request.body["user"].rpartition(" ")
    if sum(message["role"] == "user" for message in messages) > 1:
        return calls(("end_conversation", {}))
    is_first = messages[-1]["role"] == "user"
    wrong = WRONG.get(run, {}).get(int(number))
    return text(wrong if wrong and is_first else "Then shut the door.")


def records(name: str, run: int, prompt: Prompt = "full") -> Iterator[dict[str, Any]]:
    """Play four scenarios with the agent of a name."""
    for number in range(1, 5):
        told = {"user": f"{name} {prompt} {run} {number}"}
        user = ModelUser(MODEL, parameters=told, style="paper", prompt=prompt)
        talk = agent("It is open.", "It is shut.")
        trial = play_trial(scenario(PANTRY), talk, user, run)
        who, asked = agent_record(name, talk), user_record("gpt", user)
        yield replace(trial, identifier=f"s{number}", agent=who, user=asked).record


def write(file: Path, *runs: Iterator[dict[str, Any]]) -> Path:
    lines = [json.dumps(record) for run in runs for record in run]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def shown(command: str) -> str:
    """Return what the page shows below a command."""
    found = re.search(rf"\$ {re.escape(command)}[^\n]*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_both_tables(
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    del server
    monkeypatch.chdir(tmp_path)
    prompts: tuple[Prompt, ...] = ("goal", "boundary", "full")
    files = [write(Path(f"{prompt}.jsonl"), records("gpt", 1, prompt)) for prompt in prompts]
    assert main(["user-tables", *map(str, files)]) == 0
    assert capsys.readouterr().out == shown("toolsandbox user-tables goal.jsonl")
    runs = [(name, run) for name in ("claude", "gemini") for run in range(1, 5)]
    files = [write(Path(f"{name}-{run}.jsonl"), records(name, run)) for name, run in runs]
    assert main(["user-tables", *map(str, files)]) == 0
    assert capsys.readouterr().out == shown("toolsandbox user-tables claude-")


def test_trials_of_a_file_are_runs(
    server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del server
    file = write(tmp_path / "both.jsonl", records("claude", 1), records("claude", 2))
    assert main(["user-tables", str(file)]) == 0
    row = capsys.readouterr().out.splitlines()[-1].split()
    assert row[:7] == ["claude", "+", "demonstration", "2", "12.50", "±", "17.68"]


def test_records_without_such_users(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talk = agent("It is open.", "It is shut.")
    file = write(tmp_path / "r.jsonl", iter([play_trial(scenario(PANTRY), talk).record]))
    assert main(["user-tables", str(file)]) == 1
    line = "no user was played by a model in these records; play with --sandbox-user=MODEL\n"
    assert capsys.readouterr().err == line


def test_a_torn_line_is_told(
    server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del server
    file = write(tmp_path / "r.jsonl", records("claude", 1))
    file.write_text(file.read_text() + '{"record": 2, "id"')
    assert main(["user-tables", str(file)]) == 1
    told = (
        f"1 stored record cannot be used: {file}:5: torn: the run was stopped while it was written"
    )
    assert capsys.readouterr().out.splitlines()[-1] == told


def test_a_file_that_there_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["user-tables", str(tmp_path / "none.jsonl")]) == 1
    assert capsys.readouterr().err.endswith("cannot be read: No such file or directory\n")
