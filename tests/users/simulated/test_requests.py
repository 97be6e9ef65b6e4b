"""What the model user is sent, message by message: the page ``requests.yaml`` beside this one."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from model_server import ModelServer, text
from pantry import scenario
from played_users import MODEL, ended, utterance

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.language.roles import Manner
from pytest_toolsandbox.users.simulated.model_user import ModelUser
from pytest_toolsandbox.users.simulated.toolsandbox_prompt import Prompt

pytestmark = pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")

PAGE = yaml.safe_load(Path(__file__).with_name("requests.yaml").read_text(encoding="utf-8"))
LOOK = {"id": "1", "type": "function", "function": {"name": "list_items", "arguments": "{}"}}


def agent(messages: list[dict[str, Any]], _tools: Any) -> Any:
    """Call a tool in the first turn, which no user is shown, and say something in both."""
    if len(messages) == 2:
        return {"role": "assistant", "content": "One moment.", "tool_calls": [LOOK]}
    return "It is open." if messages[-1]["role"] == "tool" else "It is shut."


def sent(server: ModelServer, user: ModelUser, utterance: Any) -> list[dict[str, Any]]:
    """Return the requests of a conversation in which the user speaks once, and ends it."""
    server.will(utterance, ended())
    trial = play_trial(scenario(PAGE["scenario"]), agent, user)
    assert trial.outcome == "passed", trial.reason
    assert trial.notes is not None
    assert (trial.notes.utterances, trial.notes.asked_again) == (2, 0)
    return [dict(request.body) for request in server.requests]


def messages(page: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for entry in page for role, text in entry.items()]


@pytest.mark.parametrize("prompt", get_args(Prompt))
def test_the_paper_s_user(prompt: Prompt, model_server: ModelServer) -> None:
    page = PAGE["paper"]
    dialogue = [
        {role: page["instruction"] + text if role == "system" else text}
        for entry in page["before"][prompt]
        for role, text in entry.items()
    ]
    first = {"model": "gpt-4o", "messages": messages([*dialogue, *page["first"]])}
    second = {**first, "messages": messages([*dialogue, *page["first"], *page["second"]])}
    asked = sent(
        model_server, ModelUser(MODEL, style="paper", prompt=prompt), text("Then shut the door.")
    )
    assert asked == [{**request, "tools": page["tools"]} for request in (first, second)]


@pytest.mark.parametrize("manner", get_args(Manner))
def test_the_user_that_speaks_through_tools(manner: Manner, model_server: ModelServer) -> None:
    page = PAGE["tools"]
    system = {"system": page["instruction"] + page["manners"][manner] + "\n"}
    asked = sent(
        model_server,
        ModelUser(MODEL, style=manner),
        utterance("Then shut the door.", "door", "key"),
    )
    assert asked == [
        {
            "model": "gpt-4o",
            "messages": messages([system, {"user": page[turn]}]),
            "tools": page["offered"],
            "tool_choice": "required",
        }
        for turn in ("first", "second")
    ]
