"""A fourth protocol is one value and one registration: everything else asks it."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pantry
import pytest
from desk import Suite
from greeting import PROTOCOL, Greet, GreetingProtocol
from jsonschema import Draft202012Validator

from pytest_toolsandbox import Scenario, ScenarioError, play_trial, register_protocol, scripted_user
from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language import protocol as protocols
from pytest_toolsandbox.language.models import QueryDocument
from pytest_toolsandbox.language.schema import language_schema
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.output.pages.record_view import failure_page
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.reading import StoredError, stored_trajectory
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.scoring.judging import judge

SCENE = f"""
    world: {pantry.world.name}
    greeting: Good morning
    word: rice
    tools: [list_items]
    solutions:
      looks: [{{list_items: }}, say: There is rice.]
"""


TOOLS = pantry.world.agent_tools


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the protocol after a test."""
    monkeypatch.setattr(protocols, "_registered", dict(protocols._registered))
    register_protocol(PROTOCOL)


def read(text: str) -> Scenario:
    (only,) = read_file(textwrap.dedent(text).encode(), "test", "test.yaml", {})
    return only


def played(scene: Scenario, agent: Any) -> dict[str, Any]:
    trajectory = converse(scene, agent, scripted_user(scene))
    judgement = judge(scene, trajectory)
    run = Trial("test.yaml::test", 1, agent_record("mine"), scene, trajectory, judgement)
    assert run.summary.items() <= run.record.items()
    return run.record


def test_its_scenarios_are_told_by_its_key() -> None:
    scene = read(SCENE)
    assert scene.task == Greet("Good morning", "rice")
    assert list(scene.solutions) == ["looks"]
    assert scene.has_solution


def test_its_keys_are_checked_as_those_of_others() -> None:
    with pytest.raises(ScenarioError) as caught:
        read("world: pantry\ngreeting: 5\nwrod: rice\nword: ''\ntools: [fly]")
    assert str(caught.value).splitlines() == [
        "test.yaml:2:11: greeting: expected text, found the number 5",
        "test.yaml:3:1: wrod: unknown key 'wrod'; did you mean 'word'?",
        "test.yaml:4:7: word: expected a word, found an empty text",
        f"test.yaml:5:9: tools[0]: unknown tool 'fly' (allowed: {', '.join(TOOLS)})",
    ]


def test_it_is_played_judged_and_recorded() -> None:
    scene = read(SCENE)
    record = dict(played(scene, oracle(scene)))
    assert (record["protocol"], record["outcome"]) == ("greeting", "passed")
    assert record["scores"] == {"score": 1.0}
    assert record["greeting"] == {"word": "rice", "said_at": 4}


def test_a_judge_of_words_is_not_asked_unless_the_protocol_says_how() -> None:
    class Nobody:
        name, asked = "nobody", None

        def opinion(self, scenario: Scenario, trajectory: Any) -> Any:
            raise AssertionError((scenario, trajectory))

    scene = read(SCENE)
    trial = play_trial(scene, oracle(scene), judge=Nobody())
    assert (trial.outcome, trial.record["judge"]) == ("passed", "nobody")
    assert "opinion" not in trial.record
    with pytest.raises(NotImplementedError):
        PROTOCOL.with_opinion(scene, None, None, None)


def test_it_has_a_page() -> None:
    page = failure_page(played(read(SCENE), lambda _messages, _tools: "Salt."))
    assert page.splitlines()[:3] == [
        "score 0 of 1: 'rice' was not said",
        "",
        "  [ 1] user -> agent         Good morning",
    ]


def test_a_record_with_another_greeting_is_not_judged_again() -> None:
    stored: Any = read_record(played(read(SCENE), oracle(read(SCENE))))
    assert len(stored_trajectory(stored, read(SCENE)).messages) == len(stored["messages"])
    with pytest.raises(StoredError, match="the user opens it with other words"):
        stored_trajectory(stored, read(SCENE.replace("Good morning", "Good evening")))


def test_it_has_a_proof() -> None:
    assert prove(read(SCENE)).findings == []
    assert prove(read(SCENE.replace("word: rice", "word: tea"))).findings == [
        "solution 'looks' does not say 'tea'"
    ]


def test_it_is_in_the_json_schema() -> None:
    schema = Draft202012Validator(language_schema())
    assert schema.is_valid({"world": "pantry", "greeting": "Hi", "word": "rice"})
    assert not schema.is_valid({"world": "pantry", "greeting": "Hi", "wrod": "rice"})
    assert schema.is_valid({"world": "pantry", "scenarios": {"a": {"greeting": "Hi"}}})


def test_the_others_are_what_they_were() -> None:
    scene = pantry.scenario("milestones: {greeted: {says: {mentions: rice}}}")
    assert isinstance(scene.task, Milestones)
    with pytest.raises(TypeError) as caught:
        scene.task_as(Greet)
    assert str(caught.value) == "scenario 'test' has the protocol milestones, and not greeting"


class OtherKey(GreetingProtocol):
    name = "other"
    key = "welcome"


class Asking(GreetingProtocol):
    name = "asking"
    key = "query"
    model = QueryDocument


@pytest.mark.parametrize(
    ("protocol", "text"),
    [
        (OtherKey(), "protocol 'other': its model has no key 'welcome'"),
        (
            Asking(),
            "protocol 'asking': the key 'query' is one of the protocol 'query'; take another one",
        ),
    ],
)
def test_a_key_tells_one_protocol(protocol: GreetingProtocol, text: str) -> None:
    with pytest.raises(ValueError, match="protocol") as caught:
        register_protocol(protocol)
    assert str(caught.value) == text


def test_pytest_plays_it_from_a_conftest(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    suite.conftest(
        "from greeting import PROTOCOL\n"
        "from pytest_toolsandbox import register_protocol\n"
        "register_protocol(PROTOCOL)\n"
    )
    desk = SCENE.replace("pantry", "desk").replace("list_items", "read_notes")
    suite.write("a.scenario.yaml", textwrap.dedent(desk))
    suite.write("b.scenario.yaml", textwrap.dedent(desk.replace("word: rice", "word: tea")))
    result = suite.run("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*b - score 0 of 1: 'tea' was not said"])
    assert [record["greeting"]["word"] for record in suite.records()] == ["rice", "tea"]
    result = suite.run("--sandbox-rejudge=results.jsonl")
    result.assert_outcomes(passed=1, failed=1)
    json.dumps(suite.records())
