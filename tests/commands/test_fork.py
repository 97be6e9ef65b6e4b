"""``toolsandbox fork``: a recorded conversation is changed at a message, and played on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from late_texts import Recorded


def forks(file: Path) -> list[dict[str, Any]]:
    return [*map(json.loads, file.with_name("results.forks.jsonl").read_text().splitlines())]


def test_the_agent_goes_on_after_another_call(recorded: Recorded, run: Run) -> None:
    file = recorded()
    assert "failed" in run("show", file, "late").lines[0]
    printed = run("fork", file, "late", "--at=2", "--call", "search_contacts(name='Ada')")
    assert printed.status == 0, printed.err
    (fork,) = forks(file)
    assert fork["outcome"] == "passed"
    assert fork["fork"] == {"trial": 1, "message": 2, "start": 2, "sent": 1, "kind": "by_hand"}
    called = [message["call"]["name"] for message in fork["messages"] if message["call"]]
    assert called[::2] == ["search_contacts", "send_message_with_phone_number", "end_conversation"]


def test_the_agent_is_asked_nothing_before_the_fork(recorded: Recorded, run: Run) -> None:
    file, heard = recorded(), __import__("late_agents").heard
    heard.clear()
    run("fork", file, "late", "--at=6", "--trials=2")
    assert [len(messages) for messages in heard] == [6, 6]
    assert [fork["trial"] for fork in forks(file)] == [1, 2]
    run("fork", file, "late", "--at=2", "--say=Which Ada do you mean?")
    last = forks(file)[-1]
    assert last["trial"] == 3
    assert last["messages"][3]["content"] == "The one in my contacts."


def test_the_rest_is_played_with_another_prompt(recorded: Recorded, run: Run) -> None:
    file = recorded()
    Path("prompt.txt").write_text("Hurry up.\n", encoding="utf-8")
    run("fork", file, "late", "--at=6", "--prompt=prompt.txt")
    assert forks(file)[0]["messages"][6]["content"] == "Done, Hurry"


def test_the_prompt_of_the_record_stays(recorded: Recorded, run: Run) -> None:
    file = recorded(prompt="Brief, please.")
    run("fork", file, "late", "--at=6")
    assert forks(file)[0]["messages"][6]["content"] == "Done, Brief"


def test_an_agent_with_a_loop_of_its_own_reads_what_happened(recorded: Recorded, run: Run) -> None:
    file, heard = recorded(), __import__("late_agents").heard
    heard.clear()
    run("fork", file, "late", "--at=4", "--agent=late_agents:Turns")
    (text,) = heard
    assert 'You called search_contacts({"name": "Adam"})' in text
    assert text.endswith("Go on from here.")
    assert forks(file)[0]["agent"] == "late_agents:Turns"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--at=3"], "--at 3: it is the answer to [2], which the world gives; give --at 2"),
        (["--at=1"], "--at 1: it belongs to the beginning, which the scenario determines"),
        (["--at=40"], "--at 40: there is no such message; the last one is [8]"),
        (["--at=2", "--call=search()"], "--call: unknown tool 'search'"),
        (["--at=2", "--call=f(x)"], "--call 'f(x)' is not a call; write it as a page shows calls"),
        (["--at=2", "--call=set_wifi_status(on=open())"], "is not a call"),
        (["--at=2", "--say=a", "--call=b()"], "give --say or --call, not both"),
        (["--at=2", "--agent=nowhere:agent"], "--agent=nowhere:agent: there is no module nowhere"),
        (["--at=2", "--out=results.jsonl"], "results.jsonl: it has records that are no forks"),
    ],
)
def test_what_cannot_be_forked(
    arguments: list[str], problem: str, recorded: Recorded, run: Run
) -> None:
    printed = run("fork", recorded(), "late", *arguments)
    assert printed.status == 1
    assert problem in printed.err
    assert not Path("results.forks.jsonl").exists()


def test_a_world_that_does_something_else_cannot_go_back(recorded: Recorded, run: Run) -> None:
    file = recorded()
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"content": "[]"', '"content": "[1]"'), encoding="utf-8")
    printed = run("fork", file, "late", "--at=4")
    assert printed.status == 1
    assert "message [3] answered '[1]', and answers '[]'" in printed.out
    assert forks(file)[0]["cause"] == "world"
