"""Tools of the user, and policies, in whole runs: records, cassettes, stored conversations."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import handset
import pytest
from desk import Suite
from jsonschema import Draft202012Validator
from model_server import Answer, ModelServer, Request, calls, text

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.record import record_schema

pytestmark = pytest.mark.any_pytest

USER = """
def obedient(messages):
    if messages[-1]["role"] == "assistant" and len(messages) < 8:
        function = {"name": "set_airplane_mode", "arguments": {"on": False}}
        return {"tool_calls": [{"function": function}]}
    return None if len(messages) > 8 else "Done."
"""
RESULTS = "--sandbox-results=results.jsonl"
GRABS = "counterexamples:\n  grabs:\n    - set_airplane_mode: {on: false}\n    - say: It is off.\n"


@pytest.fixture
def abroad(suite: Suite) -> Suite:
    suite.write("handset.py", Path(handset.__file__).read_text("utf-8"))
    suite.conftest("import handset")
    suite.write("abroad.scenario.yaml", handset.ABROAD + GRABS)
    suite.write("people.py", USER)
    return suite


def test_records_keep_the_calls_apart(abroad: Suite) -> None:
    abroad.run("--agent=oracle", RESULTS, "--sandbox-html=page.html").assert_outcomes(passed=1)
    (record,) = abroad.records()
    assert [*Draft202012Validator(record_schema()).iter_errors(record)] == []
    assert record["user_tools"] == ["set_airplane_mode", "check_signal", "write_down"]
    assert record["tools"] == ["allow_roaming", "look_up_line", "add_note", "push_settings"]
    assert (record["counts"]["tool_calls"], record["counts"]["user_calls"]) == (1, 3)
    (call,) = record["tool_calls"]
    calls = [record["messages"][made["request"]]["call"] for made in record["user_calls"]]
    assert record["messages"][call["request"]]["call"]["name"] == "allow_roaming"
    names = [made["name"] for made in calls]
    assert names == ["check_signal", "set_airplane_mode", "check_signal"]
    page = (abroad.path / "page.html").read_text("utf-8")
    assert "handset" in page


def test_a_user_of_ones_own_is_recorded_and_not_needed_again(abroad: Suite) -> None:
    run = ("--agent=oracle", "--sandbox-user=people:obedient", RESULTS)
    abroad.run(*run, "--sandbox-record=new").assert_outcomes(passed=1)
    (first,) = abroad.records()
    (cassette,) = abroad.path.rglob("*.cassette.yaml")
    text = cassette.read_text("utf-8")
    assert "reply:\n          calls:\n            - set_airplane_mode:\n" in text
    (abroad.path / "people.py").unlink()
    (abroad.path / "results.jsonl").unlink()
    abroad.run(*run, "--sandbox-record=replay").assert_outcomes(passed=1)
    (again,) = abroad.records()
    assert again["messages"] == first["messages"]
    assert len(again["user_calls"]) == 2


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
@pytest.mark.parametrize("style", ["paper", "terse"])
def test_a_model_in_the_role_of_the_user_is_recorded_and_replayed(
    style: str, abroad: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ("--agent=oracle", "--sandbox-user=openai/gpt-4o", f"--sandbox-user-style={style}")
    goal = "user:\n  goals: {look: Have service in Portugal.}\n"
    abroad.write("abroad.scenario.yaml", handset.ABROAD.replace("user:\n", goal))
    with ModelServer(answer_of_user) as server:
        server.replace_openai(monkeypatch)
        result = abroad.run(*run, RESULTS, "--sandbox-record=new")
        result.assert_outcomes(passed=1)
    (first,) = abroad.records()
    assert len(first["user_calls"]) == 2
    (abroad.path / "results.jsonl").unlink()
    abroad.run(*run, RESULTS, "--sandbox-record=replay").assert_outcomes(passed=1)
    (again,) = abroad.records()
    assert again["messages"] == first["messages"]


def answer_of_user(request: Request) -> Answer:
    """Turn airplane mode off when asked, in the style of the tools that are offered."""
    messages, names = (
        request.body["messages"],
        [tool["function"]["name"] for tool in request.body["tools"]],
    )
    seen = json.dumps(messages)
    if "set_airplane_mode" not in seen.replace("tools", ""):
        return calls(("set_airplane_mode", {"on": False}))
    if "Great, it works." in seen:
        return calls(("end_conversation", {"reason": "done"} if "reply" in names else {}))
    if "reply" in names:
        return calls(("reply", {"text": "It is off now.", "goal": "look", "uses": []}))
    return text("It is off now.")


def test_stored_conversations_are_judged_again(abroad: Suite) -> None:
    abroad.run("--agent=oracle", RESULTS).assert_outcomes(passed=1)
    abroad.run("--sandbox-rejudge=results.jsonl", "--sandbox-results=new.jsonl").assert_outcomes(
        passed=1
    )
    assert abroad.records("new.jsonl") == abroad.records()
    abroad.run("--agent=oracle", "--sandbox-resume=results.jsonl").assert_outcomes(passed=1)
    abroad.write(
        "abroad.scenario.yaml", handset.ABROAD + "user_tools: [set_airplane_mode, check_signal]"
    )
    result = abroad.run("--sandbox-rejudge=results.jsonl")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*another one now: no longer tools of the user: write_down*"])


def test_an_agent_that_calls_them_calls_unknown_tools(abroad: Suite) -> None:
    result = abroad.run("--agent=counterexample", RESULTS)
    result.assert_outcomes(failed=1)
    (record,) = abroad.records()
    assert record["error_patterns"]["calls"]["IFN"] == 1
    assert record["counts"]["tool_calls"] == 1
    result.stdout.fnmatch_lines(
        ["*agent -> environment * set_airplane_mode(on=False)", "*NameError: name 'set_airplane*"]
    )


def test_exports_have_what_the_agent_saw(abroad: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    abroad.run("--agent=oracle", RESULTS)
    capsys.readouterr()
    results = str(abroad.path / "results.jsonl")
    assert main(["export", "--format=chat-jsonl", results]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "check_signal" not in line
    assert [m["role"] for m in json.loads(line)["messages"]].count("tool") == 1
    assert main(["show", results, "abroad"]) == 0
    shown = capsys.readouterr().out
    assert "user -> environment" in shown


def test_another_policy_is_not_resumed(abroad: Suite) -> None:
    abroad.write("rules.md", "Be brief.")
    abroad.write("abroad.scenario.yaml", handset.ABROAD + "policy: rules.md\n")
    abroad.run("--agent=oracle", RESULTS).assert_outcomes(passed=1)
    resume = ("--agent=oracle", "--sandbox-resume=results.jsonl")
    result = abroad.run(*resume)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["resume: 1 item not played*"])
    abroad.write("rules.md", "Be polite.")
    line = "resume: 1 item played again, whose scenario, tools or world are others now"
    assert line in abroad.run(*resume).outlines
