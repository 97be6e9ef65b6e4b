"""``toolsandbox import bfcl``: what comes of the published entries, and what damage is named."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from published_bfcl import ENTRIES, MORE, entry, write_data, write_package

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.bfcl.scenarios import read_published
from pytest_toolsandbox.authoring.bfcl.world import bfcl_world
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.yaml12 import read_yaml
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.worlds import world as worlds
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.state import plain


@pytest.fixture(autouse=True)
def _nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the world and the package of the test, and an installed package of that name."""
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))
    for name in [name for name in sys.modules if name.partition(".")[0] == "bfcl_eval"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the data; the package that it is in can be imported."""
    monkeypatch.chdir(tmp_path)
    folder = write_package(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "bfcl_eval"]:
        del sys.modules[name]


def scenario_of(data: Path, name: str) -> Scenario:
    files = read_published(data, read_file).files
    content = next(text for file, text in files.items() if file.endswith(f"/{name}.scenario.yaml"))
    (scenario,) = read_file(content, name, name)
    return scenario


def played(scenario: Scenario, *turns: list[Any]) -> Trial:
    """Play an agent that makes the calls of each turn, one after the other, and says Done."""

    def agent(messages: list[dict[str, Any]], _tools: Any) -> Any:
        users = [place for place, message in enumerate(messages) if message["role"] == "user"]
        calls = turns[len(users) - 1]
        made = sum(message["role"] == "assistant" for message in messages[users[-1] :])
        if made == len(calls):
            return "Done."
        ((name, arguments),) = calls[made].items()
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"content": None, "tool_calls": [{"id": f"c{len(messages)}", "function": function}]}

    return play_trial(scenario, agent)


def test_the_files_of_an_import(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "bfcl", str(data.parent.parent), "bfcl"]) == 0
    assert capsys.readouterr().out == (
        "wrote 2 scenarios: bfcl/base\n"
        "wrote 2 scenarios: bfcl/miss_func\n"
        "wrote 1 scenario: bfcl/miss_param\n"
        "wrote 1 scenario: bfcl/long_context\n"
        "wrote the world bfcl: bfcl/conftest.py, bfcl/tools.json\n"
        "the ground truth of 1 is disputed: -m 'not known_fault' leaves them out\n"
        "next: pytest --agent=oracle bfcl\n"
    )
    file = Path("bfcl/miss_func/multi_turn_miss_func_0.scenario.yaml")
    written, _ = read_yaml(file.read_bytes(), "it")
    assert written == {
        "summary": "multi_turn_miss_func_0",
        "categories": ["miss_func"],
        "tags": ["Shelf"],
        "world": {
            "name": "bfcl",
            "with": {
                "classes": ["Shelf"],
                "initial_config": {"Shelf": {"boards": {"top": "Tea.", "low": "Rice."}}},
            },
        },
        "tools": ["go", "read", "write", "break_down"],
        "offered_from": {"write": 2},
        "user": {"turns": ["Write 'Salt.' on the low board.", MORE]},
        "max_steps": 20,
        "max_messages": 800,
        "guardrails": "none",
        "milestones": {
            "call_in_2": {"turn": 2, "tried": "any", "guardrails": "none"},
            "turn_2": {
                "turn": 2,
                "ends_as": "ground_truth",
                "results": "ground_truth",
                "guardrails": "none",
            },
        },
        "solutions": {
            "ground_truth": [
                {"say": "I cannot do that yet."},
                {"write": {"text": "Salt.", "board": "low"}},
                {"say": "Done."},
            ]
        },
        "counterexamples": {"calls_nothing": [{"say": "Done."}, {"say": "Done."}]},
    }
    tools = bfcl_world(Path("bfcl/tools.json")).tools
    assert tools["add"].schema["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "a": {"type": "number", "description": "The a."},
            "b": {"description": "The b."},
        },
        "required": ["a", "b"],
    }
    assert main(["import", "bfcl", str(data), "bfcl"]) == 1
    assert "bfcl already exists, and is not empty" in capsys.readouterr().err


def test_a_function_that_is_called_before_it_is_added(data: Path) -> None:
    scenario = scenario_of(data, "multi_turn_miss_func_1")
    assert scenario.task.offered_from == {"read": 2, "go": 3}


NAMES = [
    *(f"multi_turn_{category}_0" for category in ENTRIES),
    *("multi_turn_base_4", "multi_turn_miss_func_1"),
]


@pytest.mark.parametrize("name", NAMES)
def test_every_ground_truth_passes(name: str, data: Path) -> None:
    scenario = scenario_of(data, name)
    trial = play_trial(scenario, oracle(scenario))
    assert (trial.reason, trial.outcome) == (None, "passed")


GO: dict[str, Any] = {"go": {"board": "low"}}
READ: dict[str, Any] = {"read": {}}
SALT = {"write": {"text": "Salt."}}
OTHER_TEXT, OTHER_BOARD = {"write": {"text": "Oats."}}, {"write": {"text": "Salt.", "board": "top"}}


@pytest.mark.parametrize(
    ("turns", "missed"),
    [
        ([[GO], [READ], [SALT]], []),
        ([[GO], [READ], [OTHER_TEXT, SALT, SALT]], []),  # the end of the turn counts
        ([[READ, GO], [READ], [SALT]], ["turn_1", "turn_2", "turn_3"]),  # seen is public
        ([[], [GO, READ], [SALT]], ["turn_1"]),
        ([[GO], [READ], [OTHER_TEXT]], ["turn_3"]),
        ([[GO], [READ], [OTHER_BOARD]], ["turn_3"]),
        ([[GO], [READ, SALT], []], ["turn_2", "call_in_3"]),  # the right state, and no call
        ([[GO], [READ], [{"break_down": {}}, {"write": {}}, SALT]], []),  # both are only texts
        ([[GO], [READ], [{"no_tool": {}}, SALT]], []),
    ],
)
def test_the_verdict_by_turns(turns: list[Any], missed: list[str], data: Path) -> None:
    trial = played(scenario_of(data, "multi_turn_base_0"), *turns)
    assert trial.reason is None
    reached = {event["name"] for event in trial.record["milestones"] if not event["reached"]}
    assert sorted(reached) == sorted(missed)
    assert trial.outcome == ("failed" if missed else "passed")


def test_exceptions_and_objects_are_what_bfcl_shows(data: Path) -> None:
    turns: list[Any] = [[{"break_down": {}}, {"write": {"tex": "x"}}, SALT], [], []]
    trial = played(scenario_of(data, "multi_turn_base_0"), *turns)
    contents = [m.content for m in trial.messages if m.trace and m.call and m.call.name != "end"]
    assert contents[0] == '"Error during execution: It broke."'
    assert contents[1].startswith('"Error during execution: Shelf.write() got an unexpected')
    assert json.loads(contents[2]) == {"1": "written"}
    (row,) = trial.trajectory.states[-1]["Shelf"]
    assert plain(row) == {
        "boards": {
            "top": {"file": "book", "content": "Salt."},
            "low": {"file": "book", "content": "Rice."},
        },
        "owner": None,
        "seen": [],
    }


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"truth": [["fly()"]]}, ":1: no class of the entry has 'fly': fly()"),
        ({"truth": [["go('low'"]]}, ":1: a call cannot be read: go('low'"),
        ({"truth": [["go(read())"]]}, ":1: an argument is not a plain value: go(read())"),
        ({"truth": [["a.go()"]]}, ":1: this is not a call of a function: a.go()"),
        ({"truth": []}, ":1: it has 1 turns, and 0 in its ground truth"),
    ],
)
def test_damage_is_named_with_its_line(
    change: dict[str, Any], problem: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(data, {**ENTRIES, "base": [entry(0, ["Hello."], change["truth"])]})
    assert main(["import", "bfcl", str(data), "bfcl"]) == 1
    file = data / "BFCL_v4_multi_turn_base.json"
    assert capsys.readouterr().err == f"{file}{problem}\nnothing was written\n"
    assert not Path("bfcl").exists()


def test_what_is_not_there(
    tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["import", "bfcl", str(tmp_path / "site" / "bfcl_eval" / "constants"), "x"]) == 1
    assert "expected a folder with BFCL_v4_multi_turn_base.json" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "bfcl_eval", None)
    assert main(["import", "bfcl", str(data), "x"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("the world 'bfcl' needs bfcl-eval, which cannot be imported (")
    assert "pip install --no-deps bfcl-eval" in error
    with pytest.raises(WorldError, match=r"absent\.json: cannot be read"):
        bfcl_world(tmp_path / "absent.json")
