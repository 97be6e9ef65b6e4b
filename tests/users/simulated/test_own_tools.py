"""A user that a model plays and that has tools of its own."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from handset import scenario
from model_server import Answer, ModelServer, calls, text
from played_users import MODEL, agent, ended, utterance

from pytest_toolsandbox import Trial, play_trial
from pytest_toolsandbox.users.simulated.model_user import JUDGE, ModelUser, Reviewer

pytestmark = pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")

SCENARIO = """\
world: handset
user_tools: [set_airplane_mode, check_signal]
user:
  opening: {do: [check_signal], say: My phone has no service.}
  goals: {look: Have service in Portugal.}
milestones:
  works: {state: {phone: {airplane_mode: false}}}
  told: {says: {mentions: [anything]}}
"""
OFF = calls(("set_airplane_mode", {"on": False}))
CHECK = calls(("check_signal", {}))


def played(server: ModelServer, *script: Answer, **options: Any) -> Trial:
    server.will(*script)
    replies = agent("Please turn airplane mode off.", "Anything else?")
    return play_trial(scenario(SCENARIO), replies, ModelUser(MODEL, **options))


def made(trial: Trial) -> list[tuple[str, str, str | None]]:
    return [(c.call.name, c.call.arguments, c.error) for c in trial.trajectory.user_calls]


def test_it_calls_its_tools_and_is_asked_again(model_server: ModelServer) -> None:
    trial = played(model_server, OFF, CHECK, utterance("It still shows no service."), ended())
    assert trial.outcome == "passed", trial.reason
    calls_made = [("set_airplane_mode", '{"on": false}', None), ("check_signal", "{}", None)]
    assert made(trial)[1:] == calls_made
    assert trial.trajectory.calls == ()
    assert trial.notes is not None
    assert (trial.notes.utterances, trial.notes.faults) == (2, [])
    first, _, third, _ = (request.body for request in model_server.requests)
    names = [tool["function"]["name"] for tool in first["tools"]]
    assert names == ["reply", "end_conversation", "set_airplane_mode", "check_signal"]
    assert "Your other tools are for what is in your own hands." in first["messages"][0]["content"]
    assert (
        "# The conversation so far\n"
        "You: called check_signal({})\n"
        'check_signal showed: {"bars": 0, "text": "no service"}\n'
        "You: My phone has no service.\n"
        "Assistant: Please turn airplane mode off.\n"
        'You: called set_airplane_mode({"on": false})\n'
        "set_airplane_mode showed: null\n"
        "You: called check_signal({})\n"
    ) in third["messages"][1]["content"]


def test_the_paper_s_user_calls_natively(model_server: ModelServer) -> None:
    end = calls(("end_conversation", {}))
    both = calls(("set_airplane_mode", {"on": False}), ("check_signal", {}))
    trial = played(model_server, both, text("Done, but no service."), end, style="paper")
    assert trial.outcome == "passed", trial.reason
    assert [name for name, *_ in made(trial)] == [
        *("check_signal", "set_airplane_mode", "check_signal"),
    ]
    first, second, _ = (request.body for request in model_server.requests)
    assert "8. Some tools are yours alone" in first["messages"][0]["content"]
    assert [tool["function"]["name"] for tool in first["tools"]] == [
        *("set_airplane_mode", "check_signal", "end_conversation"),
    ]
    assert second["tools"] == first["tools"]
    *_, request, result, other = second["messages"]
    assert [call["function"]["name"] for call in request["tool_calls"]] == [
        *("set_airplane_mode", "check_signal"),
    ]
    assert (result["role"], other["content"]) == ("tool", '{"bars": 0, "text": "no service"}')


def test_what_its_tools_showed_is_no_invention(model_server: ModelServer) -> None:
    assert scenario(SCENARIO)
    says = utterance('It says "no service", and 0 bars.')
    trial = played(model_server, OFF, CHECK, says, ended())
    assert trial.notes is not None
    assert trial.notes.faults == []
    invented = utterance("It shows 37 bars.")
    trial = played(model_server, OFF, *(invented,) * 3, ended())
    assert trial.notes is not None
    assert {fault.kind for fault in trial.notes.faults} == {"invention"}


def test_a_refusal_of_the_world_is_no_fault(model_server: ModelServer) -> None:
    on = calls(("set_airplane_mode", {"on": True}))
    trial = played(model_server, on, OFF, utterance("It is off now."), ended())
    assert trial.outcome == "passed", trial.reason
    line = "PermissionError: Airplane mode is on already."
    assert made(trial)[1] == ("set_airplane_mode", '{"on": true}', line)
    assert trial.notes is not None
    assert trial.notes.faults == []
    shown = model_server.requests[1].body["messages"][1]["content"]
    assert f"set_airplane_mode showed: {line}\n" in shown


FAULTY = calls(("set_airplane_mode", {"on": "off"}))


def test_a_faulty_call_is_a_fault_of_the_user(model_server: ModelServer) -> None:
    trial = played(model_server, FAULTY, OFF, utterance("Off."), ended())
    assert trial.outcome == "passed", trial.reason
    assert trial.notes is not None
    (fault,) = trial.notes.faults
    assert (fault.kind, fault.left, fault.effect) == ("call", False, "hindered")
    assert fault.utterance == 'set_airplane_mode({"on": "off"})'
    assert len(made(trial)) == 2
    again = model_server.requests[1].body["messages"][1]["content"]
    assert "That was not sent. set_airplane_mode cannot be called so: " in again


def test_a_faulty_call_that_remains_decides_a_failure(model_server: ModelServer) -> None:
    script = (*(FAULTY,) * 3, utterance("I cannot."), ended("cannot_answer"))
    trial = played(model_server, *script, retries=0)
    assert trial.outcome == "inconclusive"
    assert "the user called a tool of its own wrongly" in str(trial.reason)
    assert str(made(trial)[1][2]).startswith("TypeError: ")
    assert trial.patterns is None
    assert trial.record["counts"]["tool_calls"] == 0


def test_a_tool_that_it_does_not_have_is_a_fault(model_server: ModelServer) -> None:
    trial = played(model_server, calls(("write_down", {"text": "x"})), OFF, ended("gave_up"))
    assert trial.notes is not None
    first, *_ = trial.notes.faults
    allowed = "reply, end_conversation, set_airplane_mode and check_signal"
    assert (first.kind, first.feedback) == ("malformed", f"There is no tool but {allowed}.")


def test_a_reviewer_sees_what_the_user_did(model_server: ModelServer) -> None:
    verdict = calls((JUDGE, {"verdict": "none", "utterance": "", "why": ""}))
    reviewer = Reviewer("openai/gpt-4.1")
    script = (CHECK, utterance("It is off."), ended("gave_up"), verdict)
    trial = played(model_server, *script, reviewer=reviewer)
    assert trial.outcome == "failed"
    question = model_server.requests[-1].body["messages"][1]["content"]
    assert "User: called check_signal({})\ncheck_signal showed: " in question
    assert question.rstrip().endswith("User: (ends the conversation)")
