"""Scenarios that are played several times."""

from __future__ import annotations

import pytest
from desk import LIGHT, SWITCHING, Suite, section

AGENT = """
from pytest_toolsandbox import ProviderError

@pytest.fixture
def agent(agent):
    played = []
    def agent_of_the_day(messages, tools):
        if len(messages) == 2:
            played.append(1)
        if len(played) in {fails}:
            return "Not today."
        if len(played) in {raises}:
            {error}
        return agent(messages, tools)
    return agent_of_the_day
"""


def trials(
    suite: Suite,
    fails: str = "()",
    raises: str = "()",
    error: str = 'raise AgentError("closed")',
    count: int = 3,
) -> None:
    suite.conftest(AGENT.format(fails=fails, raises=raises, error=error))
    suite.write("light.scenario.yaml", f"trials: {count}\n{LIGHT}")


OPTIONS = ("--agent=oracle", "--sandbox-results=results.jsonl", "--junitxml=junit.xml")


def test_one_that_fails_is_enough(suite: Suite) -> None:
    trials(suite, fails="(2,)")
    result = suite.run(*OPTIONS)
    result.assert_outcomes(failed=1)
    assert section(result, "light").startswith(
        "1 of 3 trials failed; trial 2: missed light_on, user_told (0 of 2 milestones reached); "
    )
    result.stdout.fnmatch_lines("all scenarios * 1 * 0 * 1 * 0 * 0.667 * 3.3 * 0.7")
    assert [r["scores"]["score"] for r in suite.records()] == [1.0, 0.0, 1.0]
    _, cases = suite.junit()
    figures = [cases["light"][name] for name in ("score", "trials", "trials_passed", "IAC")]
    assert figures == ["0.666667", "3", "2", "0.977778"]  # one call of three trials' fifteen


def test_an_error_of_one_is_an_error_of_all(suite: Suite) -> None:
    trials(suite, fails="(1,)", raises="(2,)")
    result = suite.run(*OPTIONS)
    result.assert_outcomes(errors=1)
    page = section(result, "ERROR at conversation of light")
    assert page.startswith(
        "1 of 3 trials could not be scored, 1 of 3 trials failed; trial 2: closed\n"
    )
    scores = "1 of 3 trials could not be scored, 1 of 3 trials failed"
    assert result.outlines[-2] == f"ERROR closed ({scores}) - light.scenario.yaml::light"
    assert "\n\ntrial 1: missed light_on, user_told (0 of 2 " in page
    assert "\n\ntrial 3: passed\n\ntrial 3 and trial 1 part at [2]\n" in page
    result.stdout.fnmatch_lines("all scenarios * 1 * 0 * 0 * 1 * n/a * n/a * n/a")
    assert outcomes(suite) == [(1, "failed"), (2, "error"), (3, "passed")]
    _, cases = suite.junit()
    assert "score" not in cases["light"]


@pytest.mark.parametrize("raises", ["(1,)", "(3,)"])
def test_an_error_of_any_is_no_failure_that_was_expected(suite: Suite, raises: str) -> None:
    trials(suite, raises=raises)
    suite.write("light.scenario.yaml", f"marks: [xfail]\ntrials: 3\n{LIGHT}")
    suite.run("--agent=oracle").assert_outcomes(errors=1)


@pytest.mark.parametrize(
    ("ends", "raised"),
    [
        ("pytest.fail('took too long')", "Failed: took too long"),
        ("pytest.skip('closed')", "Skipped: closed"),
    ],
)
def test_finished_trials_stay_where_a_later_one_ends_the_item(
    suite: Suite, ends: str, raised: str
) -> None:
    trials(suite, "(1,)", "(3,)", ends)
    result = suite.run(*OPTIONS)
    result.assert_outcomes(errors=1)
    records = suite.records()
    assert [record["outcome"] for record in records] == ["failed", "passed", "error"]
    assert records[2]["reason"].startswith(f"the agent raised {raised} (conftest.py:")


def outcomes(suite: Suite) -> list[tuple[int, str]]:
    return [(record["trial"], record["outcome"]) for record in suite.records()]


def test_the_command_line_wins_and_the_ini_file_gives_way(suite: Suite) -> None:
    suite.write("a.scenario.yaml", f"scenarios: {{own: {{trials: 2}}, other: }}\n{LIGHT}")
    suite.ini("sandbox_trials = 3")
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl")
    assert [record["scenario"] for record in suite.records()] == ["other"] * 3 + ["own"] * 2
    suite.run("--agent=oracle", "--sandbox-results=four.jsonl", "--sandbox-trials=4")
    assert len(suite.records("four.jsonl")) == 8


RULES = [
    # rule, trials that fail, outcome of the item, trials that are played
    ("all", "(2,)", "failed", "PF"),
    ("all", "()", "passed", "PPPPP"),
    ("any", "(1, 2)", "passed", "FFP"),
    ("majority", "(2,)", "passed", "PFPP"),
    ("4", "(1, 2)", "failed", "FF"),
]


@pytest.mark.parametrize(("rule", "fails", "outcome", "played"), RULES)
def test_a_rule_decides_and_no_more_are_played_than_it_needs(
    suite: Suite, rule: str, fails: str, outcome: str, played: str
) -> None:
    trials(suite, fails=fails)
    result = suite.run(*OPTIONS, "--sandbox-trials=5", f"--sandbox-pass={rule}")
    result.assert_outcomes(**{outcome: 1})
    words = {"P": "passed", "F": "failed"}
    assert outcomes(suite) == [(i, words[letter]) for i, letter in enumerate(played, 1)]
    passed, score = outcome == "passed", played.count("P") / len(played)
    row = f"all scenarios * 1 * {passed:d} * {not passed:d} * 0 * {score:.3f} *"
    result.stdout.fnmatch_lines(row)
    needed = {"all": 5, "any": 1, "majority": 3}.get(rule) or int(rule)
    assert {tuple(record["of_trials"].values()) for record in suite.records()} == {(5, needed)}
    _, cases = suite.junit()
    assert cases["light"]["trials"] == str(len(played))
    assert cases["light"]["trials_passed"] == str(played.count("P"))


@pytest.mark.parametrize("option", ["--sandbox-min-score=0", "-n0"])
def test_all_are_played_where_means_gate(suite: Suite, option: str) -> None:
    trials(suite, fails="(1,)")
    suite.run(*OPTIONS, "--sandbox-pass=all", option)
    assert len(outcomes(suite)) == (1 if option == "-n0" else 3)


def test_the_page_shows_the_rule_and_where_trials_part(suite: Suite) -> None:
    trials(suite, fails="(1, 2)")
    result = suite.run(*OPTIONS, "--sandbox-trials=3", "--sandbox-pass=majority")
    page = section(result, "light")
    assert page.startswith("2 of 2 trials failed, 2 of 3 must pass; trials 1, 2: missed light_on")
    suite.run(*OPTIONS, "--sandbox-overwrite")
    page = section(suite.run("--agent=oracle"), "light")
    assert page.endswith(
        "\n\ntrial 3 and trials 1, 2 part at [2]\n"
        "  trial 3      agent -> environment  switch_lamp(on=True)\n"
        "  trials 1, 2  agent -> user         Not today."
    )


@pytest.mark.parametrize(
    ("away", "passing", "fails", "expected"),
    [
        ("(2,)", "True", "()", "PPP"),  # it is repeated
        ("(2, 3, 4)", "True", "()", "PEP"),
        ("(2, 3, 4)", "True", "(1,)", "FEP"),  # one that fails is enough
        ("(2,)", "False", "()", "PEP"),
    ],
)
def test_outages_do_not_count(
    suite: Suite, away: str, passing: str, fails: str, expected: str
) -> None:
    outcome = "failed" if "F" in expected else "error" if "E" in expected else "passed"
    trials(suite, fails, away, f"raise ProviderError('503', is_passing={passing})")
    result = suite.run(*OPTIONS)
    result.assert_outcomes(**{"errors" if outcome == "error" else outcome: 1})
    words = {"P": "passed", "F": "failed", "E": "error"}
    assert [of_trial for _, of_trial in outcomes(suite)] == [words[letter] for letter in expected]
    if outcome == "failed":
        result.stdout.fnmatch_lines("all scenarios * 1 * 0 * 1 * 0 * 0.500 *")


def test_a_single_trial_is_not_repeated(suite: Suite) -> None:
    trials(suite, raises="(1,)", error="raise ProviderError('503', is_passing=True)", count=1)
    suite.run("--agent=oracle").assert_outcomes(errors=1)


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_what_can_never_pass_is_refused(suite: Suite, option: str) -> None:
    trials(suite)
    run = suite.run if option == "-n0" else suite.run_apart
    result = run("--agent=oracle", "--sandbox-pass=4", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    never = "light (3 trials) can never pass; give --sandbox-trials=4, or a smaller number"
    (line,) = [line for line in result.errlines if line.startswith("ERROR")]
    assert line == f"ERROR: --sandbox-pass=4: {never}"


def test_a_resumed_run_counts_the_trials_that_are_there(suite: Suite) -> None:
    trials(suite, raises="(2,)")
    suite.run(*OPTIONS, "--sandbox-trials=3", "--sandbox-pass=2")
    assert outcomes(suite) == [(1, "passed"), (2, "error"), (3, "passed")]
    trials(suite)
    decided = suite.run("--agent=oracle", "--sandbox-resume=results.jsonl", "--sandbox-pass=2")
    decided.assert_outcomes(passed=1)
    assert outcomes(suite) == [(1, "passed"), (3, "passed")]
    result = suite.run("--agent=oracle", "--sandbox-resume=results.jsonl")
    result.assert_outcomes(passed=1)
    assert outcomes(suite) == [(1, "passed"), (2, "passed"), (3, "passed")]


def test_a_rule_decides_about_records_too(suite: Suite) -> None:
    trials(suite, fails="(2,)")
    suite.run(*OPTIONS).assert_outcomes(failed=1)
    rejudge = "--sandbox-rejudge=results.jsonl"
    suite.run(rejudge).assert_outcomes(failed=1)
    suite.run(rejudge, "--sandbox-pass=majority", "--sandbox-results=new.jsonl").assert_outcomes(
        passed=1
    )
    assert [r["of_trials"] for r in suite.records("new.jsonl")] == [{"planned": 3, "needed": 2}] * 3


TOGETHER = """
import threading
meeting = threading.Barrier({size})

def meets(messages, tools):
    if messages[-1]["role"] != "tool":
        meeting.wait(300)
    return switching(messages, tools)
"""


@pytest.mark.parametrize(
    ("size", "option", "count"),
    [(3, "--sandbox-concurrency=3", 3), (2, "--sandbox-pass=majority", 2)],
)
def test_trials_that_are_played_in_any_case_are_played_together(
    suite: Suite, size: int, option: str, count: int
) -> None:
    suite.write("meeting.py", SWITCHING + TOGETHER.format(size=size))
    suite.write("light.scenario.yaml", f"trials: 3\n{LIGHT}")
    plain = ("-p", "no:cacheprovider", "--import-mode=importlib")
    together = ("--agent=meeting:meets", "--sandbox-concurrency=3", OPTIONS[1])
    result = suite.run(*together, option, *plain)
    result.assert_outcomes(passed=1)
    assert [trial for trial, _ in outcomes(suite)] == list(range(1, count + 1))


@pytest.mark.parametrize("option", ["-n2", "--reruns=1"])
def test_workers_and_reruns_tell_the_same(suite: Suite, option: str) -> None:
    suite.write("more.scenario.yaml", f"scenarios: {{a: , b: , c: }}\n{LIGHT}")
    rule = ("--sandbox-trials=3", "--sandbox-pass=2", "--agent=counterexample")
    suite.run(*rule, "--sandbox-results=alone.jsonl").assert_outcomes(failed=3)
    plugin = ("-p", "pytest_rerunfailures") if "reruns" in option else ()
    suite.run_apart(*rule, option, *plugin, "--sandbox-results=other.jsonl")
    assert suite.records("other.jsonl") == suite.records("alone.jsonl")
    assert len(suite.records("alone.jsonl")) == 6


DRAWING = """
import random
from pytest_toolsandbox import trial_seed

async def draws(messages, tools):
    return f"I drew {random.Random(trial_seed()).random()}."
"""


def test_a_trial_has_a_seed_of_its_own_that_is_the_same_again(suite: Suite) -> None:
    suite.write("drawing.py", DRAWING)
    suite.write("light.scenario.yaml", f"scenarios: {{a: , b: }}\n{LIGHT}")
    texts = []
    for number, option in enumerate(("--sandbox-concurrency=1", "--sandbox-concurrency=4", "-n2")):
        run = suite.run_apart if option == "-n2" else suite.run
        out = f"--sandbox-results={number}.jsonl"
        run("--agent=drawing:draws", "--sandbox-trials=3", out, option)
        records = suite.records(f"{number}.jsonl")
        texts.append([record["messages"][2]["content"] for record in records])
    assert texts[0] == texts[1] == texts[2]
    assert len(set(texts[0])) == 6
