"""The file of a baseline: what is kept, how it grows, how it is merged, and its mistakes."""

from __future__ import annotations

import hashlib
import json
import random
from io import BytesIO
from pathlib import Path

import pytest
from gate_samples import sample

from pytest_toolsandbox.gate.baseline import (
    Baseline,
    BaselineError,
    added,
    baseline_lines,
    merged,
    read_baseline,
    run_key,
)
from pytest_toolsandbox.gate.samples import Sample

MONDAY = sample({"a": "+", "b": "+-"}, "m", "2025-03-10")
TUESDAY = sample({"a": "-", "c": "+"}, "t", "2025-03-11")


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def results(of_sample: Sample) -> dict[str, dict[str, str]]:
    signs = {True: "+", False: "-"}
    return {
        name: {
            key: "".join(signs[each.passed] for each in results)
            for key, results in scenario.results.items()
        }
        for name, scenario in of_sample.scenarios.items()
    }


def test_what_is_written_is_read_back_in_any_order_of_lines(tmp_path: Path) -> None:
    both = Baseline(merged([MONDAY, TUESDAY]), "we talk less", "2025-03-11")
    lines = baseline_lines(both)
    random.Random(3).shuffle(lines)
    again = read_baseline(write(tmp_path / "b.jsonl", lines))
    assert baseline_lines(again) == baseline_lines(both)
    assert results(again.sample) == {"a": {"m": "+", "t": "-"}, "b": {"m": "+-"}, "c": {"t": "+"}}
    assert (again.norm, again.since) == ("we talk less", "2025-03-11")


def test_runs_may_be_added_in_any_order() -> None:
    monday_first, other = merged([MONDAY, TUESDAY]), merged([TUESDAY, MONDAY])
    assert baseline_lines(Baseline(monday_first)) == baseline_lines(Baseline(other))


def test_a_merge_that_keeps_the_lines_of_both_sides_is_right(tmp_path: Path) -> None:
    wednesday = sample({"a": "+++"}, "w", "2025-03-12")
    ours, theirs = added(MONDAY, TUESDAY), added(MONDAY, wednesday)
    lines = baseline_lines(Baseline(ours)) + baseline_lines(Baseline(theirs))
    union = read_baseline(write(tmp_path / "b.jsonl", lines))
    expected = merged([MONDAY, TUESDAY, wednesday])
    assert baseline_lines(union) == baseline_lines(Baseline(expected))


def test_the_newest_ten_trials_are_kept() -> None:
    nights = [sample({"a": "+++"}, f"n{day}", f"2025-03-0{day}") for day in (1, 2, 3, 4)]
    assert results(merged(nights)) == {"a": {"n1": "+", "n2": "+++", "n3": "+++", "n4": "+++"}}
    fifth = sample({"a": "-" * 8}, "n5", "2025-03-05")
    grown = merged([*nights, fifth])
    assert results(grown) == {"a": {"n4": "++", "n5": "-" * 8}}
    assert [run.key for run in grown.runs] == ["n4", "n5"]


def test_a_scenario_with_another_task_begins_anew() -> None:
    changed = sample({"a": "-"}, "w", "2025-03-12", digest="d2")
    assert results(added(MONDAY, changed)) == {"a": {"w": "-"}, "b": {"m": "+-"}}
    assert results(added(changed, MONDAY)) == results(added(MONDAY, changed))


def test_lost_trials_are_not_kept() -> None:
    assert results(added(sample({"a": "?", "b": "+?"}, "m", "2025-03-10"), TUESDAY)) == {
        "a": {"t": "-"},
        "b": {"m": "+"},
        "c": {"t": "+"},
    }


def test_scores_are_kept_to_three_digits(tmp_path: Path) -> None:
    graded = sample({"a": "-"}, "m", "2025-03-10", score=0.66666)
    lines = baseline_lines(Baseline(graded))
    assert '"runs": {"m": "-0.667"}' in lines[-1]
    (result,) = read_baseline(write(tmp_path / "b", lines)).sample.scenarios["a"].all_results
    assert result == (False, 0.667)


def test_the_order_of_lines_in_a_file_of_records_does_not_matter() -> None:
    begin = b"x" * 1000  # so long that only the ends of lines differ
    lines = [b"y", begin + b"2", b"", begin + b"1", b" z "]
    texts = [begin + b"1", begin + b"2", b"y", b"z"]
    expected = hashlib.sha256(b"\n".join([b"2025-03-10", *texts])).hexdigest()[:8]
    for _ in range(5):
        random.Random(0).shuffle(lines)
        assert run_key(BytesIO(b"\n".join(lines)), "2025-03-10") == expected
    assert run_key(BytesIO(b"\n".join(lines)), "2025-03-11") != expected


FIELDS = ("id", "digest", "prompt", "tools", "path")
NO_LINE = (
    "this is no line of a baseline; take the file from git again, or make a new "
    "one: toolsandbox baseline add RESULTS"
)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], ": no baseline; make one: toolsandbox baseline add RESULTS"),
        (
            ['{"baseline": 1}', "<<<<<<< HEAD"],
            ":2: git left a conflict here; keep the lines of both sides, and delete the marks",
        ),
        (['{"baseline": 1}', '{"id": 3}'], f":2: {NO_LINE}"),
        (
            ['{"baseline": 1}', json.dumps({**dict.fromkeys(FIELDS, ""), "runs": {"r": "+y"}})],
            f":2: {NO_LINE}",
        ),
        (['{"baseline": "2"}'], f":1: {NO_LINE}"),
        (
            ['{"baseline": 2, "norm": 3}'],
            (
                ":1: a baseline of version 2; this program reads version 1: install the one that "
                "wrote it, or make a new one: toolsandbox baseline add RESULTS"
            ),
        ),
    ],
)
def test_mistakes_have_their_line_and_a_remedy(tmp_path: Path, lines: list[str], text: str) -> None:
    file = write(tmp_path / "b.jsonl", lines)
    with pytest.raises(BaselineError) as caught:
        read_baseline(file)
    assert str(caught.value) == f"{file}{text}"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=r"b: cannot be read: No such file"):
        read_baseline(tmp_path / "b")
