"""Users that are played by instructions, and begin in their own words."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from model_server import ModelServer, text
from pantry import played, scenario
from played_users import MODEL, ended, utterance
from rows import every

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.users.human import HumanUser
from pytest_toolsandbox.users.simulated.model_user import ModelUser, _question

TEXT = "You want tea in the pantry. Be curt, and never say please."
GREETED = f"""
protected: none
HISTORY
user: {{instructions: "{TEXT}"}}
ends_as: plain
milestones: {{done: {{turn: 1, says: {{mentions: tea}}}}}}
solutions: {{plain: [add_item: {{name: tea}}, say: The tea is there.]}}
counterexamples: {{idle: [say: The tea is there.]}}
"""
GREETING = 'history: [{agent: "Hi! How can I help?"}]'


def greeted(history: str = GREETING) -> Any:
    return scenario(GREETED.replace("HISTORY", history))


def spoken(trajectory: Trajectory) -> list[tuple[str, str]]:
    spoken = (m for m in trajectory.messages if m.call is None and m.sender is not Role.SYSTEM)
    return [(message.sender.value, message.content) for message in spoken]


@pytest.mark.parametrize("history", [GREETING, ""])
def test_a_script_begins_with_what_it_wants(history: str) -> None:
    scene = greeted(history)
    trajectory = played(scene)
    before = [("agent", "Hi! How can I help?")] if history else []
    assert spoken(trajectory) == [*before, ("user", TEXT), ("agent", "The tea is there.")]
    assert evaluate(scene, trajectory).passed


@pytest.mark.parametrize("history", [GREETING, ""])
def test_whoever_plays_the_user_says_the_first_words(history: str) -> None:
    heard: list[list[str]] = []

    def user(messages: list[dict[str, Any]]) -> str | None:
        heard.append([message["content"] for message in messages])
        return None if len(heard) > 1 else "Tea. Now."

    scene = greeted(history)
    trial = play_trial(scene, oracle(scene), user)
    assert trial.outcome == "passed", trial.reason
    assert heard[0] == (["Hi! How can I help?"] if history else [])
    assert ("user", "Tea. Now.") in spoken(trial.trajectory)
    assert len(heard) == 2


def test_a_user_who_leaves_at_once_ends_the_conversation() -> None:
    scene = greeted()
    trial = play_trial(scene, oracle(scene), lambda _: None)
    assert trial.outcome == "failed"
    assert trial.trajectory.calls == ()


@pytest.fixture
def model_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as server, requests_in(RequestContext(retries=0)):
        server.replace_openai(monkeypatch)
        yield server


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
@pytest.mark.parametrize("style", ["plain", "paper"])
def test_a_model_reads_the_instructions(style: Any, model_server: ModelServer) -> None:
    scene, first = greeted(), "I want tea in the pantry."
    begins = text(first) if style == "paper" else utterance(first, "goal")
    model_server.will(begins, ended())
    trial = play_trial(scene, oracle(scene), ModelUser(MODEL, style=style))
    assert trial.outcome == "passed", trial.reason
    asked = [
        "\n".join(str(message["content"]) for message in request.body["messages"])
        for request in model_server.requests
    ]
    assert [prompt.count(TEXT) for prompt in asked] == [1, 1]
    assert ("user", first) in spoken(trial.trajectory)
    if style == "plain":
        assert f"# Your instructions\n{TEXT}" in asked[0]
        assert "- goal (open): See your instructions." in asked[0]
        assert "- goal (asked): See your instructions." in asked[1]


def test_people_and_reviewers_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("pytest_toolsandbox.users.human.check_terminal", lambda: None)
    monkeypatch.setattr("pytest_toolsandbox.users.human.show", lambda *lines: shown.extend(lines))
    HumanUser().begin(greeted())
    assert f"# Your instructions\n{TEXT}" in shown
    assert f"# What the user was told\n{TEXT}" in _question(greeted(), [])


def test_an_opening_may_stand_beside_them() -> None:
    scene = scenario(
        GREETED.replace("HISTORY", "").replace("{instructions", "{opening: Tea!, instructions")
    )
    assert spoken(played(scene))[0] == ("user", "Tea!")


@every(
    ("user", "message"),
    [
        (
            '{instructions: " "}',
            "user.instructions: expected how the user is played; found",
        ),
        ("{goal: Tea.}", "user.opening: this key is missing"),
        ("{instruction: Tea.}", "unknown key 'instruction'; did you mean 'instructions'?"),
        (
            "{instructions: Tea., turns: [Hi.]}",
            "user.instructions: turns has all that the",
        ),
    ],
)
def test_mistakes(user: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(f"user: {user}")
    assert message in str(caught.value)
