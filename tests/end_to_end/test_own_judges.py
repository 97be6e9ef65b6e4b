"""A judge of one's own: a function, or a model with parameters, in a module."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from desk import Suite, saying, section
from jsonschema import Draft202012Validator
from model_server import ModelServer, calls, text

from pytest_toolsandbox.records.record import record_schema

pytestmark = pytest.mark.any_pytest

SAID = {"german": "Es werde Licht.", "lying": "It is turned on, in blue.", "silent": "Well."}
JUDGES = """
import asyncio
from pytest_toolsandbox import JudgeError, JudgeQuestion, Opinion, ProviderError


def judged(text):
    said = text.partition("# The conversation")[2]
    if "blue" in said:
        return Opinion("false", "in blue", "It has no colours.")
    if "Well" in said:
        return Opinion("incomplete", why="It says nothing of the lamp.")
    return Opinion("right")


def plain(question: JudgeQuestion) -> Opinion:
    assert question.rubric and question.scenario.name and question.trajectory.calls
    return judged(question.text)


async def waiting(question):
    await asyncio.sleep(0)
    return judged(question.text)


class Made:
    made = 0

    def __init__(self):
        Made.made += 1
        assert Made.made == 1

    def __call__(self, question):
        return judged(question.text)


async def factory():
    return plain


def lost(question):
    raise ProviderError("ours: down for repair")


def raising(question):
    raise ZeroDivisionError("one half")


def hanging(question):
    import time
    time.sleep(600)


def refusing(question):
    raise JudgeError("no opinion today")


def two(question, more):
    return judged(question.text)


answers = {
    "text": "right",
    "maybe": Opinion("maybe"),
    "number": Opinion("incomplete", why=3),
    "silent": Opinion("incomplete"),
    "misquoting": Opinion("false", "in green", "It has no colours."),
}
text, maybe, number, silent, misquoting = (
    lambda question, one=one: one for one in answers.values()
)
"""
FAILING = """
from pathlib import Path

def build():
    with Path("called.txt").open("a") as file:
        file.write("x")
    raise ValueError("no server")
"""
AGENT = "--agent=counterexample"
RESULTS = "--sandbox-results=results.jsonl"
ROOT = Path(__file__).parents[2]
OUTCOMES = {"german": "passed", "lying": "failed", "silent": "failed"}
HAS_LITELLM = find_spec("litellm") is not None


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    suite = Suite(pytester)
    suite.conftest("")
    suite.write("my.py", JUDGES)
    for name, says in SAID.items():
        suite.write(f"{name}.scenario.yaml", saying(says))
    monkeypatch.syspath_prepend(suite.path)
    return suite


def outcomes(suite: Suite, path: str = "results.jsonl") -> dict[str, str]:
    return {record["scenario"]: record["outcome"] for record in suite.records(path)}


@pytest.mark.parametrize("named", ["plain", "waiting", "Made"])
def test_a_function_judges_words(suite: Suite, named: str) -> None:
    suite.ini(f"sandbox_judge = my:{named}")
    result = suite.run(AGENT, RESULTS)
    assert outcomes(suite) == OUTCOMES
    for record in suite.records():
        assert (record["judge"], record["judge_settings"]) == (
            f"my:{named}",
            {"type": f"my:{named}"},
        )
        Draft202012Validator(record_schema()).validate(record)
    assert suite.records()[1]["opinion"] == {
        "verdict": "false",
        "quote": "in blue",
        "why": "It has no colours.",
    }
    line = "judge: my:* judged 3 of 3 conversations: 1 right, 1 false, 1 incomplete"
    result.stdout.fnmatch_lines([line])
    assert f"\njudge my:{named}\n" in section(result, "lying")


MISTAKES = {
    "my:plan": "--sandbox-judge=my:plan: my has no 'plan'; did you mean 'plain'?",
    "gptt": (
        "--sandbox-judge=gptt: there is no such judge; did you mean 'gpt'? "
        "(allowed: none, claude, gemini, gpt, provider/model, module:attribute)"
    ),
    "my:answers": (
        "--sandbox-judge=my:answers is a dict, which cannot be called; a judge takes (question) "
        "or is a ModelJudge, and a factory, which makes one, takes nothing"
    ),
    "my:two": (
        "--sandbox-judge=my:two takes (question, more); a judge takes (question) or is a "
        "ModelJudge, and a factory, which makes one, takes nothing"
    ),
    "my:factory": (
        "--sandbox-judge=my:factory is an async factory; a judge may be async, a factory not"
    ),
    ":plain": "--sandbox-judge=:plain: ':plain' names no judge; write module:attribute",
    "my:text": "my:text: the judge returned a str; expected an Opinion",
    "my:maybe": "my:maybe: the judge gave the verdict 'maybe'; expected right, false or incomplete",
    "my:number": "my:number: the judge returned an Opinion whose why is an int; expected text",
    "my:silent": "my:silent: the judge gave no reason for incomplete",
    "my:misquoting": "my:misquoting: the judge quotes what was not said: 'in green'",
    "my:refusing": "no opinion today",
    "my:raising": "my:raising: the judge raised ZeroDivisionError: one half (my.py:45)",
}


@pytest.mark.parametrize("named", MISTAKES)
def test_invalid_judges_and_opinions_are_errors(suite: Suite, named: str) -> None:
    result = suite.run(AGENT, f"--sandbox-judge={named}", RESULTS, "german.scenario.yaml")
    result.assert_outcomes(errors=1)
    (record,) = suite.records()
    assert (record["reason"], record["cause"]) == (MISTAKES[named], "judge")
    Draft202012Validator(record_schema()).validate(record)


def test_a_factory_that_fails_is_called_once(suite: Suite) -> None:
    suite.write("failing.py", FAILING)
    suite.run(AGENT, "--sandbox-judge=failing:build", RESULTS).assert_outcomes(errors=3)
    assert (suite.path / "called.txt").read_text("utf-8") == "x"
    raised = "--sandbox-judge=failing:build raised ValueError: no server (failing.py:7)"
    assert {record["reason"] for record in suite.records()} == {raised}


def test_a_judge_function_may_report_an_outage(suite: Suite) -> None:
    suite.run(AGENT, "--sandbox-judge=my:lost", RESULTS, "german.scenario.yaml")
    (record,) = suite.records()
    assert (record["reason"], record["cause"]) == ("ours: down for repair", "provider")
    assert record["unjudged"] is True
    again = ("--sandbox-rejudge=results.jsonl", "german.scenario.yaml")
    suite.run(*again, "--sandbox-judge=my:waiting").assert_outcomes(passed=1)
    result = suite.run(*again, "--sandbox-judge=my:raising")
    result.stdout.fnmatch_lines(["my:raising: the judge raised ZeroDivisionError: one half *"])


def test_the_timeout_of_the_scenario_limits_a_judge(suite: Suite) -> None:
    suite.write("german.scenario.yaml", saying("Es werde Licht.") + "timeout: 2\n")
    suite.run(AGENT, "--sandbox-judge=my:hanging", RESULTS, "german.scenario.yaml")
    (record,) = suite.records()
    limit = "2 s for an opinion; the scenario's 'timeout' sets another"
    assert record["reason"] == f"my:hanging: the judge took longer than {limit}"
    assert record["cause"] == "judge"


def test_opinions_of_a_function_are_recorded_and_replayed(suite: Suite) -> None:
    cassettes = (AGENT, RESULTS, "--sandbox-overwrite", "--sandbox-judge=my:plain")
    suite.run(*cassettes, "--sandbox-record=new")
    written = (suite.path / "cassettes/counterexample/lying.cassette.yaml").read_text("utf-8")
    assert "to: judge" in written
    assert "why: It has no colours." in written
    suite.write(
        "my.py",
        JUDGES.replace("def plain", "def other").replace("factory", "f") + "plain = raising\n",
    )
    suite.run_apart(*cassettes, "--sandbox-record=replay")
    assert outcomes(suite) == OUTCOMES


@pytest.mark.skipif(not HAS_LITELLM, reason="needs litellm, and openai with it")
def test_the_judges_of_the_documentation_work(
    suite: Suite, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "judge.md").read_text(encoding="utf-8")
    example = page.partition("```python\n# my_judges.py\n")[2].partition("```")[0]
    suite.write("my_judges.py", example.replace("http://localhost:8000/v1", server.url))
    options = (AGENT, RESULTS, "--sandbox-overwrite", "lying.scenario.yaml")

    wrong = {"verdict": "false", "quote": "in blue", "why": "It has no colours."}
    server.will(text(json.dumps(wrong)))
    suite.run_apart(*options, "--sandbox-judge=my_judges:ours").assert_outcomes(failed=1)
    assert suite.records()[0]["opinion"] == wrong
    system, user = server.requests.pop().body["messages"]
    assert "Judge the assistant's words alone" in system["content"]
    assert "It is turned on, in blue." in user["content"]

    server.will(calls(("judge_words", {"why": "", "verdict": "right", "quote": ""})))
    suite.run_apart(*options, "--sandbox-judge=my_judges:strict").assert_outcomes(passed=1)
    (record,) = suite.records()
    assert record["judge"] == "my_judges:strict"
    assert record["judge_settings"] == {
        "type": "pytest_toolsandbox.scoring.judges.model_judge:ModelJudge",
        "model": "openai/gpt-4.1",
        "timeout": 60,
        "parameters": {"temperature": 0, "seed": 7},
    }
    request = server.requests.pop()
    assert (request.body["temperature"], request.body["seed"]) == (0, 7)

    server.will(calls(("judge_words", {"why": "", "verdict": "right", "quote": ""})))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")  # nobody answers there
    suite.run_apart(*options, "--sandbox-judge=my_judges:local").assert_outcomes(passed=1)
    assert server.requests.pop().body["model"] == "our-judge"


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
def test_a_judge_may_be_a_subclass_of_model_judge(suite: Suite, server: ModelServer) -> None:
    suite.write(
        "models.py",
        "from pytest_toolsandbox import ModelJudge\n"
        "class Ours(ModelJudge):\n"
        "    def __init__(self): super().__init__('openai/ours')\n"
        "one = Ours()\n",
    )
    server.will(calls(("judge_words", {"why": "", "verdict": "right", "quote": ""})))
    options = (AGENT, RESULTS, "german.scenario.yaml")
    suite.run_apart(*options, "--sandbox-judge=models:one").assert_outcomes(passed=1)
    (record,) = suite.records()
    assert record["judge"] == "models:one"
    assert record["judge_settings"]["type"] == "models:Ours"
    assert record["judge_settings"]["model"] == "openai/ours"


@pytest.mark.parametrize(
    ("options", "kind", "cause"),
    [((AGENT, "--sandbox-judge"), "ModelJudge", "judge"), (("--agent",), "ModelAgent", "agent")],
)
def test_invalid_settings_are_errors_with_their_place(
    suite: Suite, options: tuple[str, ...], kind: str, cause: str
) -> None:
    *other_options, option = options
    model = f"one = {kind}('openai/a', timeout='soon')"
    suite.write("models.py", f"from pytest_toolsandbox import {kind}\n{model}\n")
    suite.run(*other_options, f"{option}=models:one", RESULTS, "german.scenario.yaml")
    (record,) = suite.records()
    assert record["reason"] == (
        f"{option}=models:one: importing models raised TypeError: timeout is 'soon'; expected "
        "seconds above 0, such as 60, at most 2592000 (30 days) (models.py:2)"
    )
    assert record["cause"] == cause
