"""``--sandbox-trials=auto``: as many trials as decide, and no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

import pytest
from _pytest.pytester import LineMatcher
from desk import LIGHT, SWITCHING, Suite, gate_text

from pytest_toolsandbox.__main__ import main

NAMES = [f"lamp_{number:02}" for number in range(12)]
MANY = LIGHT + "\nscenarios:\n" + "".join(f"  {name}: {{}}\n" for name in NAMES)
RESULTS = "--sandbox-results=results.jsonl"
AUTO = ("--sandbox-baseline=baseline.jsonl", "--sandbox-trials=auto", "--sandbox-margin=0.3")
AGENT = """
import threading
from collections import Counter
from pytest_toolsandbox.models.errors import ProviderError
played, lock = Counter(), threading.Lock()

@pytest.fixture(scope={scope!r})
def agent():
    def played_by(messages, tools):
        if messages[-1]["role"] == "tool":
            return switching(messages, tools)
        with lock:
            played["all"] += 1
            count = played["all"]
        {fails}
        return switching(messages, tools)
    return played_by
"""
TWO = "if count % 12 in (0, 1): return 'Not today.'"
"""Two of twelve, as often as in the baseline, but always the same ones."""
OPEN = "--sandbox-margin=0.12"
"""A margin that one trial of each does not prove."""

BASELINES: list[str] = []
"""What ``grown`` has made, once."""


@pytest.fixture
def grown(suite: Suite, capsys: pytest.CaptureFixture[str]) -> Suite:
    """Twelve scenarios, and a baseline in which two of them failed each day, in turn."""
    suite.write("many.scenario.yaml", MANY)
    if BASELINES:
        suite.write("baseline.jsonl", BASELINES[0])
        return suite
    for day in range(1, 11):
        agent(suite, f"if count % 12 in ({day}, {day + 1}): return 'Not today.'")
        suite.run(RESULTS, "--sandbox-overwrite")
        assert main(["baseline", "add", "results.jsonl", f"--date=2025-03-{day:02}"]) == 0
    (suite.path / "results.jsonl").unlink()
    BASELINES.append((suite.path / "baseline.jsonl").read_text())
    capsys.readouterr()
    return suite


def agent(suite: Suite, fails: str = "pass", scope: str = "session") -> None:
    suite.conftest(SWITCHING + AGENT.format(fails=fails, scope=scope))


def rounds(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("toolsandbox: inconclusive")]


def trials(suite: Suite) -> Counter[int]:
    played = (record for record in suite.records() if record["outcome"] != "not_run")
    return Counter(record["trial"] for record in played)


@pytest.mark.any_pytest
def test_what_is_clear_is_not_played_twice(grown: Suite) -> None:
    agent(grown, "return 'Not today.'")
    result = grown.run(*AUTO, RESULTS)
    result.assert_outcomes(failed=12)
    assert rounds(result) == []
    result.stdout.fnmatch_lines("baseline: worse: *")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert trials(grown) == {1: 12} | dict.fromkeys(range(2, 7), 2)


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_what_cannot_be_decided_is_said_before_anything_is_played(
    grown: Suite, workers: tuple[str, ...]
) -> None:
    agent(grown, TWO)
    run = grown.run_apart if workers else grown.run
    result = run(*AUTO[:2], "--sandbox-margin=0.05", *workers)
    text = "toolsandbox: if nothing is worse, 5 trials of 12 scenarios are too few to tell"
    assert result.outlines.count(text) == 1
    shown = " ".join(line.strip() for line in result.outlines)
    assert "so in 4 of 5 runs (margin 0.05); --sandbox-margin=0." in shown
    assert "scenarios like these with 5 trials would do" in shown
    first = next(line for line in result.outlines if "inconclusive after 1 trial" in line)
    assert result.outlines.index(text) < result.outlines.index(first)
    wide = run(*AUTO[:2], "--sandbox-margin=0.5", *workers)
    assert "too few to tell" not in wide.stdout.str()


def test_all_reports_count_the_same_and_say_what_pytest_counts(
    grown: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One scenario fails in its first trial, another one in a later one."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(grown.path / "summary.md"))
    fails = "if name == 'lamp_00' or (name == 'lamp_01' and count > 1): return 'Not today.'"
    by_name(grown, fails, broken=())
    result = grown.run("--agent=oracle", *AUTO[:2], "--sandbox-margin=0.1", "--sandbox-brief=b.md")
    result.assert_outcomes(failed=1, passed=11)
    counted = "(1 in the first trial, which pytest counts)"
    assert gate_text(result).startswith(f"gate: 2 failed scenarios {counted} did not fail")
    result.stdout.fnmatch_lines("all scenarios * 12 * 10 * 2 * 0 *")
    summary = (grown.path / "summary.md").read_text(encoding="utf-8")
    assert f"- 2 of 12 scenarios did not pass: 2 failed {counted}\n" in summary
    assert summary.count("| missed ") == 2
    brief = (grown.path / "b.md").read_text(encoding="utf-8")
    assert brief.startswith("# 10 of 12 scenarios passed\n")
    assert "## many.scenario.yaml::lamp_01\nat many.scenario.yaml:" in brief


@pytest.mark.parametrize("options", [(), ("--sandbox-concurrency=4",)])
@pytest.mark.parametrize("scope", ["session", "function"])
def test_what_is_open_is_played_on(
    grown: Suite, options: tuple[str, ...], scope: str, capsys: pytest.CaptureFixture[str]
) -> None:
    agent(grown, TWO, scope)
    result = grown.run(*AUTO, RESULTS, OPEN, *options)
    lines = rounds(result)
    assert lines[0] == "toolsandbox: inconclusive after 1 trial of each scenario; playing on to 2"
    last = int(lines[-1].rpartition(" ")[2])
    played = trials(grown)
    assert played == dict.fromkeys(range(1, last + 1), 12)
    assert sum(record["outcome"] == "failed" for record in grown.records()) == 2 * last
    result.stdout.fnmatch_lines("all scenarios * 12 *")
    assert len(grown.records()) == 12 * last
    verdict = result.stdout.str().partition("baseline: ")[2].splitlines()[:2]
    capsys.readouterr()
    main(["compare", "baseline.jsonl", "results.jsonl", OPEN.replace("sandbox-", "")])
    assert capsys.readouterr().out.splitlines()[1:3] == verdict


@pytest.mark.parametrize("which", [15, 40])
def test_an_outage_of_a_later_round_fails_nothing_and_other_errors_do(
    grown: Suite, which: int
) -> None:
    """In the last one two trials of each scenario are played, of which one has a score."""
    agent(grown, f"if count == {which}: raise ProviderError('closed')\n        {TWO}")
    result = grown.run(*AUTO, RESULTS, OPEN)
    result.assert_outcomes(passed=10, failed=2)
    assert result.ret == pytest.ExitCode.OK
    assert "error" in {record["outcome"] for record in grown.records()}
    agent(grown, f"if count == {which}: raise AgentError('closed')\n        {TWO}")
    result = grown.run(*AUTO, OPEN)
    result.assert_outcomes(passed=10, failed=2, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_run_that_is_stopped_plays_no_more(grown: Suite) -> None:
    agent(grown, "if count == 2: return 'Not today.'")
    result = grown.run(*AUTO, RESULTS, "-x", OPEN)
    assert rounds(result) == []
    assert trials(grown) == {1: 2}


@pytest.mark.any_pytest
def test_those_in_quarantine_are_played_once(grown: Suite) -> None:
    grown.write("many.scenario.yaml", MANY.replace("lamp_00: {}", "lamp_00: {quarantine: old}"))
    agent(grown, TWO)
    grown.run(*AUTO, RESULTS, OPEN)
    played = Counter(record["scenario"] for record in grown.records())
    assert played["lamp_00"] == 1
    assert played["lamp_01"] > 1


@pytest.mark.any_pytest
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "it plays until a baseline decides; give --sandbox-baseline=FILE"),
        (
            ("--sandbox-baseline=baseline.jsonl", "--sandbox-shard=1/2"),
            (
                "a shard sees no scenarios but its own; give a number of trials to all shards, "
                "and hold what they played against the baseline: toolsandbox merge, compare"
            ),
        ),
    ],
)
def test_options_that_contradict_auto(grown: Suite, options: tuple[str, ...], text: str) -> None:
    result = grown.run("--agent=oracle", "--sandbox-trials=auto", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0] == f"ERROR: --sandbox-trials=auto: {text}"


@pytest.mark.any_pytest
def test_a_budget_ends_the_rounds(grown: Suite) -> None:
    agent(grown, TWO)
    conftest = grown.path / "conftest.py"
    usage = '"usage": {"prompt_tokens": 10, "completion_tokens": 0}, "content": None, "tool_calls"'
    conftest.write_text(conftest.read_text().replace('"content": None, "tool_calls"', usage))
    result = grown.run(*AUTO, OPEN, RESULTS, "--sandbox-max-tokens=150")
    assert len(rounds(result)) == 1
    assert trials(grown)[1] == 12
    assert 0 < trials(grown)[2] < 12
    result.stdout.fnmatch_lines(
        "*--sandbox-max-tokens*; * items unfinished (* trials); --sandbox-resume=*"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


BY_NAME = """
from pathlib import Path
from pytest_toolsandbox import trial_seed

@pytest.fixture
def agent(agent, request):
    name, begun = request.node.name, Path(__file__).with_name("begun.txt")
    def played(messages, tools):
        if messages[-1]["role"] == "user":
            with begun.open("a") as file:
                file.write(f"{{name}} ")
        count = begun.read_text().split().count(name)
        {stops}
        if name in {broken}:
            return "Not today."
        return agent(messages, tools)
    return played
"""
"""An agent that fails what is broken in all trials, unless it ``stops`` in the ``count``-th."""
ALONE = "--sandbox-results=alone.jsonl"


def by_name(suite: Suite, stops: str = "pass", broken: Sequence[str] = NAMES[3:5]) -> None:
    (suite.path / "begun.txt").unlink(missing_ok=True)
    suite.conftest(BY_NAME.format(stops=stops, broken=list(broken)))


def begun(suite: Suite) -> Counter[str]:
    """Return how many conversations each scenario had."""
    return Counter((suite.path / "begun.txt").read_text().split())


def rounds_and_verdict(result: pytest.RunResult) -> list[str]:
    """Return the rounds and the verdict, to the last line of it."""
    start = next(at for at, line in enumerate(result.outlines) if line.startswith("baseline: "))
    end = next(at for at, line in enumerate(result.outlines) if "short test summary" in line)
    return [*rounds(result), *result.outlines[start:end]]


def keys(suite: Suite, name: str) -> list[tuple[str, int]]:
    return sorted((record["id"], record["trial"]) for record in suite.records(name))


@pytest.fixture
def alone(grown: Suite) -> pytest.RunResult:
    """A run in one process, to the last round."""
    by_name(grown)
    result = grown.run("--agent=oracle", *AUTO, OPEN, ALONE)
    assert [line[-1] for line in rounds(result)] == ["2", "3", "5"]
    by_name(grown)
    return result


def test_workers_play_the_same_rounds(grown: Suite, alone: pytest.RunResult) -> None:
    result = grown.run_apart("--agent=oracle", *AUTO, OPEN, RESULTS, "-n2")
    result.assert_outcomes(passed=10, failed=2)
    assert rounds_and_verdict(result) == rounds_and_verdict(alone)
    assert result.ret == alone.ret
    assert keys(grown, "results.jsonl") == keys(grown, "alone.jsonl")


def test_a_worker_that_is_lost_between_rounds_holds_up_no_other(grown: Suite) -> None:
    by_name(grown, "import os; name == 'lamp_05' and count == 2 and os._exit(1)")
    result = grown.run_apart("--agent=oracle", *AUTO, OPEN, RESULTS, "-n2")
    assert [line[-1] for line in rounds(result)] == ["2", "3", "5"]
    played = trials(grown)
    assert played[1] == 12
    assert 0 < played[5] < 12


@pytest.mark.parametrize(("out", "workers"), [("results.jsonl", ""), ("alone.jsonl", "-n2")])
def test_a_run_that_is_resumed_plays_only_what_is_missing(
    grown: Suite, alone: pytest.RunResult, out: str, workers: str
) -> None:
    lines = (grown.path / "alone.jsonl").read_text().splitlines(keepends=True)
    (grown.path / "alone.jsonl").write_text("".join(lines[:-19]))
    options = ("--sandbox-resume=alone.jsonl", f"--sandbox-results={out}", *AUTO, OPEN)
    run = partial(grown.run_apart, workers) if workers else grown.run
    result = run("--agent=oracle", *options)
    assert rounds_and_verdict(result) == rounds_and_verdict(alone)
    assert begun(grown).total() == 19
    assert keys(grown, out) == [(f"many.scenario.yaml::{n}", t) for n in NAMES for t in range(1, 6)]


BROKE = [
    "toolsandbox: worse after 1 trial of each scenario;",
    "  playing 5 more of 2 scenarios, to see which broke",
]


@pytest.mark.parametrize("workers", ["", "-n2"])
def test_what_seems_broken_is_played_again_where_the_suite_got_worse(
    grown: Suite, workers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of those that fail now, two always passed; the second of them passes again."""
    baseline = grown.path / "baseline.jsonl"
    lines = baseline.read_text().splitlines(keepends=True)
    always = [
        line.replace('"-"', '"+"') if NAMES[0] in line or NAMES[1] in line else line
        for line in lines
    ]
    baseline.write_text("".join(always))
    by_name(grown, "if name == 'lamp_01' and count > 2: return agent(messages, tools)", NAMES[:7])
    run = partial(grown.run_apart, workers) if workers else grown.run
    result = run("--agent=oracle", *AUTO, RESULTS)
    result.stdout.fnmatch_lines([*BROKE, "all scenarios * 12 * 5 * 7 * 0 * 0.417 *"])
    assert begun(grown) == dict.fromkeys(NAMES, 1) | dict.fromkeys(NAMES[:2], 6)
    confirms = {(record["trial"] > 1, record.get("confirms")) for record in grown.records()}
    assert confirms == {(False, None), (True, True)}
    shown = [
        "  scenarios that broke (up to 10% of this list may be luck)",
        "    before  now  further       p  parts at  scenario",
        "     10/10  0/1      0/5  <0.001 * lamp_00",
        "  passed less often; each alone may be luck",
        "    before  now  further *  scenario",
    ]
    result.stdout.fnmatch_lines(shown)
    capsys.readouterr()
    main(["compare", "baseline.jsonl", "results.jsonl", "--margin=0.3"])
    cut_off = "   10/10  0/1      4/5  0.333 * many.scenario.yaml::lamp_01"
    compared = LineMatcher(capsys.readouterr().out.splitlines())
    names = [line[2:].replace("* lamp_00", "* many.scenario.yaml::lamp_00") for line in shown]
    compared.fnmatch_lines([*names, cut_off])


@pytest.mark.parametrize("workers", ["", "-n2"])
def test_a_run_that_was_stopped_among_further_trials_is_resumed(grown: Suite, workers: str) -> None:
    by_name(grown, broken=NAMES[:7])
    whole = grown.run("--agent=oracle", *AUTO, ALONE)
    lines = (grown.path / "alone.jsonl").read_text().splitlines(keepends=True)
    (grown.path / "alone.jsonl").write_text("".join(lines[:-7]))
    by_name(grown, broken=NAMES[:7])
    run = partial(grown.run_apart, workers) if workers else grown.run
    result = run("--agent=oracle", *AUTO, "--sandbox-resume=alone.jsonl", ALONE)
    assert rounds_and_verdict(result) == rounds_and_verdict(whole)
    assert begun(grown).total() == 7
    written = (grown.path / "alone.jsonl").read_text().splitlines(keepends=True)
    assert len(written) == len(lines) == 22
    assert sum('"confirms": true' in line for line in written) == 10


def test_each_round_of_a_shipped_suite_is_printed_once(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = "scenarios/queries/tools.scenario.yaml"
    suite.run(shipped, "--agent=oracle", RESULTS)
    assert main(["baseline", "add", "results.jsonl", "--date=2025-03-01"]) == 0
    capsys.readouterr()
    result = suite.run_apart(shipped, "--agent=oracle", *AUTO[:2], "--sandbox-margin=0.01", "-n2")
    assert [line[-1] for line in rounds(result)] == ["2", "3", "5"]


WAITS = """if count == 13:
            while played["all"] < 18: threading.Event().wait(0.01)
            raise KeyboardInterrupt"""
"""The first one of the second round waits until five others began, three at a time."""


@pytest.mark.parametrize("option", ["-n0", "-n2", "--sandbox-concurrency=4"])
def test_a_stop_in_a_later_round_keeps_what_was_played_and_says_what_is_missing(
    grown: Suite, option: str
) -> None:
    if option.startswith("-n"):
        by_name(grown, "if name == 'lamp_05' and count == 2: raise KeyboardInterrupt")
        result = grown.run_apart("--agent=oracle", *AUTO, OPEN, RESULTS, option)
        assert len(rounds(result)) == 1
    else:
        agent(grown, f"{WAITS}\n        {TWO}")
        result = grown.run_apart(*AUTO, OPEN, RESULTS, option)
        assert trials(grown)[2] >= 2
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert trials(grown)[1] == 12
    missing = 12 - trials(grown)[2]
    line = f"the run was stopped; {missing} of 12 items unfinished ({missing} trial*"
    result.stdout.fnmatch_lines(line)
    assert 0 < missing < 12


STOPPED_LATE = """
torn_down = []


def pytest_runtest_teardown(item):
    torn_down.extend([item] if item.name == "lamp_05" else [])
    if len(torn_down) == 2:
        raise KeyboardInterrupt
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_stop_while_a_trial_of_a_later_round_is_torn_down(grown: Suite, workers: str) -> None:
    """It is recorded, and once."""
    by_name(grown)
    file = grown.path / "conftest.py"
    file.write_text(file.read_text() + STOPPED_LATE)
    result = grown.run_apart("--agent=oracle", *AUTO, OPEN, RESULTS, workers)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    played = [record["trial"] for record in grown.records() if record["scenario"] == "lamp_05"]
    assert played == [1, 2]


@pytest.mark.parametrize("workers", ["", "-n2"])
def test_an_error_of_a_later_round_is_one_of_its_item_and_may_end_the_run(
    grown: Suite, workers: str
) -> None:
    by_name(grown, "if name == 'lamp_05' and count == 2: raise AgentError('closed')")
    run = partial(grown.run_apart, *filter(None, [workers]))
    result = run("--agent=oracle", *AUTO, OPEN, RESULTS, "--maxfail=3")
    result.assert_outcomes(passed=10, failed=2, errors=1)
    assert len(rounds(result)) == 1
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    if not workers:  # which may have played all by then
        ended = (
            "the run ended early: stopping after 3 failures; 6 of 12 items unfinished (6 trials); *"
        )
        result.stdout.fnmatch_lines(ended)


@pytest.mark.any_pytest
@pytest.mark.parametrize("workers", ["", "-n2"])
@pytest.mark.parametrize("output", ["no", "system-out"])
def test_cases_of_junit_xml_have_all_trials(grown: Suite, workers: str, output: str) -> None:
    by_name(grown, "if name == 'lamp_05' and count == 2: return 'Not today.'")
    grown.ini(f"junit_logging = {output}")
    options = (*AUTO, OPEN, "--junitxml=junit.xml", *filter(None, [workers]))
    result = grown.run_apart("--agent=oracle", *options)
    assert [line[-1] for line in rounds(result)] == ["2", "3", "5"]
    suite, cases = grown.junit()
    figures = {name: cases[name] for name in NAMES}
    assert cases["lamp_05"]["score"] == "0.8"
    assert {of_item["trials"] for of_item in figures.values()} == {"5"}
    passed = [int(of_item["trials_passed"]) for of_item in figures.values()]
    assert passed == [5, 5, 5, 0, 0, 4, 5, 5, 5, 5, 5, 5]
    mean = sum(float(of_item["score"]) for of_item in figures.values()) / len(figures)
    assert mean == pytest.approx(float(suite["toolsandbox.score"]))
    text = (grown.path / "junit.xml").read_text()
    assert text.count("score 0.8, turns 3.6, calls 0.8") == 1
    assert text.count("score 1.0, turns 4, calls 1") == 9
