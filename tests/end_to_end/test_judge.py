"""A model that judges what agents say: what it decides, and what is told of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Barrier

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

QUERY = """
world: desk
query: What do the notes say?
answer: {{mentions: ferns}}
solutions: {{reads: [{{read_notes: }}, {{finish: {{answer: Water the ferns.}}}}]}}
counterexamples: {{played: [{{read_notes: }}, {{finish: {{answer: "{says}"}}}}]}}
"""
SCENARIOS = {
    "german": saying("Es werde Licht: die Lampe brennt."),
    "idle": saying("The lamp is turned on.", calls=""),
    "lying": saying("The lamp is turned on, at a third of its power."),
    "silent": saying("Well."),
    "question": QUERY.format(says="Gib den Farnen Wasser."),
    "question_lied": QUERY.format(says="The notes say to water the ferns, at a third of it all."),
}
BY_FACTS = {
    **dict.fromkeys(("idle", "question"), "failed"),  # a call, and a fact of the answer
    **dict.fromkeys(("german", "lying", "silent", "question_lied"), "passed"),
}
BY_JUDGE = BY_FACTS | dict.fromkeys(("lying", "silent", "question_lied"), "failed")
ROOT = Path(__file__).parents[2]
AGENT = "--agent=counterexample"
JUDGE = "--sandbox-judge=openai/gpt-4o"
RESULTS = "--sandbox-results=results.jsonl"


def opinion(verdict: str, quote: str = "", why: str = "") -> Answer:
    answer = {"notes": [], "why": why, "verdict": verdict, "quote": quote, "against": ""}
    return calls(("judge_words", {**answer, "missing": why}))


def judged(request: Request) -> Answer:
    """Answer as somebody who reads German, and knows no third of anything."""
    conversation = request.body["messages"][1]["content"].partition("# The conversation")[2]
    if "third" in conversation:
        return opinion("false", "at a third of", "Nothing shows a third.")
    if "Well." in conversation:
        return opinion("incomplete", "", "It does not say that the lamp is on.")
    return opinion("right", "", "It is so.")


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    suite = Suite(pytester)
    suite.conftest("")
    for name, text in SCENARIOS.items():
        suite.write(f"{name}.scenario.yaml", text)
    return suite


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer(judged) as server:
        server.replace_openai(monkeypatch)
        yield server


def outcomes(suite: Suite, path: str = "results.jsonl") -> dict[str, str]:
    return {record["id"].rpartition("::")[2]: record["outcome"] for record in suite.records(path)}


def test_words_are_as_a_judge_thinks_where_calls_are_right(
    suite: Suite, judge: ModelServer
) -> None:
    suite.run(AGENT, "--sandbox-results=rules.jsonl")
    assert outcomes(suite, "rules.jsonl") == BY_FACTS

    result = suite.run_apart(AGENT, JUDGE, RESULTS, "--junitxml=junit.xml")
    assert outcomes(suite) == BY_JUDGE
    assert len(judge.requests) == 4  # whatever the other two say, calls or facts are wrong
    records = {record["id"].rpartition("::")[2]: record for record in suite.records()}
    opinions = {name: record.get("opinion") for name, record in records.items()}
    assert {name for name, opinion in opinions.items() if not opinion} == {"idle", "question"}
    assert {name: record.get("words") for name, record in records.items()} == {
        name: "judged" if opinions[name] else None for name in records
    }
    assert {name: record["scores"]["score"] for name, record in records.items()} == {
        name: float(outcome == "passed") for name, outcome in BY_JUDGE.items()
    } | {"idle": 0.5, "silent": 0.5}
    for record in records.values():
        assert record["judge"] == "openai/gpt-4o"
        Draft202012Validator(record_schema()).validate(record)
    result.stdout.fnmatch_lines(
        [
            "judge: openai/gpt-4o judged 4 of 6 conversations: 1 right, 2 false, 1 *",
        ]
    )
    whole, cases = suite.junit()
    assert whole["toolsandbox.usage.judge.requests"] == "4"
    assert (cases["lying"]["judge.verdict"], cases["lying"]["words"]) == ("false", "judged")
    assert "judge.verdict" not in cases["idle"]

    page = section(result, "lying")
    assert page.startswith(
        "false by its judge: Nothing shows a third; missed user_told "
        "(1 of 2 milestones reached); score 0.00 of 1\n"
    )
    assert (
        "\njudge openai/gpt-4o\n"
        "  false  'at a third of': Nothing shows a third.\n"
        "\nerror patterns: none, but a wrong report\n"
    ) in page
    assert (
        "          expected claims turned on\n"
        "          found    'The lamp is turned on, at a third of its power.' "
        "(Nothing shows a third.)\n"
    ) in page
    assert (
        "at a third of its power.\n       ^ nearest to user_told\n       ^ false by its judge\n"
    ) in page
    page = section(result, "silent")
    assert "  incomplete  It does not say that the lamp is on.\n" in page
    page = section(result, "question_lied")
    assert page.startswith("false by its judge: Nothing shows a third; score 0 of 1\n")
    assert "(Nothing shows a third.)" in page


VAGUE = """
import json

SEND = "send_message_with_phone_number", {
    "phone_number": "+14155550111", "content": "I am running late."
}
STEPS = ("set_cellular_service_status", {"on": True}), SEND


def vague(messages, tools):
    made = sum(message["role"] == "tool" for message in messages)
    if made == len(STEPS):
        return "Katherine will be glad that you are on your way."
    name, given = STEPS[made]
    function = {"name": name, "arguments": json.dumps(given)}
    return {"content": None, "tool_calls": [{"id": str(made), "function": function}]}
"""

LIE = "Done, I texted Katherine that you are running late. She is fine with it."


def test_the_documentation_shows_a_page_and_what_leads_to_a_judge(
    suite: Suite, judge: ModelServer
) -> None:
    readme, page = ((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/judge.md"))
    scenario = readme.partition("## A scenario\n\n```yaml\n")[2].partition("```")[0]
    suite.write("scenarios/running_late.scenario.yaml", scenario)
    suite.write("my_agents.py", VAGUE)
    lines = suite.run("--agent=my_agents:vague", "scenarios/", RESULTS).outlines
    (place,) = (n for n, line in enumerate(lines) if line.startswith("words: "))
    assert "\n".join(lines[place : place + 2]) in page
    suite.write(
        "my_agents.py", VAGUE.replace("Katherine will be glad that you are on your way.", LIE)
    )
    judge.will_say(
        lambda _: opinion("false", "She is fine with it", "Nothing was heard from Katherine.")
    )
    result = suite.run_apart("--agent=my_agents:vague", JUDGE, "scenarios/")
    (shown,) = re.findall(r"(?m)^judge openai/gpt-4o\n  false.*$", section(result, "running_late"))
    assert shown in page


def test_an_opinion_is_kept_and_may_be_asked_for_later(suite: Suite, judge: ModelServer) -> None:
    suite.run(AGENT, "--sandbox-results=rules.jsonl")
    again = ("--sandbox-rejudge=rules.jsonl", RESULTS, JUDGE)
    suite.run_apart(*again)
    assert outcomes(suite) == BY_JUDGE
    counted = [
        record.get("usage", {}).get("judge", {}).get("requests", 0) for record in suite.records()
    ]
    assert sum(counted) == len(judge.requests) == 4
    judge.requests.clear()
    suite.run("--sandbox-rejudge=results.jsonl", "--sandbox-results=third.jsonl")
    assert outcomes(suite, "third.jsonl") == BY_JUDGE
    assert judge.requests == []
    assert {record["judge"] for record in suite.records("third.jsonl")} == {"openai/gpt-4o"}


def test_an_opinion_is_recorded_and_replayed(suite: Suite, judge: ModelServer) -> None:
    cassettes = (AGENT, JUDGE, RESULTS, "--sandbox-overwrite")
    suite.run_apart(*cassettes, "--sandbox-record=new")
    assert outcomes(suite) == BY_JUDGE
    judge.requests.clear()
    suite.run_apart(*cassettes, "--sandbox-record=replay")
    assert outcomes(suite) == BY_JUDGE
    assert judge.requests == []


def test_an_outage_of_a_judge_is_no_verdict_and_loses_no_conversation(
    suite: Suite, judge: ModelServer
) -> None:
    judge.will_say(lambda _: fault(503, "down for repair"))
    result = suite.run_apart(AGENT, JUDGE, RESULTS, "--sandbox-retries=0", "german.scenario.yaml")
    result.assert_outcomes(errors=1)
    (record,) = suite.records()
    assert (record["outcome"], record["cause"], record["unjudged"]) == ("error", "provider", True)
    assert record["reason"].startswith("openai/gpt-4o: the provider failed (503)")
    assert record["no_error_patterns"] == "the conversation was not judged"
    Draft202012Validator(record_schema()).validate(record)

    again = ("--sandbox-rejudge=results.jsonl", "german.scenario.yaml")
    result = suite.run(*again)
    result.assert_outcomes(errors=1)
    ask = "its judge was not asked of the stored conversation; give --sandbox-judge=openai/gpt-4o"
    result.stdout.fnmatch_lines([ask])
    judge.will_say(judged)
    suite.run_apart(*again, JUDGE).assert_outcomes(passed=1)


AGENT_OF_ITS_OWN = """
@pytest.fixture
def agent(request):
    switch = {"id": "1", "function": {"name": "switch_lamp", "arguments": '{"on": true}'}}
    def agent(messages, tools):
        if request.node.name != "idle" and messages[-1]["role"] == "user":
            return {"content": None, "tool_calls": [switch]}
        return "Es werde Licht."
    return agent
"""
UNREAD = "words: 1 of 1 passed item unread; --sandbox-judge=MODEL *"


def test_unread_words_lead_to_a_hint_about_judges(suite: Suite, judge: ModelServer) -> None:
    suite.conftest(AGENT_OF_ITS_OWN)
    options = ("german.scenario.yaml", "idle.scenario.yaml", RESULTS, "--sandbox-overwrite")
    result = suite.run(*options, "--sandbox-trials", "1", "--junitxml=junit.xml", "-rA")
    result.assert_outcomes(passed=1, failed=1)
    again = "german.scenario.yaml idle.scenario.yaml --sandbox-trials 1 --junitxml=junit.xml -rA "
    again += "--sandbox-rejudge=results.jsonl --sandbox-results=results-judged.jsonl"
    result.stdout.fnmatch_lines(
        [UNREAD, f"  pytest {again} --sandbox-judge=MODEL"], consecutive=True
    )
    words = {record["scenario"]: record.get("words") for record in suite.records()}
    assert words == {"german": "not_judged", "idle": None}
    Draft202012Validator(record_schema()).validate(suite.records()[0])
    _, cases = suite.junit()
    assert (cases["german"]["words"], "words" in cases["idle"]) == ("not_judged", False)

    suite.run_apart(*again.split(), JUDGE).assert_outcomes(passed=1, failed=1)
    judged_now = {
        record["scenario"]: record.get("words") for record in suite.records("results-judged.jsonl")
    }
    assert judged_now == {"german": "judged", "idle": None}
    assert len(judge.requests) == 1


def test_a_gate_may_demand_that_words_are_read(suite: Suite, judge: ModelServer) -> None:
    demand = "--sandbox-words=judged"
    result = suite.run(AGENT, demand, RESULTS)
    result.assert_outcomes(failed=2, errors=4)
    reason = "no judge has read the words: --sandbox-words=judged needs --sandbox-judge=MODEL"
    lost = [record for record in suite.records() if record["outcome"] == "error"]
    assert {(record["reason"], record["cause"], record["unjudged"]) for record in lost} == {
        (reason, "judge", True)
    }
    suite.run("--agent=oracle", demand).assert_outcomes(passed=6)  # a solution's own words
    suite.run_apart(AGENT, demand, JUDGE).assert_outcomes(passed=1, failed=5)
    suite.run_apart("--sandbox-rejudge=results.jsonl", demand, JUDGE).assert_outcomes(
        passed=1, failed=5
    )
    assert len(judge.requests) == 8


def test_unread_words_stand_beside_the_verdict(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.conftest(AGENT_OF_ITS_OWN)
    suite.run("german.scenario.yaml", RESULTS)
    assert main(["baseline", "add", "results.jsonl"]) == 0
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(suite.path / "summary.md"))
    options = ("-q", "--sandbox-html=r.html", "--sandbox-inconclusive=pass")
    result = suite.run("german.scenario.yaml", "--sandbox-baseline=baseline.jsonl", *options)
    *_, first, second, _ = result.outlines
    remark = "words: 1 of 1 passed item unread, so a false report may have passed;"
    assert (first, second) == (remark, "  --sandbox-judge=MODEL reads them")
    summary = (suite.path / "summary.md").read_text(encoding="utf-8")
    assert f"- {remark} --sandbox-judge=MODEL reads them\n" in summary
    page = (suite.path / "r.html").read_text(encoding="utf-8")
    assert f'<p class="remark">{remark}' in page.partition("</header>")[0]


@pytest.mark.parametrize(
    "options",
    [("-qq",), ("--sandbox-judge=none",), ("-k", "idle"), ("--agent=oracle",)],
    ids=["quiet", "no judge is wanted", "a wrong call", "a solution's own words"],
)
def test_no_judge_is_recommended_where_none_is_of_use(
    suite: Suite, options: tuple[str, ...]
) -> None:
    if options != ("--agent=oracle",):
        suite.conftest(AGENT_OF_ITS_OWN)
    result = suite.run("german.scenario.yaml", "idle.scenario.yaml", RESULTS, *options)
    result.stdout.fnmatch_lines(["all scenarios *"])
    result.stdout.no_fnmatch_line("words: *")
    result.stdout.no_fnmatch_line("*--sandbox-judge=MODEL*")


@pytest.mark.usefixtures("judge")
def test_a_secret_is_not_quoted_in_part(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", "at a third of its power")
    suite.run_apart(AGENT, JUDGE, RESULTS, "lying.scenario.yaml").assert_outcomes(failed=1)
    (record,) = suite.records()
    assert record["opinion"]["quote"] == "***"
    assert "third of its" not in json.dumps(record["messages"])


WRONG = {"verdict": "false", "quote": "Licht", "why": "It is dark."}
INVALID = [
    (
        opinion("false", "in all colours", "It has no colours."),
        "quotes what was not said: 'in all colours'",
    ),
    (opinion("incomplete"), "gave no reason for incomplete"),
    (opinion("so so"), "gave no verdict through judge_words, but 'so so'"),
    (calls(), "gave no verdict through judge_words"),
    (
        calls(("judge_words", WRONG)),
        "names neither evidence against the words nor what no evidence shows",
    ),
    (
        calls(("judge_words", {**WRONG, "against": "off"})),
        "quotes evidence that is not there: 'off'",
    ),
]


def test_a_judge_without_a_verdict_is_asked_again_and_told_why(
    suite: Suite, judge: ModelServer
) -> None:
    for number, _ in enumerate(INVALID):
        suite.write(f"invalid/{number}.scenario.yaml", saying(f"Es werde Licht {number}."))

    def invalid(request: Request) -> Answer:
        content = request.body["messages"][1]["content"].partition("# The conversation")[2]
        return next(a for n, (a, _) in enumerate(INVALID) if f"Es werde Licht {n}." in content)

    judge.will_say(invalid)
    result = suite.run_apart(AGENT, JUDGE, RESULTS, "invalid", "--sandbox-concurrency=1")
    result.assert_outcomes(errors=len(INVALID))
    questions = [request.body["messages"][1]["content"] for request in judge.requests]
    for number, (record, (_, problem)) in enumerate(zip(suite.records(), INVALID, strict=True)):
        first, second = (text for text in questions if f"Es werde Licht {number}." in text)
        assert second.startswith(f"{first}\n\n# Your first answer\n{{")
        assert f"\nIt cannot be used: it {problem}. Answer again" in second
        assert (record["cause"], record["unjudged"]) == ("judge", True)
        assert record["reason"] == (
            f"openai/gpt-4o: the judge {problem}; ask again, or use another model"
        )


def test_opinions_may_be_left_out(suite: Suite, judge: ModelServer) -> None:
    suite.ini("sandbox_judge = openai/gpt-4o")
    suite.run(AGENT, "--sandbox-results=judged.jsonl")
    asked = len(judge.requests)
    for source in (AGENT, "--sandbox-rejudge=judged.jsonl"):
        suite.run(source, "--sandbox-judge=none", RESULTS, "--sandbox-overwrite")
        assert outcomes(suite) == BY_FACTS
        assert not any(record.keys() & {"judge", "opinion"} for record in suite.records())
    assert len(judge.requests) == asked


@pytest.mark.parametrize("named", ["openai/gpt-4o", "models:one"])
def test_a_judge_without_a_key_ends_the_run(
    suite: Suite, judge: ModelServer, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    suite.write(
        "models.py", "from pytest_toolsandbox import ModelJudge\none = ModelJudge('openai/gpt-4o')"
    )
    monkeypatch.delenv("OPENAI_API_KEY")
    result = suite.run_apart(AGENT, f"--sandbox-judge={named}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    line = "*openai/gpt-4o: no API key; set OPENAI_API_KEY in the environment"
    result.stderr.fnmatch_lines([line])
    if named == "openai/gpt-4o":
        suite.write("test_other.py", "def test_it(): pass")
        suite.run_apart(AGENT, JUDGE).assert_outcomes(passed=1, failed=2, errors=4)
    assert judge.requests == []


def test_what_is_judged_again_keeps_within_a_budget(suite: Suite, judge: ModelServer) -> None:
    suite.run(AGENT, "--sandbox-results=rules.jsonl")
    again = ("--sandbox-rejudge=rules.jsonl", JUDGE, "--sandbox-max-tokens=15")
    result = suite.run_apart(*again, "--sandbox-concurrency=1")
    assert len(judge.requests) == 2
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["alone", "with workers"])
def test_what_is_judged_again_is_judged_at_the_same_time(
    suite: Suite, judge: ModelServer, options: tuple[str, ...]
) -> None:
    suite.run(AGENT, "--sandbox-trials=2", "--sandbox-results=rules.jsonl")
    meeting = Barrier(8)  # four of six conversations have words to judge, each in two trials

    def together(request: Request) -> Answer:
        meeting.wait(300)
        return judged(request)

    judge.will_say(together)
    again = ("--sandbox-rejudge=rules.jsonl", JUDGE, RESULTS, *options)
    result = suite.run_apart(*again, "-v")
    result.assert_outcomes(passed=1, failed=5)
    assert outcomes(suite) == BY_JUDGE
    if not options:
        played = [line.partition("::")[0] for line in result.outlines if "%]" in line]
        assert played == [f"{name}.scenario.yaml" for name in sorted(SCENARIOS)]
