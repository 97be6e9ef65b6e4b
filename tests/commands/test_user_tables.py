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
from command_line import Run
from model_server import Answer, ModelServer, Request, calls, text
from pantry import scenario
from played_users import MODEL, PANTRY, agent

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.records.configuration import agent_record, user_record
from pytest_toolsandbox.users.simulated.model_user import ModelUser
from pytest_toolsandbox.users.simulated.toolsandbox_prompt import Prompt

pytestmark = pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")

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


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with ModelServer(speak) as server:
        server.replace_openai(monkeypatch)
        yield


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
        parameters = {"user": f"{name} {prompt} {run} {number}"}
        user = ModelUser(MODEL, parameters=parameters, style="paper", prompt=prompt)
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
    block = re.search(rf"\$ {re.escape(command)}[^\n]*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert block
    return block[1]


@pytest.mark.usefixtures("folder")
def test_both_tables(run: Run) -> None:
    prompts: tuple[Prompt, ...] = ("goal", "boundary", "full")
    files = [write(Path(f"{prompt}.jsonl"), records("gpt", 1, prompt)) for prompt in prompts]
    assert run("user-tables", *files) == (0, shown("toolsandbox user-tables goal.jsonl"), "")
    runs = [(name, number) for name in ("claude", "gemini") for number in range(1, 5)]
    files = [write(Path(f"{name}-{n}.jsonl"), records(name, n)) for name, n in runs]
    assert run("user-tables", *files) == (0, shown("toolsandbox user-tables claude-"), "")


def test_trials_of_a_file_are_runs(folder: Path, run: Run) -> None:
    file = write(folder / "both.jsonl", records("claude", 1), records("claude", 2))
    printed = run("user-tables", file)
    row = printed.lines[-1].split()
    assert (printed.status, row[:7]) == (
        0,
        ["claude", "+", "demonstration", "2", "12.50", "±", "17.68"],
    )
    with file.open("a", encoding="utf-8") as lines:
        lines.write('{"record": 2, "id"')
    printed = run("user-tables", file)
    torn = f"{file}:9: torn: the run was stopped while it was written"
    last = f"1 stored record cannot be used: {torn}"
    assert (printed.status, printed.lines[-1]) == (1, last)


def test_records_without_such_users(folder: Path, run: Run) -> None:
    talk = agent("It is open.", "It is shut.")
    file = write(folder / "r.jsonl", iter([play_trial(scenario(PANTRY), talk).record]))
    line = "no user was played by a model in these records; play with --sandbox-user=MODEL\n"
    assert run("user-tables", file) == (1, "", line)
