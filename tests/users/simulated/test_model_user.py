"""A user that a model plays, and its reviewer, against a model server on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from model_server import Answer, ModelServer, Request, calls, fault, message, text
from pantry import scenario
from played_users import MODEL, PANTRY, agent, ended, utterance

from pytest_toolsandbox import Trial, play_trial
from pytest_toolsandbox.records.record import record_schema
from pytest_toolsandbox.users.simulated.model_user import JUDGE, RUBRIC, ModelUser, Reviewer

pytestmark = pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")


def played(server: ModelServer, *script: Answer, user: ModelUser, replies: Any = None) -> Trial:
    server.will(*script)
    return play_trial(scenario(PANTRY), replies or agent("It is open.", "It is shut."), user)


def lines_of_user(trial: Trial) -> list[str]:
    return [m.content for m in trial.trajectory.messages if m.sender == "user"]


def test_it_speaks_and_ends_through_its_tools(model_server: ModelServer) -> None:
    user = ModelUser(MODEL)
    trial = played(model_server, utterance("Then shut the door.", "door"), ended(), user=user)
    assert trial.outcome == "passed", trial.reason
    assert lines_of_user(trial) == ["Is the pantry open?", "Then shut the door.", ""]
    assert trial.record["user_notes"] == {
        "style": "plain",
        "utterances": 2,
        "asked_again": 0,
        "conversations": 1,
        "faults": [],
    }
    first, second = (request.body["messages"][1]["content"] for request in model_server.requests)
    assert "- look (asked): Know whether the pantry is open.\n- door (open): Have" in first
    assert "- look (done): Know whether the pantry is open.\n- door (asked): Have" in second
    assert {request.body["tool_choice"] for request in model_server.requests} == {"required"}


def test_a_fault_is_reported_and_the_utterance_retried(model_server: ModelServer) -> None:
    trial = played(
        model_server,
        ended(),
        utterance("Would you like me to shut it?", "door"),
        utterance("Shut the door.", "door"),
        ended(),
        user=ModelUser(MODEL),
    )
    assert trial.outcome == "passed", trial.reason
    assert lines_of_user(trial) == ["Is the pantry open?", "Shut the door.", ""]
    assert trial.notes is not None
    assert [(fault.kind, fault.left) for fault in trial.notes.faults] == [
        ("early_end", False),
        ("roles", False),
    ]
    assert (trial.notes.utterances, trial.notes.asked_again) == (2, 1)
    user_texts = [request.body["messages"][1]["content"] for request in model_server.requests]
    assert "You have not asked for this yet: door." in user_texts[1]
    assert "You have not asked for this yet: door." in user_texts[2]
    assert "That was not sent. You offer help" in user_texts[2]
    assert "That was not sent." not in user_texts[3]


def test_a_remaining_fault_makes_a_failure_a_user_fault(model_server: ModelServer) -> None:
    wrong = utterance("It is the key of Boston.", "door")
    trial = played(
        model_server,
        *(wrong,) * 3,
        ended(),
        user=ModelUser(MODEL, retries=0),
        replies=agent("It is open."),
    )
    assert (trial.outcome, trial.cause) == ("inconclusive", "user")
    assert trial.reason == (
        "user fault: it failed after the user had hindered the agent: the user made something "
        "up, in 'It is the key of Boston.'"
    )
    assert trial.judgement is None
    assert trial.record["scores"] is None
    (fault,) = [fault for fault in trial.record["user_notes"]["faults"] if fault["left"]]
    assert fault == {
        "kind": "invention",
        "told": "You do not know this: boston. Say only what you know, or that you do not know.",
        "utterance": "It is the key of Boston.",
        "left": True,
        "effect": "hindered",
        "published": "hallucination",
    }


def test_a_pass_of_a_hindered_agent_counts(model_server: ModelServer) -> None:
    wrong = utterance("It is the key of Boston.", "door")
    trial = played(model_server, *(wrong,) * 3, ended(), user=ModelUser(MODEL, retries=0))
    assert trial.outcome == "passed"
    assert trial.notes is not None
    assert [fault.kind for fault in trial.notes.left] == ["invention"]


def test_a_pass_of_a_helped_agent_is_a_user_fault(model_server: ModelServer) -> None:
    leak = utterance("My goal is to know that it is open, then shut.", "door")
    trial = played(model_server, *(leak,) * 3, ended(), user=ModelUser(MODEL, retries=0))
    assert trial.outcome == "inconclusive"
    assert trial.reason == (
        "user fault: it passed after the user had helped the agent: the user told of its "
        "instructions, in 'My goal is to know that it is open, then shut.'"
    )


def test_a_user_fault_is_played_again_with_another_seed(
    model_server: ModelServer,
) -> None:
    leak = utterance("My goal is to know that it is open, then shut.", "door")
    trial = played(
        model_server,
        *(leak,) * 3,
        ended(),
        utterance("Then shut it.", "door"),
        ended(),
        user=ModelUser(MODEL, retries=1),
    )
    assert trial.outcome == "passed"
    assert trial.record["user_notes"]["conversations"] == 2
    seeds = [request.body.get("seed") for request in model_server.requests]
    assert seeds == [None] * 4 + [1] * 2


def test_an_utterance_that_cannot_be_read_ends_the_conversation(model_server: ModelServer) -> None:
    empty = utterance("", "door")
    trial = played(model_server, *(empty,) * 3, user=ModelUser(MODEL, retries=0))
    assert trial.outcome == "inconclusive"
    assert trial.reason is not None
    assert "the user said nothing that could be delivered" in trial.reason


def writes_only(request: Request) -> Answer:
    names = [tool["function"]["name"] for tool in request.body["tools"]]
    if "reply" in names:
        return text("Then shut the door.")
    return ended() if len(request.body["messages"]) > 3 else text("Then shut the door.")


def refuses_tool_choice(request: Request) -> Answer:
    if "tool_choice" in request.body:
        return fault(400, "tool_choice 'required' is not supported by this model")
    return writes_only(request)


@pytest.mark.parametrize("answer", [writes_only, refuses_tool_choice])
def test_a_model_that_cannot_be_forced_to_call_a_tool_plays_the_paper_s_user(
    model_server: ModelServer, answer: Callable[[Request], Answer]
) -> None:
    model_server.will_say(answer)
    trial = play_trial(scenario(PANTRY), agent("It is open.", "It is shut."), ModelUser(MODEL))
    assert trial.outcome == "passed", trial.reason
    assert trial.record["user_notes"]["style"] == "paper"
    assert trial.record["user_notes"]["faults"] == []


def test_an_outage_is_the_providers(model_server: ModelServer) -> None:
    trial = played(model_server, fault(503, "overloaded"), user=ModelUser(MODEL))
    assert (trial.outcome, trial.cause) == ("error", "provider")
    assert len(model_server.requests) == 1


UTTERANCE = "Then shut the door, please."
REVIEWER = Reviewer("openai/gpt-4o-mini")


def judged(verdict: str, utterance: str = "", why: str = "") -> Answer:
    return calls((JUDGE, {"verdict": verdict, "utterance": utterance, "why": why}))


def failed(server: ModelServer, *answers: Answer, retries: int = 0) -> Trial:
    """Play a conversation whose agent never shuts the door, then answer the reviewer."""
    server.will(utterance(UTTERANCE, "door"), ended(), *answers)
    user = ModelUser(MODEL, retries=retries, reviewer=REVIEWER)
    return play_trial(scenario(PANTRY), agent("It is open."), user)


@pytest.mark.parametrize("verdict", ["hallucination", "instruction_following"])
def test_a_fault_that_it_finds_makes_a_failure_a_user_fault(
    model_server: ModelServer, verdict: str
) -> None:
    trial = failed(model_server, judged(verdict, "shut the door", "Nobody told it so."))
    assert (trial.outcome, trial.cause) == ("inconclusive", "user")
    assert trial.reason == (
        "user fault: it failed after the user had hindered the agent: the user was at fault by "
        "its review, in 'shut the door'"
    )
    (user_fault,) = trial.record["user_notes"]["faults"]
    assert user_fault == {
        "kind": "reviewed",
        "told": "Nobody told it so.",
        "utterance": "shut the door",
        "left": True,
        "effect": "hindered",
        "published": verdict,
    }
    Draft202012Validator(record_schema()).validate(trial.record)


def test_the_conversation_is_played_again(model_server: ModelServer) -> None:
    again = (utterance(UTTERANCE, "door"), ended(), judged("none"))
    verdict = judged("hallucination", UTTERANCE, "It has no door.")
    trial = failed(model_server, verdict, *again, retries=1)
    assert trial.outcome == "failed"
    assert trial.record["user_notes"]["conversations"] == 2


def test_the_request_to_the_reviewer(model_server: ModelServer) -> None:
    failed(model_server, judged("none"))
    body = model_server.requests[-1].body
    assert body["model"] == "gpt-4o-mini"
    assert body["tool_choice"] == {"type": "function", "function": {"name": JUDGE}}
    assert [tool["function"]["name"] for tool in body["tools"]] == [JUDGE]
    system, shown = body["messages"]
    assert system == {"role": "system", "content": RUBRIC}
    assert shown["content"] == (
        "# The user's goals\n- Know whether the pantry is open.\n- Have the door shut.\n\n"
        "# What the user knows\n- The key is green.\n\n"
        "# The conversation\nUser: Is the pantry open?\nAssistant: It is open.\n"
        f"User: {UTTERANCE}\nAssistant: It is open.\nUser: (ends the conversation)"
    )


def test_a_pass_is_not_reviewed(model_server: ModelServer) -> None:
    model_server.will(utterance(UTTERANCE, "door"), ended())
    user = ModelUser(MODEL, reviewer=REVIEWER)
    trial = play_trial(scenario(PANTRY), agent("It is open.", "It is shut."), user)
    assert trial.outcome == "passed"
    assert len(model_server.requests) == 2
    assert "review" not in trial.record["user_notes"]


CALL: dict[str, Any] = {"id": "1", "type": "function"}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (judged("none"), ""),
        (fault(503, "overloaded"), "openai/gpt-4o-mini"),
        (text("I think that it is a hallucination."), "no verdict through judge_user"),
        (judged("hallucinations", UTTERANCE), "no verdict through judge_user"),
        (
            message({"tool_calls": [{**CALL, "function": {"name": JUDGE, "arguments": "{"}}]}),
            "no verdict through judge_user",
        ),
        (calls(("reply", {})), "no verdict through judge_user"),
        (judged("hallucination", "Call Boston."), "quotes what the user did not say"),
        (judged("hallucination", " "), "quotes what the user did not say"),
    ],
)
def test_a_failure_without_a_fault_stays_a_failure(
    model_server: ModelServer, answer: Answer, why: str
) -> None:
    trial = failed(model_server, answer)
    assert trial.outcome == "failed"
    review = trial.record["user_notes"]["review"]
    assert why in review["why"]
    assert (review["verdict"] == "none") == (not why)
    assert trial.record["user_notes"]["faults"] == []
    assert json.dumps(review)
