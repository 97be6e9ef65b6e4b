"""``toolsandbox pick`` and the difficulty in ``toolsandbox stats``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_toolsandbox.__main__ import main

SUITE = """
world: phone
user: {opening: Turn the wifi off.}
milestones: {off: {call: set_wifi_status}}
solutions: {s: [set_wifi_status: {on: false}, say: Done.]}
counterexamples: {c: [say: No.]}
scenarios:
  easy: {difficulty: {passed: 9, played: 10, by: [two agents]}, categories: [single_tool_call]}
  hard: {difficulty: {passed: 0, played: 20}}
  open: {difficulty: {passed: 3, played: 10}}
  unknown: {}
"""


def played(pytester: pytest.Pytester, name: str, wrong: str) -> Path:
    """Play the suite with an agent that does the scenarios wrong whose names are given."""
    file = pytester.path / f"{name}.jsonl"
    pytester.runpytest("--agent=oracle", f"--sandbox-results={file}", "-q")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["agent"] = line["agent_settings"]["name"] = name
        if line["scenario"] in wrong.split():
            line["outcome"] = "failed"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return file


def test_the_ids_are_arguments_of_pytest(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makefile(".scenario.yaml", suite=SUITE)
    files = [
        played(pytester, "strong", "hard"),
        played(pytester, "weak", "hard open easy"),
        played(pytester, "middling", "hard open"),
    ]
    capsys.readouterr()
    assert main(["pick", "--budget=2", *map(str, files)]) == 0
    output = capsys.readouterr()
    ids = output.out.splitlines()
    assert ids == ["suite.scenario.yaml::easy", "suite.scenario.yaml::open"]
    assert output.err.startswith("2 of 4 items that strong, weak, middling have played; separation")
    pytester.runpytest("--agent=oracle", *ids).assert_outcomes(passed=2)
    capsys.readouterr()
    assert main(["pick", "--budget=1", str(files[0])]) == 0
    output = capsys.readouterr()
    assert "they were played by strong alone" in output.err
    assert len(output.out.splitlines()) == 1


def test_nothing_in_common_is_an_error(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makefile(".scenario.yaml", suite=SUITE)
    strong, weak = played(pytester, "strong", ""), played(pytester, "weak", "")
    weak.write_text(weak.read_text("utf-8").replace("suite.", "other."), encoding="utf-8")
    assert main(["pick", "--budget=2", str(strong), str(weak)]) == 1
    assert "there is no item that all agents have played" in capsys.readouterr().err


def test_stats_show_the_spread_and_what_trials_can_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "suite.scenario.yaml"
    file.write_text(SUITE, encoding="utf-8")
    assert main(["stats", str(file)]) == 0
    shown = capsys.readouterr().out.partition("\nDifficulty")[2].splitlines()
    rows = {line.split("  ")[0]: line.split()[-8:] for line in shown[2:4]}
    assert rows == {
        "single_tool_call": ["1", "10", "0.900", "0", "0", "1", "0", "0.000"],
        "all scenarios": ["3", "40", "0.400", "1", "1", "1", "0", "0.374"],
    }
    assert any(line.startswith("The smallest drop that trials show") for line in shown)
    assert any(line.startswith("drop of the pass rate") for line in shown)


@pytest.mark.parametrize(
    ("difficulty", "mistake"),
    [
        ("{passed: 11, played: 10}", "11 of 10 trials cannot have passed"),
        ("{passed: 1}", "played"),
        ("{passed: 0, played: 0}", "expected a whole number from 1 on"),
    ],
)
def test_mistakes(
    difficulty: str, mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "suite.scenario.yaml"
    file.write_text(SUITE.replace("{passed: 3, played: 10}", difficulty), encoding="utf-8")
    assert main(["stats", str(file)]) == 1
    assert mistake in "".join(capsys.readouterr())
