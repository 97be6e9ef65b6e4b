"""``toolsandbox calibrate``: how often a judge is wrong about labelled wordings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Printed, Run
from desk import Suite, saying
from shipped import shipped

from pytest_toolsandbox.commands.labels import read_labels, reference_steps, replace_texts

ROOT = Path(__file__).parents[2]
WORDS = ROOT / "benchmarks" / "words.jsonl"
JUDGES = """
from pytest_toolsandbox import JudgeError, Opinion

count = 0


def reader(question):
    said = question.text.partition("# The lines to be judged")[2]
    if "blue" in said:
        return Opinion("false", "blue", "It has no colours.")
    if "odd" in said:
        raise JudgeError("no opinion")
    return Opinion("right")


def fickle(question):
    global count
    count += 1
    return Opinion("right") if count % 3 else Opinion("incomplete", why="Who knows.")
"""
LABELS: list[dict[str, Any]] = [
    {"scenario": "lamp", "right": True, "report": "It is turned on now."},
    {"scenario": "lamp", "right": True, "report": "It is turned on, in blue.", "note": "true here"},
    {"scenario": "lamp", "right": False, "report": "It is turned on, for an hour."},
    {"scenario": "lamp", "right": False, "report": "It is turned on, in blue."},
    {"scenario": "lamp", "right": True, "report": "An odd one: it is turned on."},
    {"scenario": "lamp", "right": None, "report": "Nobody has read this."},
]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    suite = Suite(pytester)
    suite.conftest("")
    suite.write("calibrated.py", JUDGES)
    suite.write("lamps/lamp.scenario.yaml", saying("It is turned on, in blue."))
    suite.write("labels.jsonl", "".join(f"{json.dumps(label)}\n" for label in LABELS))
    monkeypatch.syspath_prepend(suite.path)
    monkeypatch.chdir(suite.path)
    return suite


Calibrate = Callable[..., Printed]


@pytest.fixture
def calibrate(run: Run) -> Calibrate:
    """A function: run the command with a judge of the suite."""

    def calibrate(judge: str, *options: str) -> Printed:
        labels = ("labels.jsonl", "--scenarios", "lamps")
        return run("calibrate", f"calibrated:{judge}", *labels, *options)

    return calibrate


@pytest.mark.usefixtures("suite")
def test_misjudged_words_are_counted_and_shown(calibrate: Calibrate) -> None:
    printed = calibrate("reader", "--show")
    lines = printed.lines
    assert printed.status == 0
    assert lines[0] == "1 line left out: right is null; set it to true or false"
    assert lines[1].split("  ")[0] == "suite"
    cells = [cell.strip() for cell in lines[2].split("  ") if cell.strip()]
    assert cells == ["lamps", "3", "1", "9.5% to 90.5%", "2", "1", "9.5% to 90.5%", "1", "0"]
    assert lines[3:] == [
        "failed: It has no colours.: lamp: It is turned on, in blue. (label: true here)",
        "passed: lamp: It is turned on, for an hour.",
        "error: no opinion: lamp: An odd one: it is turned on.",
    ]


@pytest.mark.usefixtures("suite")
def test_votes_that_differ_are_counted(calibrate: Calibrate) -> None:
    printed = calibrate("fickle", "--votes", "3", "--concurrency", "1")
    assert "votes: all alike in 0 of 5 opinions" in printed.lines


def test_the_labels_of_a_run_are_judged_as_they_were_said(
    suite: Suite, run: Run, calibrate: Calibrate
) -> None:
    suite.write("lamps/dark.scenario.yaml", saying("Well.", calls=""))
    suite.run("--agent=counterexample", "--sandbox-results=results.jsonl", "lamps")
    printed = run("calibrate", "--from", "results.jsonl", "-o", "labels.jsonl")
    counts = "1 conversation; 1 other failed or ended whatever was said"
    assert printed == (0, f"labels.jsonl: {counts}\n", "")
    (line,) = (suite.path / "labels.jsonl").read_text("utf-8").splitlines()
    label = json.loads(line)
    assert label == {
        "record": "results.jsonl",
        "id": "lamps/lamp.scenario.yaml::lamp",
        "trial": 1,
        "scenario": "lamp",
        "wish": "Turn on the light.",
        "report": "It is turned on, in blue.",
        "right": None,
    }
    suite.write("labels.jsonl", json.dumps({**label, "right": False}))
    row = calibrate("reader").lines[1].split()
    assert (row[:3], row[4:6]) == (["lamps", "0", "0"], ["1", "0"])
    lines = run("calibrate", "--from", "results.jsonl").lines
    assert [json.loads(line)["right"] for line in lines] == [None]


PROBLEMS = {
    "{": "labels.jsonl:1: this is not JSON: ",
    "3": "labels.jsonl:1: expected a label, found the number 3",
    '{"right": true}': "labels.jsonl:1: the key 'scenario' is missing",
    '{"scenario": "lamp"}': "labels.jsonl:1: the key 'right' is missing",
    '{"scenario": "lamp", "right": "yes"}': "labels.jsonl:1: right cannot be the text 'yes'",
    '{"scenario": "lamp", "rigth": true}': "labels.jsonl:1: unknown key 'rigth'; did you mean",
    '{"scenario": "lmap", "right": true}': "there is no scenario 'lmap'; did you mean 'lamp'?",
    "": "labels.jsonl: there are no labels in it",
}


@pytest.mark.parametrize("line", PROBLEMS)
def test_what_is_no_label(suite: Suite, calibrate: Calibrate, line: str) -> None:
    suite.write("labels.jsonl", line)
    status, _, errors = calibrate("reader")
    assert (status, errors[: len(PROBLEMS[line])]) == (2, PROBLEMS[line])


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("calibrated:reader",), "give either JUDGE and LABELS, or --from RESULTS"),
        (("a:b", "--from", "r.jsonl"), "give either JUDGE and LABELS, or --from RESULTS"),
        (("gptt", "labels.jsonl"), "gptt: there is no such judge; did you mean 'gpt'?"),
        (("none", "nothing.jsonl"), "nothing.jsonl cannot be read: No such file or directory"),
    ],
)
@pytest.mark.usefixtures("suite")
def test_invalid_arguments(run: Run, arguments: tuple[str, ...], problem: str) -> None:
    status, _, errors = run("calibrate", *arguments)
    assert (status, errors[: len(problem)]) == (2, problem)


def test_the_labels_that_come_with_the_suites_fit_them(run: Run, tmp_path: Path) -> None:
    labels = read_labels(WORDS)
    known = {scene.name: scene for scene in shipped()}
    for label in labels:
        steps = reference_steps(known[label.scenario])
        for text, another in label.texts.items():
            assert replace_texts(steps, {text: another}) != steps
    labels_of = {name: [label for label in labels if label.scenario == name] for name in known}
    assert all(
        {label.right for label in some} == {True, False} for some in labels_of.values() if some
    )
    assert all(label.note for label in labels if not label.right)
    lines = zip(WORDS.read_text().splitlines(keepends=True), labels, strict=True)
    first_of_each = {label.scenario: line for line, label in reversed([*lines])}
    (tmp_path / "first.jsonl").write_text("".join(reversed(first_of_each.values())))
    printed = run("calibrate", "none", tmp_path / "first.jsonl")
    suites = ["suite", "phone", "queries", "office", "all"]
    assert (printed.status, [line.split()[0] for line in printed.lines]) == (0, suites)
