"""Users in words of their own say, or are read to say, whether they agree to a call."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from model_server import ModelServer, calls
from pantry import scenario
from played_users import MODEL, ended

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.records.reading import stored_trajectory
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.runs.forking import fork_at
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.results import CriterionOpinion, Opinion
from pytest_toolsandbox.users.simulated.model_user import ModelUser

TEXT = """
user:
  opening: Take the salt out.
  goal: Have the salt taken out.
consent: {remove_item: [name]}
milestones: {out: {call: {remove_item: {name: salt}}}}
solutions: {s: [{say: Shall I take out the salt?}, {remove_item: {name: salt}}, {say: Done.}]}
counterexamples: {c: [{say: No.}]}
"""


def scene() -> Scenario:
    return scenario(TEXT)


@pytest.fixture
def model_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as server, requests_in(RequestContext(retries=0)):
        server.replace_openai(monkeypatch)
        yield server


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
@pytest.mark.parametrize(("agrees", "passes"), [("yes", True), ("no", False)])
def test_a_model_says_whether_it_agrees(
    model_server: ModelServer, agrees: str, passes: bool
) -> None:
    answer = {"text": "Fine by me.", "goal": "goal", "uses": [], "agrees": agrees}
    model_server.will(calls(("reply", answer)), ended())
    trial = play_trial(scene(), oracle(scene()), ModelUser(MODEL))
    assert trial.outcome == ("passed" if passes else "failed"), trial.reason
    offered = model_server.requests[0].body["tools"][0]["function"]["parameters"]["properties"]
    assert "agrees" in offered
    assert trial.record["agreements"] == [{"message": 3, "agrees": passes}]
    record: Any = read_record(trial.record)
    assert evaluate(scene(), stored_trajectory(record, scene())).passed is passes


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
def test_a_fork_keeps_what_a_model_agreed_to(model_server: ModelServer) -> None:
    answer = {"text": "Fine by me.", "goal": "goal", "uses": [], "agrees": "yes"}
    model_server.will(calls(("reply", answer)), ended(), ended())
    recorded = play_trial(scene(), oracle(scene()), ModelUser(MODEL)).trajectory
    fork = fork_at(recorded, 6, scene(), "The salt is out.")
    trial = fork.played(scene(), lambda: play_trial(scene(), oracle(scene()), ModelUser(MODEL)))
    assert trial.outcome == "passed", trial.reason
    assert trial.messages[6].content == "The salt is out."
    assert trial.trajectory.agreements == recorded.agreements


class Reader:
    """A judge that finds every criterion met, or none."""

    name = "reader"
    asked: Any = None

    def __init__(self, *, met: bool) -> None:
        self.met = met
        self.criteria: list[str] = []

    def opinion(self, scenario: Scenario, trajectory: Any) -> Opinion:
        del trajectory
        self.criteria += scenario.criteria.texts
        opinions = (CriterionOpinion(text, self.met, why="so") for text in self.criteria)
        return Opinion("right", criteria=tuple(opinions))


def own_user(messages: list[dict[str, Any]]) -> str | None:
    """Say one thing in words of its own, and leave."""
    spoken = sum(message["role"] == "user" for message in messages)
    return "Hm, whatever." if spoken == 1 else None


@pytest.mark.parametrize("met", [True, False])
def test_a_judge_reads_whether_other_users_agree(*, met: bool) -> None:
    judge = Reader(met=met)
    trial = play_trial(scene(), oracle(scene()), own_user, judge=judge)
    assert trial.outcome == ("passed" if met else "failed")
    (criterion,) = judge.criteria
    assert criterion.startswith("The assistant makes call [1], remove_item, only after the user")


def test_without_a_judge_the_words_count_as_consent_and_are_not_read() -> None:
    trial = play_trial(scene(), oracle(scene()), own_user)
    assert trial.outcome == "passed"
    assert trial.record["words"] == "not_judged"
    assert play_trial(scene(), oracle(scene())).outcome == "failed"  # its script agrees to nothing
