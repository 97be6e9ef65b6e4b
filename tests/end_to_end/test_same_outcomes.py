"""Whatever is played ahead, in whatever process: the same outcomes and the same records."""

from __future__ import annotations

import json
import re

import pytest
from desk import LIGHT, Suite

CONFTEST = """
import itertools

asked = itertools.count()


@pytest.fixture(scope="session")
def agent(agent):
    return lambda messages, tools: agent(messages, tools)


@pytest.fixture(params=["one", "two"])
def number(request):
    return request.param


@pytest.fixture(scope="class")
def table():
    yield
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
    "i_passes": "",
}
FAILING = ("b_fails", "c_expected")
OPTIONS = ((), ("-x",), ("--lf",), ("--reruns=1",), ("--maxfail=2",))


@pytest.fixture
def mixed(suite: Suite) -> Suite:
    """A folder with scenarios that pytest treats in many ways."""
    suite.conftest(CONFTEST)
    for name, marks in MARKS.items():
        text = LIGHT.replace("{lamp: {on: true}}", "{lamp: {on: false}}")
        text = text if name in FAILING else LIGHT
        suite.write(f"{name}.scenario.yaml", f"{text}\n{marks}")
    return suite


def played(suite: Suite, *options: str) -> tuple[dict[str, int], list[str]]:
    """Return the outcomes and the records of a run, but for their wall times."""
    plugins = ("-p", "pytest_rerunfailures") if "--reruns=1" in options else ()
    results = "--sandbox-results=results.jsonl"
    result = suite.run("--agent=oracle", results, "--sandbox-overwrite", *plugins, *options)
    outcomes = result.parseoutcomes()
    for record in (records := suite.records()):
        record.pop("duration", None)
    lines = [json.dumps(record, sort_keys=True) for record in records]
    return outcomes, [re.sub(r"\d+\.\d+ s", "", line) for line in lines]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(options) or "all")
def test_ahead_and_in_turn(mixed: Suite, options: tuple[str, ...]) -> None:
    if "--lf" in options:
        played(mixed)
    expected = played(mixed, *options, "--sandbox-concurrency=1")
    assert expected[0]["failed"] == 1
    assert played(mixed, *options, "--sandbox-concurrency=16") == expected


@pytest.mark.parametrize(
    ("options", "number"), [((), 1), ((), 16), (("--lf",), 16), (("--reruns=1",), 16)]
)
def test_in_workers(mixed: Suite, options: tuple[str, ...], number: int) -> None:
    if "--lf" in options:
        played(mixed)
    expected = played(mixed, *options, "--sandbox-concurrency=1")
    assert played(mixed, "-n2", *options, f"--sandbox-concurrency={number}") == expected


@pytest.mark.parametrize(("option", "number"), [("-x", 1), ("--maxfail=1", 16)])
def test_workers_that_end_early(mixed: Suite, option: str, number: int) -> None:
    """Which items they have played by then, nobody knows: what is told is as in a whole run."""
    _, whole = played(mixed, "--sandbox-concurrency=1")
    outcomes, lines = played(mixed, "-n2", option, f"--sandbox-concurrency={number}")
    assert {line for line in lines if '"outcome": "not_run"' not in line} <= {*whole}
    ids = [{json.loads(line)["id"] for line in some} for some in (whole, lines)]
    assert ids[0] <= ids[1]  # and those that are skipped, where none came to them
    assert outcomes["failed"] == 1
