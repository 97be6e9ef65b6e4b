"""The published tasks of tau2-bench pass as imported, and trajectories get its verdicts.

``TOOLSANDBOX_TAU2`` names the data, for which ``tau2`` must be installed, and
``TOOLSANDBOX_CONFORMANCE`` a folder with a ``tau2.json``.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections import Counter, deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.tau2.scenarios import read_published
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.runs.trial import play_trial

DATA, CASES = "TOOLSANDBOX_TAU2", "TOOLSANDBOX_CONFORMANCE"

LEAST = {"mock": 9, "airline": 50, "retail": 113, "telecom": 114}
"""Domain → how many of its tasks are scenarios, at least."""
DIFFERING = dict.fromkeys(
    ("355", "417", "429", "456", "473", "483"),
    "the user calls the handoff, which is a tool of the agent: refused here, and counted there",
)
"""Number of a trajectory → why our verdict is another one."""


@pytest.fixture(scope="module")
def scenarios() -> dict[tuple[str, str], Scenario]:
    """The scenarios of all tasks, by domain and identifier."""
    folder = os.environ.get(DATA)
    if not folder or importlib.util.find_spec("tau2") is None:
        pytest.skip(f"no tasks: {DATA} must name tau2's data, and tau2 be installed")
    read: dict[str, Scenario] = {}

    def load(content: bytes, name: str, file: str) -> None:
        (read[file],) = read_file(content, name, file)

    imported = read_published(Path(folder), load)
    assert imported.damage == []
    return {task: read[file] for task, file in imported.tasks.items()}


def test_every_reference_passes(scenarios: Mapping[tuple[str, str], Scenario]) -> None:
    solved = [scenario for scenario in scenarios.values() if scenario.solutions]
    trials = (play_trial(scenario, oracle(scenario)) for scenario in solved)
    failed = {trial.identifier: trial.reason for trial in trials if trial.outcome != "passed"}
    assert Counter(domain for domain, _ in scenarios) >= Counter(LEAST)
    assert failed == {}


def test_verdicts_are_those_of_the_evaluators(
    scenarios: Mapping[tuple[str, str], Scenario],
) -> None:
    folder = os.environ.get(CASES)
    if not folder:
        pytest.skip(f"no trajectories: {CASES} names no folder with a tau2.json")
    cases = json.loads(Path(folder, "tau2.json").read_bytes())["trajectories"]
    compared = [case for case in cases if (case["domain"], case["task"]) in scenarios]
    differing = [case["id"] for case in compared if outcome(case, scenarios) != expected(case)]
    assert {identifier.rpartition("/")[2] for identifier in differing} == {*DIFFERING}


def expected(case: Mapping[str, Any]) -> str:
    return "passed" if case.get("reward_without_nl") else "failed"


def outcome(case: Mapping[str, Any], scenarios: Mapping[tuple[str, str], Scenario]) -> str:
    """Return the outcome if agent and user make the calls of a trajectory in their order."""
    scenario = scenarios[case["domain"], case["task"]]
    of_user = scenario.world.user_tools
    calls = deque(c for c in case["calls"] if c["by"] == "assistant" or c["tool"] in of_user)
    texts = deque(case.get("texts", ()))

    def agent(_messages: Any, _tools: Any) -> Any:
        if calls and calls[0]["by"] == "assistant":
            return {"content": None, "tool_calls": [requested(calls.popleft())]}
        return "." if calls or not texts else texts.popleft()

    def user(messages: Any) -> Any:
        del messages
        if calls and calls[0]["by"] == "user":
            return {"role": "user", "content": None, "tool_calls": [requested(calls.popleft())]}
        return "." if calls or texts else None

    return play_trial(scenario, agent, user).outcome


def requested(call: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": call["tool"], "arguments": json.dumps(call["arguments"])}
    return {"id": f"call-{id(call)}", "type": "function", "function": function}
