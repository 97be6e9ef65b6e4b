"""Whatever is played ahead, in whatever process: the same outcomes and the same records."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import NamedTuple

import pytest
from desk import LIGHT, Suite

CONFTEST = """
import itertools

asked = itertools.count()


@pytest.fixture(scope="session")
def agent(agent):
    def wrapped(messages, tools):
        is_asked_again = messages[-1]["content"] == "Please." and not next(asked)
        return "No." if is_asked_again else agent(messages, tools)

    return wrapped


@pytest.fixture(params=["one", "two"])
def number(request):
    return request.param


@pytest.fixture(scope="class")
def table():
    yield


@pytest.fixture(scope="class", params=["left", "right"])
def side(request):
    yield request.param
"""
MARKS = {
    "a_passes": "",
    "b_fails": "",
    "c_expected": "marks: [xfail]",
    "d_not_run": "marks: [{xfail: {run: false}}]",
    "e_skipped": "marks: [{skip: {reason: later}}]",
    "f_twice": "marks: [{usefixtures: number}]",
    "g_of_a_class": "marks: [{usefixtures: table}]",
    "h_three_trials": "trials: 3",
    "i_fails_once": "",
    "j_fails_twice": "marks: [{usefixtures: number}]",
    "k_fails_in_a_class": "marks: [{usefixtures: table}]",
    "l_of_both": "marks: [{usefixtures: [number, side]}]",
    "m_passes_unexpectedly": "marks: [xfail]",
    "n_passes": "",
}
"""What a scenario is called, and how it is marked."""
FAILING = ("b_fails", "c_expected", "j_fails_twice", "k_fails_in_a_class")
SINGLE = ("-x", "--lf", "--reruns=1")
EARLY = ("-x", "--maxfail=2")
OPTIONS = [*(some for count in range(4) for some in combinations(SINGLE, count)), EARLY[1:]]
"""Each with each other, from none to all three, and one that ends a run in its middle."""
HOW = [(workers, number) for workers in ("-n0", "-n2") for number in (1, 16)][1:]
"""But for the plain one, one process and one conversation at a time, that all are held to."""


class Played(NamedTuple):
    """What came of a run: its exit status, a line for each outcome of an item, and the records."""

    status: int
    outcomes: list[str]
    records: list[str]


@pytest.fixture
def mixed(suite: Suite) -> Suite:
    """A folder with scenarios that pytest treats in many ways."""
    suite.conftest(CONFTEST)
    for name, marks in MARKS.items():
        text = LIGHT.replace("{lamp: {on: true}}", "{lamp: {on: false}}")
        text = text if name in FAILING else LIGHT
        text = text.replace("Turn on the light.", "Please.") if name == "i_fails_once" else text
        suite.write(f"{name}.scenario.yaml", f"{text}\n{marks}")
    return suite


OUTCOME = re.compile(r"(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN) ")


def played(suite: Suite, *options: str) -> Played:
    """Return what came of a run, in the order of items, but for its wall times.

    What failed last is what fails in one process without a rerun.
    """
    if "--lf" in options:
        played(suite, "--sandbox-concurrency=1")
    plugins = ("-p", "pytest_rerunfailures") if "--reruns=1" in options else ()
    reporting = ("-rfEsxXpR" if plugins else "-rfEsxXp", "--sandbox-results=results.jsonl")
    result = suite.run("--agent=oracle", *reporting, "--sandbox-overwrite", *plugins, *options)
    for record in (records := suite.records()):
        record.pop("duration", None)
    lines = [json.dumps(record, sort_keys=True) for record in records]
    outcomes = sorted(line for line in result.outlines if OUTCOME.match(line))
    return Played(result.ret, outcomes, [re.sub(r"\d+\.\d+ s", "", line) for line in lines])


@pytest.mark.parametrize(("workers", "number"), HOW)
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(options) or "all")
def test_the_same(mixed: Suite, options: tuple[str, ...], workers: str, number: int) -> None:
    how = (workers, f"--sandbox-concurrency={number}")
    is_early = workers == "-n2" and not {*options}.isdisjoint(EARLY)
    reference = [option for option in options if option not in EARLY or not is_early]
    expected = played(mixed, *reference, "--sandbox-concurrency=1")
    outcome = played(mixed, *options, *how)
    if is_early:
        check_what_was_run(outcome, expected)
    elif {*options}.isdisjoint(EARLY):
        assert outcome == expected
    else:  # what was played ahead has records, too
        assert outcome[:2] == expected[:2]
        assert {*run_records(expected)} <= {*outcome.records}


def check_what_was_run(partial: Played, whole: Played) -> None:
    """Look at a run with workers that ended early: what they have run by then, nobody knows.

    What was run has the outcome and the record that it has in a whole run; the rest is not run.
    """
    # What passes when it is run again has a record of its first run, if it was played ahead.
    ran = [line for line in run_records(partial) if "i_fails_once" not in identifier(line)]
    assert {*ran} <= {*whole.records}
    assert {*partial.outcomes} <= {*whole.outcomes}
    assert any(line.startswith("FAILED") for line in partial.outcomes)
    assert {*map(identifier, whole.records)} <= {*map(identifier, partial.records)}
    assert partial.status != pytest.ExitCode.OK


def run_records(run: Played) -> list[str]:
    return [line for line in run.records if '"outcome": "not_run"' not in line]


def identifier(line: str) -> str:
    return str(json.loads(line)["id"])
