"""Options of the command line and the ini file: their values, and messages about wrong ones."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from desk import Suite

from pytest_toolsandbox.output.totals import MinimumScore
from pytest_toolsandbox.plugin.option_readers import Feedback
from pytest_toolsandbox.plugin.options import GROUPS, OPTIONS, Option
from pytest_toolsandbox.plugin.settings import Settings, settings_of


def settings(suite: Suite, *arguments: str) -> Settings:
    config = suite.pytester.parseconfig(*arguments)
    return settings_of(config)


def test_defaults(suite: Suite) -> None:
    assert settings(suite) == Settings(
        agent=(),
        aliases={},
        embedder=None,
        augment=(),
        feedback=Feedback((), is_default=True),
        call_format=None,
        results=None,
        keep_reasoning=False,
        overwrite=False,
        html=None,
        rejudge=None,
        min_score=(),
        gate=None,
        scenario_files=(),
        thresholds={},
        secrets=(),
    )


def test_values_of_the_ini_file(suite: Suite) -> None:
    suite.write("stored.jsonl", "")
    suite.ini(
        "sandbox_agent = house",
        "sandbox_aliases =",
        "  house = openai/our-model",
        "  fast=groq/a=b",
        "sandbox_embedder = mine:embed",
        "sandbox_augment = tool_name_scrambled, three_distraction_tools",
        "sandbox_feedback = on, off",
        "sandbox_call_format = text",
        "sandbox_results = out/r.jsonl",
        "sandbox_keep_reasoning = true",
        "sandbox_sample = 5",
        "sandbox_overwrite = true",
        "sandbox_gate = means",
        "sandbox_rejudge = stored.jsonl",
        "sandbox_min_score =",
        "  0.8",
        "  state_dependency = 0.5",
        "sandbox_thresholds = rouge_l = 0.6",
        "sandbox_secrets =",
        "  GATEWAY_PIN",
        "  open sesame",
        "scenario_files =",
        "  *.story",
        "  checks/*.yaml",
    )
    assert settings(suite) == Settings(
        agent=("house",),
        aliases={"house": "openai/our-model", "fast": "groq/a=b"},
        embedder="mine:embed",
        augment=("three_distraction_tools", "tool_name_scrambled"),
        feedback=Feedback((True, False), is_default=True),
        call_format="text",
        results=suite.path / "out" / "r.jsonl",
        keep_reasoning=True,
        sample=5,
        overwrite=True,
        rejudge=suite.path / "stored.jsonl",
        gate="means",
        min_score=(
            MinimumScore(None, 0.8, required=False),
            MinimumScore("state_dependency", 0.5, required=False),
        ),
        scenario_files=("*.story", "checks/*.yaml"),
        thresholds={"rouge_l": 0.6},
        secrets=("GATEWAY_PIN", "open sesame"),
    )


def test_the_command_line_wins(suite: Suite) -> None:
    suite.ini(
        "sandbox_agent = a/b",
        "sandbox_results = r",
        "sandbox_min_score = 0.8",
        "sandbox_augment = all",
        "sandbox_feedback = on",
        "sandbox_call_format = text",
    )
    chosen = settings(
        suite,
        "--agent=c/d",
        "--sandbox-results=s",
        "--sandbox-min-score=x=1",
        "--sandbox-augment=none",
        "--sandbox-feedback=off",
        "--sandbox-call-format=native",
    )
    assert chosen.agent == ("c/d",)
    assert chosen.augment == ()
    assert chosen.feedback == Feedback((False,), is_default=False)
    assert chosen.call_format == "native"
    assert chosen.results == suite.path / "s"
    assert chosen.min_score == (MinimumScore("x", 1.0, required=True),)


LONG = "a" * 300
PRICES = (
    "expected MODEL = READ WRITTEN, or MODEL = READ WRITTEN CACHED, in US dollars for a million, "
    "found {!r}"
)
STYLES = "expected paper, plain, terse, impatient, tangential or incomplete, found {!r}"
SEVERAL = [
    ("--sandbox-concurrency", ["0", "many"], "{!r} is neither auto nor a number from 1 to 9999"),
    ("--sandbox-trials", ["0", "few"], "{!r} is not a number from 1 to 999"),
    ("--sandbox-pass", ["0", "most"], "expected all, any, majority or a number, found {!r}"),
    ("--sandbox-max-cost", ["0", "-1", "much", "inf"], "{!r} is not a number above 0"),
    ("--sandbox-max-time", ["0", "inf", "nan"], "{!r} is not a number above 0"),
    ("--sandbox-max-time", ["2592001", "1e10"], "{!r} is more than 2592000 seconds (30 days)"),
    ("--sandbox-min-score", ["1.5", "-0.1", "nan", "much"], "{!r} is not a number from 0 to 1"),
    (
        "--sandbox-shard",
        ["0/3", "4/3", "2", "a/b", "1/0", "-1/3"],
        "expected I/N, such as 2/3 for the second part of three, found {!r}",
    ),
    ("sandbox_prices", ["m = cheap", "m = 1", "m = 1 2 3 4", "m = 1 -2", "m = 1 nan"], PRICES),
    ("--sandbox-user-style", ["loud"], STYLES),
    ("--sandbox-user-retries", ["-1"], "{!r} is not a number from 0 to 999"),
    ("--sandbox-max-user-faults", ["5"], "{!r} is not a number from 0 to 1"),
]
"""An option, values that are refused, and the message about each."""


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--sandbox-feedback", "yes", "expected on, off, or on,off for both, found 'yes'"),
        ("--sandbox-feedback", "on,of", "expected on, off, or on,off for both, found 'of'"),
        ("--sandbox-feedback", ",", "expected on, off, or on,off for both, found nothing"),
        ("sandbox_feedback", "true", "expected on, off, or on,off for both, found 'true'"),
        ("--sandbox-call-format", "xml", "expected native, text or react, found 'xml'"),
        ("sandbox_call_format", "xml", "expected native, text or react, found 'xml'"),
        (
            "--sandbox-augment",
            "all,tool_names_scrambled",
            "unknown augmentation 'tool_names_scrambled'; did you mean 'tool_name_scrambled'?",
        ),
        ("--sandbox-min-score", "a=b", "'b' is not a number from 0 to 1"),
        ("--sandbox-min-score", "=1", "'=1' names no category before '='"),
        ("--sandbox-results", ".", "cannot write to .: it is a folder; name a file in it"),
        ("--sandbox-results", "a/", "cannot write to a/: it is a folder; name a file in it"),
        (
            "--sandbox-results",
            "~no-one/a/",
            "cannot write to ~no-one/a/: it is a folder; name a file in it",
        ),
        (
            "--sandbox-results",
            "conftest.py/results.jsonl",
            "cannot write to conftest.py/results.jsonl: conftest.py is not a folder",
        ),
        ("sandbox_results", ".", "cannot write to .: it is a folder; name a file in it"),
        ("sandbox_overwrite", "maybe", "invalid truth value 'maybe'; write true or false"),
        ("sandbox_min_score", "2", "'2' is not a number from 0 to 1"),
        ("--sandbox-results", LONG, f"cannot write to {LONG}: File name too long"),
        ("--sandbox-results", "/dev/null", "cannot write to /dev/null: it is not a regular file"),
        (
            "--sandbox-results",
            "/dev/null/results.jsonl",
            "cannot write to /dev/null/results.jsonl: null is not a folder",
        ),
        ("--sandbox-gate", "mean", "expected items, means or baseline, found 'mean'"),
        ("--sandbox-rejudge", LONG, f"there is no file {LONG}"),
        ("--sandbox-rejudge", "a\x1b]0;title\x07", "there is no file a\\x1b]0;title\\x07"),
        ("sandbox_aliases", "9" * 5000, f"expected NAME = VALUE, found '{'9' * 452}…"),
        ("--sandbox-rejudge", "nowhere", "there is no file nowhere"),
        ("sandbox_rejudge", "nowhere", "there is no file nowhere"),
        ("sandbox_aliases", "house", "expected NAME = VALUE, found 'house'"),
        ("sandbox_aliases", "a =", "expected NAME = VALUE, found 'a ='"),
        ("sandbox_thresholds", "rouge_l = high", "'high' is not a number from 0 to 1"),
        *(
            (option, value, message.format(value))
            for option, values, message in SEVERAL
            for value in values
        ),
    ],
)
def test_a_wrong_value_ends_the_run(suite: Suite, option: str, value: str, message: str) -> None:
    ini = [] if option.startswith("-") else ["-o"]
    result = suite.run(*ini, f"{option}={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0] == f"ERROR: {option}: {message}"


@pytest.mark.parametrize(
    ("option", "lacking"),
    [
        (
            "--sandbox-gate=means",
            "there is no minimum for the means; give --sandbox-min-score=SCORE too",
        ),
        (
            "sandbox_gate=baseline",
            "there is no baseline to be compared with; give --sandbox-baseline=FILE too",
        ),
    ],
)
def test_a_gate_without_what_it_weighs(suite: Suite, option: str, lacking: str) -> None:
    ini = [] if option.startswith("-") else ["-o"]
    assert suite.run(*ini, option).errlines[0] == f"ERROR: {option}: {lacking}"


@pytest.mark.parametrize(
    ("arguments", "ini", "expected"),
    [
        ([], [], {None: None, True: True, False: False}),
        (["--sandbox-feedback=on"], [], {None: True, True: True, False: True}),
        (["--sandbox-feedback=off"], ["on"], {None: False, True: False, False: False}),
        ([], ["on"], {None: True, True: True, False: False}),
        ([], ["off"], {None: False, True: True, False: False}),
        (["--sandbox-feedback=on,off,on"], [], {None: None, True: True, False: False}),
    ],
)
def test_feedback_of_a_scenario(
    suite: Suite, arguments: list[str], ini: list[str], expected: dict[bool | None, bool | None]
) -> None:
    suite.ini(*(f"sandbox_feedback = {value}" for value in ini))
    feedback = settings(suite, *arguments).feedback
    assert {of_scenario: feedback.of(of_scenario) for of_scenario in expected} == expected


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.metavar])
def test_an_empty_value_is_refused(suite: Suite, option: Option) -> None:
    result = suite.run(f"{option.flag}=")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0] == f"ERROR: {option.flag}: nothing is given; is a variable empty?"


@pytest.mark.parametrize("option", OPTIONS)
def test_an_empty_value_in_the_ini_file_is_ignored(suite: Suite, option: Option) -> None:
    if option.reader != "flag":
        suite.ini(f"{option.key} =")
    assert settings(suite) == Settings()


def test_settings_have_a_field_for_each_option() -> None:
    names = [option.field for option in OPTIONS]
    assert sorted(names) == sorted(field.name for field in fields(Settings))


def test_help_has_the_options_in_groups(suite: Suite) -> None:
    lines = suite.run("--help").outlines
    titles = [line.removeprefix("toolsandbox: ") for line in lines if "toolsandbox: " in line]
    assert titles[:2] == ["the agent:", "the user:"]
    assert len(titles) == len(GROUPS)


def test_every_option_has_a_row_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "options.md").read_text(encoding="utf-8")
    row = re.compile(r"^\| (?:`(--[\w-]+)[^|]*` )?\| `(\w+)` \|", re.MULTILINE)
    rows = row.findall(page.replace("\\|", "/"))
    assert rows == [(option.flag or "", option.key) for option in OPTIONS]


def test_help_lists_the_options_with_their_twins(suite: Suite) -> None:
    text = suite.run("--help").stdout.str()
    for option in OPTIONS:
        if option.flag:
            assert f"  {option.flag}" in text
        assert f"  {option.key} (" in text
