"""Parts of a suite that are played apart, and their records as those of one run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.writing import as_line, not_run_record

NAMES = ("one", "two", "three", "four", "five", "six", "seven")
MANY = f"scenarios: {{{', '.join(f'{name}: ' for name in NAMES)}}}\n{LIGHT}"


@pytest.fixture
def many(suite: Suite) -> Suite:
    suite.write("many.scenario.yaml", MANY)
    return suite


def play(suite: Suite, out: str, *options: str) -> pytest.RunResult:
    return suite.run("--agent=oracle", f"--sandbox-results={out}", *options)


def shards(suite: Suite, of: int, *options: str) -> list[Path]:
    for number in range(1, of + 1):
        play(suite, f"{number}.jsonl", f"--sandbox-shard={number}/{of}", *options)
    return [suite.path / f"{number}.jsonl" for number in range(1, of + 1)]


def merge(*files: Path, out: Path) -> int:
    return main(["merge", *map(str, files), "-o", str(out)])


def test_three_shards_are_one_run(many: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    play(many, "whole.jsonl")
    files = shards(many, 3)
    assert [len(many.records(file.name)) for file in files] == [3, 2, 2]
    capsys.readouterr()
    for order in (files, files[::-1]):
        out = many.path / f"merged from {order[0].name}"
        assert merge(*order, out=out) == 0
        assert many.records(out.name) == many.records("whole.jsonl")
        assert capsys.readouterr().out == f"{out}: 7 records of 7 scenarios: 7 passed\n"


def test_a_shard_says_what_it_is_and_leaves_other_tests_alone(many: Suite) -> None:
    many.write("test_python.py", "def test(): pass")
    result = play(many, "results.jsonl", "--sandbox-shard=2/3")
    result.assert_outcomes(passed=3, deselected=5)
    result.stdout.fnmatch_lines("toolsandbox: shard 2 of 3, 2 of 7 scenarios")
    (shard,) = {json.dumps(record["shard"]) for record in many.records()}
    digest = json.loads(shard)["suite_digest"]
    whole = {"number": 2, "of": 3, "items": 2, "suite_items": 7, "suite_digest": digest}
    assert json.loads(shard) == whole


def test_workers_play_the_same_shard(many: Suite) -> None:
    play(many, "alone.jsonl", "--sandbox-shard=1/2")
    result = many.run_apart(
        "--agent=oracle", "-n2", "--sandbox-shard=1/2", "--sandbox-results=two.jsonl"
    )
    result.assert_outcomes(passed=4)
    assert many.records("two.jsonl") == many.records("alone.jsonl")


def test_what_was_selected_is_cut(many: Suite) -> None:
    files = shards(many, 2, "-k", "one or two or three")
    assert [len(many.records(file.name)) for file in files] == [2, 1]


def test_past_durations_balance(many: Suite) -> None:
    play(many, "past.jsonl")
    records = many.records("past.jsonl")
    for record in records:
        record["duration"] = 60.0 if record["scenario"] == "six" else 10.0
    many.write("past.jsonl", "\n".join(map(json.dumps, records)))
    files = shards(many, 2, "--sandbox-durations=past.jsonl")
    assert [record["scenario"] for record in many.records(files[0].name)] == ["six"]


def test_durations_that_cannot_be_read(many: Suite) -> None:
    many.write("past.jsonl", "{}")
    result = play(many, "r.jsonl", "--sandbox-shard=1/2", "--sandbox-durations=past.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = "past.jsonl:1: this is no record of a scenario"
    assert result.errlines[0].startswith(f"ERROR: --sandbox-durations: {many.path}/{text};")


def test_merge_says_which_shards_are_missing(
    many: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = shards(many, 3)
    first.write_text("".join(first.read_text().splitlines(keepends=True)[:2]) + '{"record": 2')
    part, out = many.path / "part.jsonl", many.path / "out.jsonl"
    capsys.readouterr()
    torn = f"{first}:3: torn: the run was stopped while it was written"
    assert merge(third, first, out=part) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{part}: 4 records of 4 scenarios: 4 passed",
        "shard 1 has records of 2 of 3 scenarios",
        "there is no record of shard 2 of 3",
        f"1 stored record cannot be used: {torn}",
    ]
    assert merge(part, second, out=out) == 1  # a merged part can be merged on
    assert "shard 1 has records of 2 of 3 scenarios\n" in capsys.readouterr().out


def test_merge_knows_what_was_not_run(many: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    """One run was stopped, another one played a part of what it lacks."""
    whole, rest, stopped = (many.path / f"{name}.jsonl" for name in ("whole", "rest", "stopped"))
    play(many, whole.name)
    lines = whole.read_text().splitlines(keepends=True)
    ids = sorted(json.loads(line)["id"] for line in lines)
    left = [as_line(not_run_record(name, "the run was stopped")) for name in ids[-2:]]
    there = [line for line in lines if json.loads(line)["id"] not in ids[-2:]]
    stopped.write_text("".join([*there, *(f"{line}\n" for line in left)]))
    rest.write_text("".join(line for line in lines if json.loads(line)["id"] == ids[-1]))
    capsys.readouterr()
    out = many.path / "out.jsonl"
    assert merge(stopped, rest, out=out) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 scenario not run"
    outcomes = {
        record["id"]: record["outcome"] for record in map(json.loads, out.read_text().splitlines())
    }
    assert [name for name in ids if outcomes[name] == "not_run"] == ids[-2:-1]


def refusal_lines(capsys: pytest.CaptureFixture[str], *files: Path) -> list[str]:
    capsys.readouterr()
    out = files[0].with_name("out.jsonl")
    assert merge(*files, out=out) == 1
    assert not out.exists()
    return capsys.readouterr().err.splitlines()


def test_merge_refuses_the_same_trial_twice(
    many: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        play(many, name)
    a, b = many.path / "a.jsonl", many.path / "b.jsonl"
    lines = refusal_lines(capsys, a, b)
    assert lines[0] == f"many.scenario.yaml::one, trial 1, is in {a}:1 and in {b}:1"
    assert (len(lines), lines[-1]) == (6, "and 2 more")


def test_merge_refuses_mixtures(many: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, _ = shards(many, 3)
    many.run(
        "--agent=unhelpful",
        "--sandbox-shard=2/3",
        "--sandbox-results=2.jsonl",
        "--sandbox-overwrite",
    )
    lines = refusal_lines(capsys, first, second)
    assert lines == [
        f"{second}:1 is no part of the run of {first}:1: agent was 'oracle', is 'unhelpful'"
    ]


def test_merge_refuses_shards_of_two_suites(
    many: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    first, _ = shards(many, 2)
    many.write("many.scenario.yaml", MANY.replace("six: ,", ""))
    play(many, "2.jsonl", "--sandbox-shard=2/2", "--sandbox-overwrite")
    *_, line = refusal_lines(capsys, first, many.path / "2.jsonl")
    assert "is no part of the run of" in line
    assert line.endswith(": shard.suite_digest is another one")


def test_merge_keeps_what_is_there(many: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    (first,) = shards(many, 1)
    out = many.write("out.jsonl", "kept")
    assert merge(first, out=out) == 1
    assert capsys.readouterr().err == f"{out} exists and is not empty; name another file\n"
    assert out.read_text() == "kept"


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_shard_without_a_scenario_passes(
    light: Suite, workers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, outcome in ((1, {"passed": 1}), (2, {"passed": 0})):
        options = (f"--sandbox-results={number}.jsonl", f"--sandbox-shard={number}/2", workers)
        result = light.run_apart("--agent=oracle", *options)
        result.assert_outcomes(**outcome)
        assert result.ret == pytest.ExitCode.OK
    assert not (light.path / "2.jsonl").exists()
    capsys.readouterr()
    assert merge(light.path / "1.jsonl", out=light.path / "all.jsonl") == 0
    light.write("test_none.py", "")
    result = light.run_apart("test_none.py", "--sandbox-shard=2/2", workers)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
