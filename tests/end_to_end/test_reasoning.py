"""What a model thinks goes back to it alone; records and cassettes have what they need of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import pytest
from desk import LIGHT, Suite
from model_server import KEY, Answer, ModelServer, Request, calls, message
from servers.chat_completions import DEEPSEEK
from servers.strict import StrictServer, Turn

pytestmark = [
    pytest.mark.any_pytest,
    pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx"),
]

SCENARIO = LIGHT.replace(
    "{opening: Turn on the light.}",
    "{opening: Turn on the light., goals: {light: Have the light on.}}",
)
THOUGHT = "I wonder about planted-secret-1."
CONFTEST = """
from pytest_toolsandbox import ModelAgent

@pytest.fixture(scope="session")
def agent():
    return ModelAgent("deepseek/deepseek-reasoner", 60, {parameters})
"""
RUN = ("--sandbox-user=openai/gpt-4o", "--sandbox-judge=openai/gpt-4o")
RESULTS = "--sandbox-results=results.jsonl"


def acts(body: Mapping[str, Any]) -> Turn:
    """Switch the lamp twice, then say so."""
    results = sum(message["role"] == "tool" for message in body["messages"])
    if results < 2:
        return Turn(calls=(("switch_lamp", {"on": True}),), thought=f"{THOUGHT} {results}")
    return Turn("The lamp shines, it is on.", thought=f"{THOUGHT} {results}")


def answer_to_others(request: Request) -> Answer:
    """Play the user, who thinks too, and the judge."""
    names = [tool["function"]["name"] for tool in request.body.get("tools", ())]
    if "judge_words" in names:
        opinion = {"notes": [], "why": "So.", "verdict": "right", "quote": "", "against": ""}
        return calls(("judge_words", {**opinion, "missing": ""}))
    function = {"name": "end_conversation", "arguments": '{"reason": "done"}'}
    call = {"id": "c", "type": "function", "function": function}
    thinking = {"reasoning_content": "I play the user."}
    return message({"role": "assistant", "content": None, "tool_calls": [call], **thinking})


@pytest.fixture
def agent(light: Suite, monkeypatch: pytest.MonkeyPatch) -> Iterator[StrictServer]:
    """The server of an agent that thinks, which a suite's fixture asks."""
    monkeypatch.setenv("SOME_TOKEN", "planted-secret-1")
    light.write("light.scenario.yaml", SCENARIO)
    with StrictServer(DEEPSEEK, acts) as server:
        parameters = {"api_base": server.base_url, "api_key": KEY}
        light.conftest(CONFTEST.format(parameters=parameters))
        yield server


@pytest.fixture
def people(server: ModelServer) -> ModelServer:
    """The server of the user and the judge."""
    server.will_say(answer_to_others)
    return server


def records(suite: Suite) -> list[dict[str, Any]]:
    """Return the records, without wall times, of a file that is taken away."""
    text = (suite.path / "results.jsonl").read_text()
    (suite.path / "results.jsonl").unlink()
    times = {"latency", "waited", "duration", "run"}
    return [
        json.loads(line, object_hook=lambda o: {n: o[n] for n in o if n not in times})
        for line in text.splitlines()
    ]


def test_nobody_else_sees_what_a_model_thinks(
    light: Suite, agent: StrictServer, people: ModelServer
) -> None:
    light.run_apart(*RUN, RESULTS).assert_outcomes(passed=1)
    assert agent.thoughts() == [f"{THOUGHT} 0", f"{THOUGHT} 1"]
    assert people.requests
    assert all("wonder" not in json.dumps(request.body) for request in people.requests)
    (record,) = records(light)
    assert record["reasoning"] == [{"message": place} for place in (2, 4, 6)]
    assert "wonder" not in json.dumps(record)
    assert "I play the user" not in json.dumps(record)


def test_what_is_kept_has_no_secret(light: Suite, agent: StrictServer, people: ModelServer) -> None:
    light.ini("sandbox_keep_reasoning = true")
    light.run_apart(*RUN, RESULTS).assert_outcomes(passed=1)
    (record,) = records(light)
    texts = [f"I wonder about ***. {number}" for number in range(3)]
    assert [place["text"] for place in record["reasoning"]] == texts
    assert len(agent.requests) == 3
    assert people.requests


def test_a_replay_has_the_same_thoughts(
    light: Suite, agent: StrictServer, people: ModelServer
) -> None:
    arguments = (*RUN, RESULTS, "--sandbox-keep-reasoning")
    light.run_apart(*arguments, "--sandbox-record=all").assert_outcomes(passed=1)
    recorded = records(light)
    (cassette,) = light.path.rglob("*.cassette.yaml")
    text = cassette.read_text()
    assert text.count("reasoning_content: I wonder about ***. 0") == 1
    assert "planted-secret-1" not in text
    assert "I play the user" not in text
    assert agent.thoughts() == [f"{THOUGHT} 0", f"{THOUGHT} 1"]
    asked = len(agent.requests), len(people.requests)
    light.run_apart(*arguments, "--sandbox-record=replay").assert_outcomes(passed=1)
    assert records(light) == recorded
    light.run_apart(*arguments, "--sandbox-record=new").assert_outcomes(passed=1)
    assert records(light) == recorded
    assert cassette.read_text() == text
    assert (len(agent.requests), len(people.requests)) == asked


OWN = """
def build():
    def agent(messages, tools):
        if messages[-1]["role"] == "tool":
            own = messages[-2]
            assert own["content"][0]["signature"] == "abc", own
            assert own["content"][1]["id"] == messages[-1]["tool_call_id"] == "toolu_1"
            return "The lamp is on."
        thought = {"type": "thinking", "thinking": "Hm.", "signature": "abc"}
        call = {"type": "tool_use", "id": "toolu_1", "name": "switch_lamp", "input": {"on": True}}
        return {"role": "assistant", "content": [thought, call]}
    return agent
"""


def test_an_agent_of_ones_own_is_recorded_with_its_thoughts(light: Suite) -> None:
    light.write("own.py", OWN)
    arguments = ("--agent=own:build", RESULTS, "--sandbox-keep-reasoning")
    light.run(*arguments, "--sandbox-record=new").assert_outcomes(passed=1)
    recorded = records(light)
    assert recorded[0]["reasoning"] == [{"message": 2, "text": "Hm."}]
    (light.path / "own.py").unlink()
    light.run(*arguments, "--sandbox-record=replay").assert_outcomes(passed=1)
    assert records(light) == recorded
