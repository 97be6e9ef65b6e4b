"""Criteria of an author's own, votes, and the temperature of a judge, in runs of pytest."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from desk import Suite, saying, section
from jsonschema import Draft202012Validator
from model_server import Answer, ModelServer, Request, calls, fault

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.record import record_schema

pytestmark = [
    pytest.mark.any_pytest,
    pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx"),
]

AGENT = "--agent=counterexample"
JUDGE = "--sandbox-judge=openai/gpt-4o"
RESULTS = "--sandbox-results=results.jsonl"
LIGHT = saying("The lamp is turned on, lazybones.")
POLITE, SHORT, WARM, BRIEF = "stays polite", "is short", "is warm", "names no price"
QUOTED = {POLITE: "lazybones"}


def opinion(request: Request, *unmet: str, verdict: str = "right", **more: Any) -> Answer:
    """Answer that the words are right, and each criterion is met but those ``unmet``."""
    asked = request.body["messages"][1]["content"]
    listed = asked.partition("# Criteria\n")[2].partition("\n\n")[0].splitlines()
    criteria = [
        {
            "number": number,
            "note": "So it is.",
            "met": (criterion := line.partition(". ")[2]) not in unmet,
            "quote": QUOTED.get(criterion, "") if criterion in unmet else "",
            "missing": "" if criterion in QUOTED else "It is not there.",
        }
        for number, line in enumerate(listed, 1)
    ]
    answer = {"notes": [], "why": "", "verdict": verdict, "quote": "", "against": "", "missing": ""}
    return calls(("judge_words", {**answer, "criteria": criteria, **more}))


def record(suite: Suite) -> dict[str, Any]:
    (only,) = suite.records()
    Draft202012Validator(record_schema()).validate(only)
    return only


def test_criteria_of_all_places_are_asked_at_once(suite: Suite, server: ModelServer) -> None:
    suite.conftest(
        "from dataclasses import replace\n"
        "from pytest_toolsandbox.worlds.world import find_world\n"
        f"register_world(replace(find_world('desk'), judge=['{WARM}']))"
    )
    suite.ini("sandbox_judge_criteria =", f"  {BRIEF}")
    suite.write("light.scenario.yaml", f"{LIGHT}judge: [{POLITE}, {SHORT}]\n")
    server.will_say(lambda request: opinion(request, POLITE, SHORT))
    result = suite.run_apart(AGENT, JUDGE, RESULTS, "--junitxml=junit.xml", "--sandbox-html=r.html")
    result.assert_outcomes(failed=1)
    (request,) = server.requests
    system, user = (message["content"] for message in request.body["messages"])
    assert "Decide also, each by itself" in system
    assert f"# Criteria\n1. {WARM}\n2. {POLITE}\n3. {SHORT}\n4. {BRIEF}\n\n" in user
    parameters = request.body["tools"][0]["function"]["parameters"]
    assert [*parameters["properties"]][:1] == ["notes"]
    assert "criteria" in parameters["required"]

    assert record(suite)["opinion"]["criteria"] == [
        {"criterion": WARM, "met": True, "quote": "", "why": "It is not there."},
        {"criterion": POLITE, "met": False, "quote": "lazybones", "why": "So it is."},
        {"criterion": SHORT, "met": False, "quote": "", "why": "It is not there."},
        {"criterion": BRIEF, "met": True, "quote": "", "why": "It is not there."},
    ]
    page = section(result, "light")
    assert page.startswith(f"not met by its judge: {POLITE}, {SHORT}")
    assert "error patterns: none, but a criterion that is not met\n" in page
    assert "\n  right\n  met  is warm\n" in page
    assert "\n  not met  stays polite: 'lazybones': So it is.\n" in page
    assert "\n  not met  is short: It is not there.\n" in page
    assert "\n       ^ not met: stays polite\n" in page
    result.stdout.fnmatch_lines(
        ["judge: not met in 1 of 1: stays polite", "judge: not met in 1 of 1: is short"]
    )
    _, cases = suite.junit()
    properties = {name: value for name, value in cases["light"].items() if "criterion" in name}
    assert properties == {
        f"judge.criterion: {WARM}": "met",
        f"judge.criterion: {POLITE}": "not met",
        f"judge.criterion: {SHORT}": "not met",
        f"judge.criterion: {BRIEF}": "met",
    }
    assert "not met  stays polite" in (suite.path / "r.html").read_text("utf-8")


def test_one_of_a_group_is_enough(suite: Suite, server: ModelServer) -> None:
    group = f"judge: {{all_of: [{POLITE}], any_of: [{WARM}, {SHORT}]}}\n"
    suite.write("one.scenario.yaml", LIGHT + group)
    suite.write("none.scenario.yaml", LIGHT.replace("lazybones", "dear") + group)
    server.will_say(
        lambda request: opinion(request, SHORT, *[WARM] * ("dear" in str(request.body)))
    )
    suite.run_apart(AGENT, JUDGE, RESULTS).assert_outcomes(passed=1, failed=1)
    suite.run("--sandbox-rejudge=results.jsonl").assert_outcomes(passed=1, failed=1)
    assert len(server.requests) == 2


def test_a_criterion_of_today_has_to_be_asked(suite: Suite, server: ModelServer) -> None:
    suite.write("light.scenario.yaml", LIGHT)
    server.will_say(opinion)
    suite.run_apart(AGENT, JUDGE, RESULTS).assert_outcomes(passed=1)
    suite.write("light.scenario.yaml", f"{LIGHT}judge: {POLITE}\n")
    result = suite.run("--sandbox-rejudge=results.jsonl")
    result.assert_outcomes(errors=1)
    line = "its judge was not asked about a criterion of today, 'stays polite'; give --sandbox-*"
    result.stdout.fnmatch_lines([line])
    again = ("--sandbox-rejudge=results.jsonl", "--sandbox-results=again.jsonl")
    suite.run_apart(*again, JUDGE).assert_outcomes(passed=1)


UNPROVED: list[tuple[list[Any], str]] = [
    ([], "did not say whether the criterion is met: 'stays polite'"),
    ([{"number": 1, "met": False}], "gave no reason why a criterion is not met: 'stays polite'"),
    (
        [{"number": 1, "met": False, "quote": "you fool", "note": "Rude."}],
        "quotes what was not said: 'you fool'",
    ),
]


def test_a_criterion_without_proof_is_not_judged(suite: Suite, server: ModelServer) -> None:
    for number, _ in enumerate(UNPROVED):
        text = LIGHT.replace("lazybones", f"bones {number}")
        suite.write(f"{number}.scenario.yaml", f"{text}judge: {POLITE}\n")
    server.will_say(
        lambda request: opinion(
            request,
            criteria=next(
                c for n, (c, _) in enumerate(UNPROVED) if f"bones {n}" in str(request.body)
            ),
        )
    )
    suite.run_apart(AGENT, JUDGE, RESULTS).assert_outcomes(errors=3)
    for only, (_, problem) in zip(suite.records(), UNPROVED, strict=True):
        assert (only["cause"], only["unjudged"]) == ("judge", True)
        assert problem in only["reason"]


def test_a_second_answer_counts(suite: Suite, server: ModelServer) -> None:
    suite.write("light.scenario.yaml", LIGHT)
    wrong = {"verdict": "false", "quote": "in green", "why": "It is not.", "missing": "No green."}
    server.will(calls(("judge_words", wrong)))
    server.will(calls(("judge_words", {**wrong, "quote": "lazy\u200bbones"})))
    suite.run_apart(AGENT, JUDGE, RESULTS).assert_outcomes(failed=1)
    assert record(suite)["opinion"]["missing"] == "No green."
    question = server.requests[1].body["messages"][1]["content"]
    assert "It cannot be used: it quotes what was not said: 'in green'." in question


def test_a_run_that_lacks_a_criterion_is_judged_again_and_not_compared(
    suite: Suite, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    suite.write("light.scenario.yaml", LIGHT)
    server.will_say(lambda request: opinion(request, POLITE))
    suite.run_apart(AGENT, JUDGE, RESULTS).assert_outcomes(passed=1)
    (suite.path / "results.jsonl").rename(suite.path / "before.jsonl")
    suite.ini("sandbox_judge_criteria =", f"  {POLITE}")
    suite.run_apart(AGENT, JUDGE, RESULTS, "--sandbox-resume=before.jsonl").assert_outcomes(
        failed=1
    )
    assert record(suite)["judge_settings"]["criteria"] == [[POLITE]]
    assert len(server.requests) == 2
    assert main(["compare", "before.jsonl", "results.jsonl"]) == 1
    assert "no scenario" in capsys.readouterr().out


def test_criteria_do_not_count_without_a_judge(suite: Suite) -> None:
    suite.write("light.scenario.yaml", f"{LIGHT}judge: {POLITE}\n")
    suite.run(AGENT, RESULTS).assert_outcomes(passed=1)
    assert "opinion" not in record(suite)


def test_the_majority_of_votes_decides(suite: Suite, server: ModelServer) -> None:
    suite.write("light.scenario.yaml", LIGHT)
    verdicts = iter(["right", "incomplete", "right"] * 2)
    server.will_say(
        lambda request: opinion(request, verdict=next(verdicts), missing="All.", why="Why.")
    )
    result = suite.run_apart(AGENT, JUDGE, RESULTS, "--sandbox-judge-votes=3", "-rA")
    result.assert_outcomes(passed=1)
    only = record(suite)
    assert only["opinion"]["votes"] == {"right": 2, "incomplete": 1}
    assert only["judge_settings"]["votes"] == 3
    assert only["usage"]["judge"]["requests"] == 3
    suite.run_apart(
        *(AGENT, JUDGE, RESULTS, "--sandbox-overwrite", "--sandbox-record=new"),
        "--sandbox-judge-votes=3",
    )
    suite.run_apart(
        *(AGENT, JUDGE, RESULTS, "--sandbox-overwrite", "--sandbox-record=replay"),
        "--sandbox-judge-votes=3",
    ).assert_outcomes(passed=1)
    assert record(suite)["opinion"]["votes"] == {"right": 2, "incomplete": 1}
    assert len(server.requests) == 6


MODELS = """
from pytest_toolsandbox import CriterionOpinion, ModelJudge, Opinion
strict = ModelJudge("openai/own", votes=3, parameters={"temperature": 0.7})
given = iter("rfr" * 9)


def fickle(question):
    criteria = [CriterionOpinion(one, met=True) for one in question.criteria]
    if next(given) == "f":
        return Opinion("false", "lazybones", "It is rude.", criteria=criteria)
    return Opinion("right", criteria=criteria)


def silent(question):
    return Opinion("right")
"""


def test_a_judge_function_may_vote_and_check_criteria(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.write("voters.py", MODELS)
    monkeypatch.syspath_prepend(suite.path)
    suite.write("light.scenario.yaml", f"{LIGHT}judge: {POLITE}\n")
    votes = "--sandbox-judge-votes=3"
    suite.run(AGENT, "--sandbox-judge=voters:fickle", RESULTS, votes).assert_outcomes(passed=1)
    only = record(suite)
    assert only["opinion"]["votes"] == {"right": 2, "false": 1}
    assert only["opinion"]["criteria"] == [
        {"criterion": POLITE, "met": True, "quote": "", "why": ""}
    ]
    again = (AGENT, "--sandbox-judge=voters:silent", RESULTS, "--sandbox-overwrite")
    suite.run(*again).assert_outcomes(errors=1)
    reason = "voters:silent: the judge did not say whether the criterion is met: 'stays polite'"
    assert record(suite)["reason"] == reason


def test_the_temperature_is_0_unless_it_is_set_or_refused(
    suite: Suite, server: ModelServer
) -> None:
    suite.write("voters.py", MODELS)
    suite.write("light.scenario.yaml", LIGHT)
    server.will_say(opinion)
    suite.run_apart(AGENT, JUDGE).assert_outcomes(passed=1)
    suite.run_apart(AGENT, "--sandbox-judge=voters:strict").assert_outcomes(passed=1)
    assert [request.body["temperature"] for request in server.requests] == [0, 0.7, 0.7, 0.7]

    def refusing(request: Request) -> Answer:
        if "temperature" in request.body:
            return fault(400, "Unsupported value: 'temperature' does not support 0.", "unsupported")
        return opinion(request)

    server.requests.clear()
    server.will_say(refusing)
    suite.write("other.scenario.yaml", LIGHT)
    one_by_one = "--sandbox-concurrency=1"
    suite.run_apart(AGENT, "--sandbox-judge=openai/thinker", one_by_one).assert_outcomes(passed=2)
    assert ["temperature" in request.body for request in server.requests] == [True, False, False]
