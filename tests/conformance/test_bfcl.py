"""The published entries of BFCL pass as imported, and trajectories get the verdicts of its checker.

``TOOLSANDBOX_BFCL`` names the data, for which ``bfcl-eval`` must be installed, and
``TOOLSANDBOX_CONFORMANCE`` a folder with a ``bfcl.json``.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.bfcl.scenarios import read_published
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.runs.trial import play_trial

DATA, CASES = "TOOLSANDBOX_BFCL", "TOOLSANDBOX_CONFORMANCE"
DIFFERING: Mapping[str, str] = {
    "multi_turn_miss_func_163/done_before_and_again/704": (
        "a call of a function that is not offered yet is refused here, and executed there"
    ),
}
"""Trajectory → why our verdict is another one."""


@pytest.fixture(scope="module")
def scenarios() -> dict[str, Scenario]:
    """The scenarios of all entries."""
    folder = os.environ.get(DATA)
    if not folder or importlib.util.find_spec("bfcl_eval") is None:
        pytest.skip(f"no entries: {DATA} must name BFCL's data, and bfcl-eval be installed")
    read: dict[str, Scenario] = {}

    def load(content: bytes, name: str, file: str) -> None:
        (read[name],) = read_file(content, name, file)

    imported = read_published(Path(folder), load)
    assert imported.damage == []
    return read


def test_every_ground_truth_passes(scenarios: Mapping[str, Scenario]) -> None:
    trials = (play_trial(scenario, oracle(scenario)) for scenario in scenarios.values())
    failed = {trial.identifier: trial.reason for trial in trials if trial.outcome != "passed"}
    assert len(scenarios) == 800
    assert failed == {}


def test_verdicts_are_those_of_the_checker(scenarios: Mapping[str, Scenario]) -> None:
    folder = os.environ.get(CASES)
    if not folder:
        pytest.skip(f"no trajectories: {CASES} names no folder with a bfcl.json")
    cases = json.loads(Path(folder, "bfcl.json").read_bytes())["trajectories"]
    differing = [case["id"] for case in cases if passes(case, scenarios) != case["valid"]]
    assert differing == [case["id"] for case in cases if case["id"] in DIFFERING]


def passes(case: Mapping[str, Any], scenarios: Mapping[str, Scenario]) -> bool:
    """Whether an agent that makes the calls of a trajectory passes; in a turn less it says no."""

    def agent(messages: list[dict[str, Any]], _tools: Any) -> Any:
        users = [place for place, message in enumerate(messages) if message["role"] == "user"]
        turns = case["turns"]
        steps = [step for step in turns[len(users) - 1] if step] if len(users) <= len(turns) else []
        made = sum(message["role"] == "assistant" for message in messages[users[-1] :])
        if made == len(steps):
            return "Done."
        calls = enumerate(map(named, steps[made]))
        return {
            "content": None,
            "tool_calls": [
                {"id": f"call-{len(messages)}-{place}", "function": function}
                for place, function in calls
            ],
        }

    trial = play_trial(scenarios[case["entry"]], agent)
    assert trial.reason is None
    return trial.outcome == "passed"


def named(call: Any) -> dict[str, str]:
    """Return the name and the arguments of a call; one that is no call of a class is its text."""
    if isinstance(call, dict):
        return {"name": call["text"].partition("(")[0], "arguments": "{}"}
    name, arguments = call
    return {"name": name, "arguments": json.dumps(arguments)}
