"""``--sandbox-baseline``: a run beside those that were played before."""

from __future__ import annotations

import json

import pytest
from desk import LIGHT, WORLD, Suite, gate_text

from pytest_toolsandbox.__main__ import main

pytestmark = pytest.mark.any_pytest

NAMES = [f"lamp_{number:02}" for number in range(12)]
MANY = LIGHT + "\nscenarios:\n" + "".join(f"  {name}: {{}}\n" for name in NAMES)
RESULTS = "--sandbox-results=results.jsonl"
BASELINE = "--sandbox-baseline=baseline.jsonl"
MARGIN = "--sandbox-margin=0.3"

MADE: dict[str, str] = {}
"""The files that ``grown`` has made, once."""
BY_BASELINE = "alone would not fail it: the baseline decides"
BY_MEANS = "alone would not fail it: the means decide"
FAILS = "gate: the session fails, since"


@pytest.fixture
def grown(suite: Suite, capsys: pytest.CaptureFixture[str]) -> Suite:
    """A suite of twelve scenarios, and a baseline in which each passed ten times."""
    suite.write("many.scenario.yaml", MANY)
    if not MADE:
        suite.run("--agent=oracle", RESULTS)
        for day in range(1, 11):
            assert main(["baseline", "add", "results.jsonl", f"--date=2025-03-{day:02}"]) == 0
        capsys.readouterr()
        MADE.update({file.name: file.read_text() for file in suite.path.glob("*.jsonl")})
    for name, text in MADE.items():
        suite.write(name, text)
    return suite


def verdict_line(result: pytest.RunResult) -> str:
    lines = [line for line in result.outlines if line.startswith("baseline: ")]
    return "\n".join(lines).removeprefix("baseline: ")


@pytest.mark.parametrize("option", ["-n0", "-n2"])
def test_the_same_agent_is_no_worse_and_one_that_fails_is(
    grown: Suite, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = grown.run_apart("--agent=oracle", BASELINE, MARGIN, option)
    assert verdict_line(result) == "no worse: the drop is smaller than the margin of 0.3"
    assert result.ret == pytest.ExitCode.OK
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(grown.path / "summary.md"))
    result = grown.run_apart("--agent=counterexample", BASELINE, option, "--junitxml=junit.xml")
    assert verdict_line(result) == "worse: it passes less often than the baseline"
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    title = "scenarios that broke (up to 10% of this list may be luck)"
    assert f"  {title}" in result.outlines
    broke = [line.split() for line in result.outlines if line.startswith("     10/10")]
    assert [words.pop() for words in broke] == NAMES[:10]
    assert broke == [["10/10", "0/1", "0.091", "[4]"]] * 10
    assert gate_text(result) == f"{FAILS} it is worse 12 failed scenarios {BY_BASELINE}"

    verdict = {name.rpartition("verdict")[2]: text for name, text in grown.junit()[0].items()}
    assert verdict[""] == "worse"
    assert verdict[".why"] == "worse: it passes less often than the baseline"
    assert (verdict[".drop"], verdict[".margin"]) == ("1.0", "0.05")
    assert 0.5 < float(verdict[".drop.low"]) < 1

    text = (grown.path / "summary.md").read_text(encoding="utf-8")
    head, _, tables = text.partition(f"\n\n#### {title}\n\n")
    assert head.startswith("### \N{CROSS MARK} worse: ")
    assert "\n- pass rate 0.000, baseline " in head
    assert tables.startswith("| before | now | p | parts at | scenario |\n| ---: ")
    assert "- before" not in text
    assert text.index("#### ") < text.index("| failed | ") < text.index("| all scenarios | ")


HALF = """
from pytest_toolsandbox.models.errors import ProviderError

@pytest.fixture
def agent(agent, request):
    def away(messages, tools):
        raise ProviderError("503 Service Unavailable")
    return agent if int(request.node.name[-2:]) % 2 else away
"""


@pytest.mark.parametrize(
    ("option", "status"),
    [("fail", pytest.ExitCode.TESTS_FAILED), ("warn", pytest.ExitCode.OK)],
)
def test_an_outage_in_half_of_the_items_is_inconclusive(
    grown: Suite, option: str, status: pytest.ExitCode
) -> None:
    grown.conftest(HALF)
    result = grown.run("--agent=counterexample", BASELINE, f"--sandbox-inconclusive={option}")
    assert verdict_line(result) == "inconclusive: 50% of the trials are missing"
    assert result.ret == status
    which = "6 failed scenarios and 6 scenarios lost to an outage or the user"
    did = {
        "fail": f"{FAILS} it is inconclusive {which} {BY_BASELINE}",
        "warn": f"gate: {which} did not fail the session, because the baseline decides",
    }
    assert gate_text(result) == did[option]


NOTHING = "no scenario can be compared with the baseline"


def test_an_outage_in_all_items_is_not_green(grown: Suite) -> None:
    grown.conftest(HALF.replace("agent if int(request.node.name[-2:]) % 2 else away", "away"))
    result = grown.run_apart("--agent=oracle", BASELINE, "-n2")
    assert verdict_line(result) == "inconclusive: no scenario can be compared"
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    lost = "12 scenarios lost to an outage or the user"
    assert gate_text(result) == f"{FAILS} {NOTHING} {lost} {BY_BASELINE}"


OTHERS = MANY.replace("lamp_", "lantern_")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--agent=oracle"], pytest.ExitCode.OK),
        (["--agent=counterexample"], pytest.ExitCode.TESTS_FAILED),
        ([], pytest.ExitCode.OK),
        (["--sandbox-inconclusive=fail"], pytest.ExitCode.TESTS_FAILED),
        (["--agent=oracle", BASELINE], pytest.ExitCode.TESTS_FAILED),
        (["--agent=counterexample", BASELINE], pytest.ExitCode.TESTS_FAILED),
        ([BASELINE], pytest.ExitCode.TESTS_FAILED),
        (["-k", "nothing", BASELINE], pytest.ExitCode.TESTS_FAILED),
        (["-k", "nothing"], pytest.ExitCode.NO_TESTS_COLLECTED),
    ],
)
def test_where_nothing_is_compared_scenarios_decide_and_what_was_typed_is_missed(
    grown: Suite, arguments: list[str], status: pytest.ExitCode
) -> None:
    """A baseline in the ini file need not concern every run: here one of other scenarios."""
    grown.write("many.scenario.yaml", OTHERS)
    if BASELINE not in arguments:
        grown.write("pytest.ini", "[pytest]\nsandbox_baseline = baseline.jsonl\n")
    result = grown.run(*arguments)
    assert result.ret == status
    if BASELINE in arguments:
        assert verdict_line(result) == "inconclusive: no scenario can be compared"
    is_said = BASELINE in arguments or "--agent=counterexample" in arguments
    assert gate_text(result).startswith(f"{FAILS} {NOTHING}") is is_said


def test_a_critical_scenario_that_is_not_compared_gates_alone(grown: Suite) -> None:
    changed = "lamp_03: {critical: true, max_messages: 9}"
    grown.write("many.scenario.yaml", MANY.replace("lamp_03: {}", changed))
    grown.conftest(SOME)
    result = grown.run("--agent=oracle", BASELINE, MARGIN)
    assert verdict_line(result).startswith("no worse: ")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    why = "what is critical and in no baseline as it is now failed: many.scenario.yaml::lamp_03"
    assert gate_text(result) == f"{FAILS} {why} 1 failed scenario {BY_BASELINE}"


def test_means_may_decide_beside_a_baseline(grown: Suite) -> None:
    grown.conftest(SOME)
    how = ["--sandbox-gate=means", "--sandbox-margin=0.4"]
    result = grown.run("--agent=oracle", BASELINE, *how, "--sandbox-min-score=0.9")
    assert result.ret == pytest.ExitCode.OK
    assert (
        "gate: 1 failed scenario did not fail the session, because the means decide"
        in result.outlines
    )
    result = grown.run("--agent=oracle", BASELINE, *how, "--sandbox-min-score=0.99")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result = grown.run("--agent=counterexample", BASELINE, *how, "--sandbox-min-score=0.1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert gate_text(result) == f"{FAILS} it is worse 12 failed scenarios {BY_MEANS}"


LEAVES = """
import os

@pytest.fixture
def agent(agent, request):
    return agent if request.node.name != "lamp_03" else lambda messages, tools: os._exit(1)
"""


def test_what_a_lost_worker_played_is_missing_and_not_changed(grown: Suite) -> None:
    grown.conftest(LEAVES)
    result = grown.run_apart(
        "--agent=oracle", BASELINE, MARGIN, "-n2", RESULTS, "--sandbox-overwrite"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "not compared, since" not in result.stdout.str()
    result.stdout.fnmatch_lines("*% of the trials are missing")


def test_a_run_that_is_stopped_early_is_inconclusive(grown: Suite) -> None:
    result = grown.run("--agent=counterexample", BASELINE, "-x")
    assert verdict_line(result) == "inconclusive: 92% of the trials are missing"
    assert result.ret == pytest.ExitCode.TESTS_FAILED


SOME = """
@pytest.fixture
def agent(agent, request):
    return agent if request.node.name != "lamp_03" else lambda messages, tools: "No."
"""


def test_a_scenario_that_fails_does_not_fail_the_session_alone(grown: Suite) -> None:
    grown.conftest(SOME)
    result = grown.run("--agent=oracle", BASELINE, "--sandbox-margin=0.4")
    assert verdict_line(result).startswith("no worse: ")
    assert result.ret == pytest.ExitCode.OK
    assert (
        "gate: 1 failed scenario did not fail the session, because the baseline decides"
        in result.outlines
    )
    result = grown.run("--agent=oracle", BASELINE, "--sandbox-margin=0.4", "--sandbox-gate=items")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_code_that_breaks_fails_the_session(grown: Suite) -> None:
    grown.conftest(SOME.replace('"No."', "1 / 0"))
    result = grown.run("--agent=oracle", BASELINE, MARGIN)
    assert verdict_line(result).startswith("no worse: ")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_selection_is_compared_alone(grown: Suite) -> None:
    result = grown.run("--agent=counterexample", BASELINE, "-k", "lamp_1")
    assert verdict_line(result).startswith("worse: ")
    result.stdout.fnmatch_lines("*10 scenarios of the baseline not in this run")


def test_only_a_scenario_whose_task_changed_drops_out(grown: Suite) -> None:
    texts = "{critical: true, tags: [new], summary: The fourth.}"
    many = MANY.replace("lamp_04: {}", "lamp_04: {max_messages: 9}")
    grown.write("many.scenario.yaml", many.replace("lamp_05: {}", f"lamp_05: {texts}"))
    grown.write("conftest.py", WORLD.replace("Switch the lamp.", "Light it."))
    result = grown.run("--agent=oracle", BASELINE, MARGIN)
    assert verdict_line(result).startswith("no worse: ")
    result.stdout.fnmatch_lines("*11 scenarios compared; trials of each: 10 and 1")
    why = "another task or world than in the baseline"
    result.stdout.fnmatch_lines(f"*not compared, since {why}: many.scenario.yaml::lamp_04")


def test_another_way_to_call_tools_is_no_baseline(grown: Suite) -> None:
    result = grown.run("--agent=oracle", BASELINE, "--sandbox-call-format=text")
    assert verdict_line(result) == (
        "not comparable with the baseline, which was played otherwise: "
        "calls: text here, native there"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_another_user_ends_the_run_before_it_costs_anything(grown: Suite) -> None:
    result = grown.run("--agent=oracle", BASELINE, "--sandbox-user=human")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        "ERROR: --sandbox-baseline: it was played with the user scripted; "
        "a run with human needs a baseline of its own"
    )


def test_shards_that_were_merged_say_what_one_run_says(
    grown: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    grown.run("--agent=counterexample", "--sandbox-results=whole.jsonl")
    for number in (1, 2, 3):
        shard = f"--sandbox-shard={number}/3"
        grown.run("--agent=counterexample", f"--sandbox-results=part{number}.jsonl", shard)
    parts = [f"part{number}.jsonl" for number in (3, 1, 2)]
    assert main(["merge", *parts, "-o", "merged.jsonl"]) == 0
    capsys.readouterr()
    assert main(["compare", "baseline.jsonl", "whole.jsonl", "--format=json"]) == 1
    whole = json.loads(capsys.readouterr().out)["compared"]["whole.jsonl"]
    assert main(["compare", "baseline.jsonl", "merged.jsonl", "--format=json"]) == 1
    assert json.loads(capsys.readouterr().out)["compared"]["merged.jsonl"] == whole


def test_a_run_that_was_killed_and_resumed_says_what_one_run_says(grown: Suite) -> None:
    grown.run("--agent=counterexample", "--sandbox-results=part.jsonl", "-k", "lamp_0")
    options = ("--sandbox-resume=part.jsonl", "--sandbox-results=whole.jsonl")
    resumed = grown.run("--agent=counterexample", BASELINE, *options).outlines
    at_once = grown.run("--agent=counterexample", BASELINE).outlines
    line = "baseline: worse: it passes less often than the baseline"
    start, other = resumed.index(line), at_once.index(line)
    assert resumed[start:-1] == at_once[other:-1]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--sandbox-baseline=nowhere"], "--sandbox-baseline: there is no file nowhere"),
        (["--sandbox-baseline=results.jsonl"], "results.jsonl:1: this is no line of a baseline"),
        ([BASELINE, "--sandbox-margin=5"], "'5' is not a number from 0 to 1"),
    ],
)
def test_what_cannot_be_meant_ends_the_run_before_it_begins(
    grown: Suite, options: list[str], text: str
) -> None:
    result = grown.run("--agent=oracle", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(f"ERROR: *{text}*")
