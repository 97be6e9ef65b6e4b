"""A model that looks at the users of failed conversations, against a model server."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from model_server import Answer, ModelServer, calls, fault, message, text
from pantry import scenario
from played_users import MODEL, PANTRY, agent, ended, said

from pytest_toolsandbox import Trial, play_trial
from pytest_toolsandbox.records.record import record_schema
from pytest_toolsandbox.users.simulated.model_user import JUDGE, RUBRIC, ModelUser, Reviewer

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm")

UTTERANCE = "Then shut the door, please."
REVIEWER = Reviewer("openai/gpt-4o-mini")


def judged(verdict: str, utterance: str = "", why: str = "") -> Answer:
    return calls((JUDGE, {"verdict": verdict, "utterance": utterance, "why": why}))


def failed(server: ModelServer, *answers: Answer, retries: int = 0) -> Trial:
    """Play a conversation whose agent never shuts the door, then answer the reviewer."""
    server.will(said(UTTERANCE, "door"), ended(), *answers)
    user = ModelUser(MODEL, retries=retries, reviewer=REVIEWER)
    return play_trial(scenario(PANTRY), agent("It is open."), user)


@pytest.mark.parametrize("verdict", ["hallucination", "instruction_following"])
def test_a_fault_that_it_finds_makes_a_failure_inconclusive(
    model_server: ModelServer, verdict: str
) -> None:
    trial = failed(model_server, judged(verdict, "shut the door", "Nobody told it so."))
    assert (trial.outcome, trial.cause) == ("inconclusive", "user")
    assert trial.reason == (
        "inconclusive: it failed after the user had hindered the agent: the user was at fault by "
        "its review, in 'shut the door'"
    )
    (found,) = trial.record["user_notes"]["faults"]
    assert found == {
        "kind": "reviewed",
        "told": "Nobody told it so.",
        "utterance": "shut the door",
        "left": True,
        "effect": "hindered",
        "published": verdict,
    }
    Draft202012Validator(record_schema()).validate(trial.record)


def test_the_conversation_is_played_again(model_server: ModelServer) -> None:
    again = (said(UTTERANCE, "door"), ended(), judged("none"))
    verdict = judged("hallucination", UTTERANCE, "It has no door.")
    trial = failed(model_server, verdict, *again, retries=1)
    assert trial.outcome == "failed"
    assert trial.record["user_notes"]["conversations"] == 2


def test_what_it_is_shown(model_server: ModelServer) -> None:
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


def test_what_passed_is_not_looked_at(model_server: ModelServer) -> None:
    model_server.will(said(UTTERANCE, "door"), ended())
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
def test_a_failure_stays_one_without_a_fault(
    model_server: ModelServer, answer: Answer, why: str
) -> None:
    trial = failed(model_server, answer)
    assert trial.outcome == "failed"
    review = trial.record["user_notes"]["review"]
    assert why in review["why"]
    assert (review["verdict"] == "none") == (not why)
    assert trial.record["user_notes"]["faults"] == []
    assert json.dumps(review)
