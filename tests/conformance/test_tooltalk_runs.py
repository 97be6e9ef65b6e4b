"""The runs of a folder, and the harness that compares them, on runs of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from published_tooltalk import changed, keys

from pytest_toolsandbox.scoring.tooltalk.rules import PAPER, CallProtocol

from .own_runs import run, total
from .tooltalk_runs import AS_PUBLISHED, CallTotals, differences, judge_runs, main


@pytest.fixture(scope="module")
def published(tooltalk_folders: tuple[Path, Path]) -> tuple[dict[str, Any], Path]:
    """The file of runs, and the folder of conversations."""
    runs, data = tooltalk_folders
    file = runs / "tooltalk_easy_runs.json"
    return json.loads(file.read_text(encoding="utf-8")), data


def test_every_run_and_every_total_agrees(published: tuple[dict[str, Any], Path]) -> None:
    document, data = published
    lines_by_name = dict(differences(document, judge_runs(document, data)))
    assert len(lines_by_name) == len(document["runs"]) + len(document["aggregate"])
    assert {name: differing for name, differing in lines_by_name.items() if differing} == {}


def totals(
    published: tuple[dict[str, Any], Path], predictor: str, protocol: CallProtocol
) -> CallTotals:
    document, data = published
    runs = [run for run in document["runs"] if run["predictor"] == predictor]
    judged = judge_runs(document | {"runs": runs}, data, protocol)
    return CallTotals([judged_run.evaluation for judged_run in judged])


@pytest.mark.parametrize(
    ("predictor", "percentages"),
    [
        ("oracle", "100.0 100.0 100.0 0.0"),
        ("twice", "67.9 50.0 100.0 25.0"),
        ("swap_arg", "39.3 39.3 39.3 33.3"),
        ("extra_action", "0.0 50.0 100.0 60.9"),
        ("missing_first", "100.0 57.1 100.0 0.0"),
    ],
)
def test_success_precision_recall_and_incorrect_action_rate(
    published: tuple[dict[str, Any], Path], predictor: str, percentages: str
) -> None:
    figures = totals(published, predictor, AS_PUBLISHED)
    counts = figures.counts
    rates = [figures.success_rate, counts.precision, counts.recall, counts.bad_action_rate]
    assert " ".join(f"{100 * (rate or 0):.1f}" for rate in rates) == percentages


@pytest.mark.parametrize(
    ("predictor", "protocol", "success"),
    [
        ("oracle", PAPER, 28),
        ("front_loaded", PAPER, 15),  # whose calls are all made in the first turn
        ("other_receiver", AS_PUBLISHED, 28),
        ("other_receiver", CallProtocol("published_code"), 27),
    ],
)
def test_success_where_more_is_asked(
    published: tuple[dict[str, Any], Path], predictor: str, protocol: CallProtocol, success: int
) -> None:
    assert totals(published, predictor, protocol).successes == success


# runs of our own

ALARM = {"time": "07:30:00", "session_token": "token"}
DONE = {"response": {"alarm_id": "1"}, "exception": None}


def called(parameters: Any = None, **more: Any) -> dict[str, Any]:
    call = {"api_name": "AddAlarm", "executed_parameters": parameters or ALARM, **DONE}
    return {**call, "match": True, "bad_action": False, "matched_ground_truth": [1, 0], **more}


WRONG = called(
    {"time": "7:30:00", "session_token": "token"},
    match=False,
    bad_action=True,
    matched_ground_truth=None,
)
UNREAD = called(match=False, matched_ground_truth=None, response=None) | {
    "executed_parameters": None,
    "exception": "Failed to parse API call",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one conversation, in which one alarm is set in the first turn."""
    call = {"request": {"api_name": "AddAlarm", "parameters": ALARM}, **DONE}
    turns = [{"role": "user"}, {"role": "assistant", "apis": [call]}, {"role": "user"}]
    (tmp_path / "easy").mkdir()
    text = json.dumps({"conversation": [*turns, {"role": "assistant"}]})
    (tmp_path / "easy" / "wake_me.json").write_text(text, encoding="utf-8")
    return tmp_path


LATE = run("late", "easy", "Wake me", (3, 1, 1, 3, 1, 1), {1: [WRONG], 3: [UNREAD, called()]})
SILENT = run("silent", "easy", "Wake me", (0, 1, 0, 0, 0, 0), {1: [], 3: []})
NONE = dict.fromkeys(("precision", "action_precision", "bad_action_rate"))
AGREEING = {
    "conversations": {"Wake me": {"file": "easy/wake_me.json"}},
    "runs": [LATE, SILENT],
    "aggregate": {
        "late": total(LATE, bad_planning=1),
        "silent": total(SILENT, bad_planning=1, **NONE),
    },
}


def differing(document: dict[str, Any], folder: Path) -> dict[str, list[str]]:
    differing_lines = differences(document, judge_runs(document, folder))
    return {name: lines for name, lines in differing_lines if lines}


def test_runs_that_agree_have_no_differences(folder: Path) -> None:
    assert differing(AGREEING, folder) == {}


LATE_RUN, SILENT_RUN = ("runs.0", "late Wake me"), ("runs.1", "silent Wake me")
ALL_LATE = ("aggregate.late.easy", "late, all of easy")
ALL_SILENT = ("aggregate.silent.easy", "silent, all of easy")


@pytest.mark.parametrize(
    ("where", "path", "value", "shown", "actual"),
    [
        (LATE_RUN, "turns.0.calls.0.bad_action", False, "calls[0].bad_action", True),
        (LATE_RUN, "turns.1.calls.1.match", False, "calls[2].match", True),
        (
            *(LATE_RUN, "turns.1.calls.1.matched_ground_truth", [3, 0]),
            *("calls[2].matched_ground_truth", [1, 0]),
        ),
        (SILENT_RUN, "ground_truth_match", [True], "ground_truth_match", [False]),
        (SILENT_RUN, "metrics.precision", 0.5, "precision", 0.0),
        (SILENT_RUN, "metrics.success", True, "success", False),
        (ALL_SILENT, "precision", 0.0, "precision", None),
        (ALL_LATE, "error_types.bad call", 1, "bad call", 0),
        (ALL_LATE, "num_conversations", 2, "num_conversations", 1),
        (ALL_LATE, "median", 2, "median", "nothing"),
    ],
)
def test_every_mark_and_figure_is_compared(
    *, where: tuple[str, str], path: str, value: Any, shown: str, actual: Any, folder: Path
) -> None:
    part, name = where
    document = changed(AGREEING, keys(f"{part}.{path}"), value)
    expected = {name: [f"{shown}: expected {value}, found {actual}"]}
    assert differing(document, folder) == expected


def test_the_command_prints_a_line_for_each_that_differs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "runs.json"
    document = changed(AGREEING, keys("runs.0.metrics.matches"), 2)
    document["runs"][0]["metrics"]["success"] = True
    file.write_text(json.dumps(document), encoding="utf-8")
    assert main([str(file), "--data", str(folder)]) == 1
    assert capsys.readouterr().out == (
        "late Wake me: matches: expected 2, found 1; success: expected True, found False\n"
        "agree 3 of 4\n"
    )
    file.write_text(json.dumps(AGREEING), encoding="utf-8")
    assert main([str(file), "--data", str(folder)]) == 0
    assert capsys.readouterr().out == "agree 4 of 4\n"
