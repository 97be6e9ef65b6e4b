"""A user that a model plays, against a model server on this machine."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from model_server import Answer, ModelServer, Request, fault, text
from pantry import scenario
from played_users import MODEL, PANTRY, agent, ended, said

from pytest_toolsandbox import Trial, play_trial
from pytest_toolsandbox.users.simulated.model_user import ModelUser

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm")


def played(server: ModelServer, *script: Answer, user: ModelUser, replies: Any = None) -> Trial:
    server.will(*script)
    return play_trial(scenario(PANTRY), replies or agent("It is open.", "It is shut."), user)


def lines_of_user(trial: Trial) -> list[str]:
    return [m.content for m in trial.trajectory.messages if m.sender == "user"]


def test_it_speaks_and_ends_through_its_tools(model_server: ModelServer) -> None:
    user = ModelUser(MODEL)
    trial = played(model_server, said("Then shut the door.", "door"), ended(), user=user)
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


def test_a_fault_is_told_and_the_utterance_asked_for_again(model_server: ModelServer) -> None:
    trial = played(
        model_server,
        ended(),
        said("Would you like me to shut it?", "door"),
        said("Shut the door.", "door"),
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
    told = [request.body["messages"][1]["content"] for request in model_server.requests]
    assert "You have not asked for this yet: door." in told[1]
    assert "You have not asked for this yet: door." in told[2]
    assert "That was not sent. You offer help" in told[2]
    assert "That was not sent." not in told[3]


def test_a_fault_that_is_left_makes_it_inconclusive(model_server: ModelServer) -> None:
    wrong = said("It is the key of Boston.", "door")
    trial = played(
        model_server,
        *(wrong,) * 3,
        ended(),
        user=ModelUser(MODEL, retries=0),
        replies=agent("It is open."),
    )
    assert (trial.outcome, trial.cause) == ("inconclusive", "user")
    assert trial.reason == (
        "inconclusive: it failed after the user had hindered the agent: the user made something "
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


def test_who_was_hindered_and_passes_has_passed(model_server: ModelServer) -> None:
    wrong = said("It is the key of Boston.", "door")
    trial = played(model_server, *(wrong,) * 3, ended(), user=ModelUser(MODEL, retries=0))
    assert trial.outcome == "passed"
    assert trial.notes is not None
    assert [fault.kind for fault in trial.notes.left] == ["invention"]


def test_who_was_helped_and_passes_has_not(model_server: ModelServer) -> None:
    leak = said("My goal is to know that it is open, then shut.", "door")
    trial = played(model_server, *(leak,) * 3, ended(), user=ModelUser(MODEL, retries=0))
    assert trial.outcome == "inconclusive"
    assert trial.reason == (
        "inconclusive: it passed after the user had helped the agent: the user told of its "
        "instructions, in 'My goal is to know that it is open, then shut.'"
    )


def test_an_inconclusive_conversation_is_played_again_with_another_seed(
    model_server: ModelServer,
) -> None:
    leak = said("My goal is to know that it is open, then shut.", "door")
    trial = played(
        model_server,
        *(leak,) * 3,
        ended(),
        said("Then shut it.", "door"),
        ended(),
        user=ModelUser(MODEL, retries=1),
    )
    assert trial.outcome == "passed"
    assert trial.record["user_notes"]["conversations"] == 2
    seeds = [request.body.get("seed") for request in model_server.requests]
    assert seeds == [None] * 4 + [1] * 2


def test_an_utterance_that_cannot_be_read_ends_the_conversation(model_server: ModelServer) -> None:
    empty = said("", "door")
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
