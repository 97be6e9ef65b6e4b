"""``--sandbox-sample``: some scenarios of each world, wherever and by whomever they are played."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.__main__ import main

NAMES = ("one", "two", "three", "four", "five", "six", "seven")
MANY = f"scenarios: {{{', '.join(f'{name}: ' for name in NAMES)}}}\n{LIGHT}"
SAMPLE = "--sandbox-sample=3"
LINE = "toolsandbox: sample of 3 of each world, 3 of 7 scenarios"


@pytest.fixture
def many(suite: Suite) -> Suite:
    suite.write("many.scenario.yaml", MANY)
    return suite


def names(suite: Suite, file: str) -> set[str]:
    return {record["scenario"] for record in suite.records(file)}


def test_all_agents_augmentations_and_processes_play_the_same(many: Suite) -> None:
    result = many.run("--agent=oracle", SAMPLE, "--sandbox-results=alone.jsonl")
    result.assert_outcomes(passed=3, deselected=4)
    result.stdout.fnmatch_lines(
        [
            "toolsandbox: agent oracle, user scripted, judge none, sample of 3 of each world",
            LINE,
            "agent oracle, *, sample of 3 of each world, 3 scenarios",
            "  x 1 trial",
        ]
    )
    chosen = names(many, "alone.jsonl")
    assert len(chosen) == 3
    assert {record["sample"] for record in many.records("alone.jsonl")} == {3}
    several = ("--agent=oracle", "--agent=unhelpful", "--sandbox-augment=all")
    many.run(*several, SAMPLE, "--sandbox-results=several.jsonl")
    assert len(many.records("several.jsonl")) == 3 * 2 * 8
    assert names(many, "several.jsonl") == chosen
    many.ini("sandbox_sample = 3")
    apart = many.run_apart("--agent=oracle", "-n2", "--sandbox-results=apart.jsonl")
    apart.assert_outcomes(passed=3)
    assert many.records("apart.jsonl") == many.records("alone.jsonl")


def test_shards_divide_the_sample(many: Suite) -> None:
    shards = []
    for number in (1, 2):
        file = f"{number}.jsonl"
        shard = f"--sandbox-shard={number}/2"
        many.run("--agent=oracle", SAMPLE, shard, f"--sandbox-results={file}")
        shards.append(names(many, file))
    many.run("--agent=oracle", SAMPLE, "--sandbox-results=whole.jsonl")
    assert [len(shard) for shard in shards] == [2, 1]
    assert shards[0] | shards[1] == names(many, "whole.jsonl")


def test_the_other_scenarios_of_a_baseline_are_not_missing(
    many: Suite, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(many.path)
    many.run("--agent=oracle", "--sandbox-results=whole.jsonl")
    assert main(["baseline", "add", "whole.jsonl"]) == 0
    options = ("--sandbox-baseline=baseline.jsonl", "--sandbox-margin=0.5")
    result = many.run("--agent=oracle", SAMPLE, *options, "--sandbox-results=part.jsonl")
    result.stdout.fnmatch_lines("*4 scenarios of the baseline not in this sample")
    assert "of the trials are missing" not in result.stdout.str()
    assert Path("part.jsonl").exists()
    capsys.readouterr()
    main(["compare", "baseline.jsonl", "part.jsonl"])
    out = capsys.readouterr().out
    assert "4 scenarios of the baseline not in this sample" in out
    assert "of the trials are missing" not in out


def test_it_is_a_number(many: Suite) -> None:
    result = many.run("--agent=oracle", "--sandbox-sample=0")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = "ERROR: --sandbox-sample: '0' is not a whole number from 1 on"
    assert result.errlines[0] == text
