"""What a run used: in records, the summary, pages and JUnit XML."""

from __future__ import annotations

from importlib.util import find_spec
from xml.etree import ElementTree as ET

import pytest
from desk import LIGHT, Suite
from model_server import Answer, ModelServer, Request, calls, text

from pytest_toolsandbox.__main__ import main

pytestmark = pytest.mark.any_pytest

ALL = ("--sandbox-results=results.jsonl", "--junitxml=junit.xml")
OWN = """
import threading, time


def agent(messages, tools):
    usage = {"input_tokens": 100, "output_tokens": 10}
    if len(messages) == 2:
        call = {"function": {"name": "switch_lamp", "arguments": '{"on": true}'}}
        return {"tool_calls": [call], "usage": usage, "model": "our-model"}
    return {"content": "It is on.", "usage": usage, "model": "our-model"}


def fails(messages, tools):
    return {"content": "No.", "usage": {"input_tokens": 100, "output_tokens": 10}}


def partly(messages, tools):
    reply = agent(messages, tools)
    return reply if "tool_calls" in reply else {**reply, "usage": {"input_tokens": 100}}


def silent(messages, tools):
    return {name: value for name, value in agent(messages, tools).items() if name != "usage"}


asked, is_over = [], threading.Event()


def last(messages, tools):
    asked.append(messages)
    if messages[1]["content"] == "Wait." and len(messages) > 2:
        is_over.wait(300)
    if messages[-1]["content"] != "Fail.":
        return agent(messages, tools)
    while len(asked) < 1 + 4 * 2:
        time.sleep(0.01)
    return fails(messages, tools)
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    suite = Suite(pytester)
    suite.conftest("")
    suite.write("light.scenario.yaml", LIGHT)
    suite.write("own.py", OWN)
    return suite


def lamp(request: Request) -> Answer:
    """Turn the lamp on, and say so."""
    is_first = request.body["messages"][-1]["role"] == "user"
    return calls(("switch_lamp", {"on": True})) if is_first else text("It is on.")


@pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm's prices")
def test_a_model_is_counted_everywhere(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(lamp) as server:
        server.replace_openai(monkeypatch)
        result = suite.run_apart("--agent=openai/gpt-4.1", *ALL)
    result.assert_outcomes(passed=1)
    (record,) = suite.records()
    usage = record["usage"]["agent"]
    assert usage.pop("latency") > 0
    assert usage.pop("waited") >= 0
    assert usage == {
        "requests": 2,
        "retries": 0,
        "input_tokens": 14,
        "output_tokens": 6,
        "cached_tokens": None,
        "reasoning_tokens": None,
        "cost": 0.000076,  # 2 and 8 dollars for a million
        "timed": 2,
    }
    assert record["duration"] > 0
    result.stdout.fnmatch_lines(
        [
            "used * requests  again  tokens in  cached  out     US$  s each",
            "agent * 2      0         14     n/a    6  0.0001  *[0-9].[0-9]*",
        ]
    )
    properties, cases = suite.junit()
    assert properties["toolsandbox.usage.cost"] == "7.6e-05"
    assert properties["toolsandbox.usage.agent.input_tokens"] == "14"
    assert properties["toolsandbox.usage.single_tool_call.requests"] == "2"
    assert cases["light"]["agent.output_tokens"] == "6"
    assert "agent.cached_tokens" not in cases["light"]


@pytest.mark.parametrize(("workers", "logging"), [("-n0", "no"), ("-n1", "all")])
def test_an_agent_of_ones_own_at_its_own_prices(suite: Suite, workers: str, logging: str) -> None:
    suite.ini(f"junit_logging = {logging}", "sandbox_prices =", "    our-model = 1 10")
    suite.run_apart("--agent=own:agent", workers, *ALL).assert_outcomes(passed=1)
    case = ET.parse(suite.path / "junit.xml").find(".//testcase")  # pytest wrote it
    assert case is not None
    assert {"agent.cost"} == {
        name
        for child in case.iter("property")
        if (name := child.attrib["name"]) in ("agent.cost", "agent.latency", "agent.waited")
    }  # nobody saw how long it took
    (output,) = case.findall("system-out")
    assert output.text is not None
    assert output.text.strip().endswith(
        "score 1.0, turns 4, calls 1; agent: 2 requests, 200 tokens in, 20 out, $0.0004"
    )
    assert suite.records()[0]["usage"]["agent"]["cost"] == 0.0004


def test_each_message_says_what_it_took(suite: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    suite.ini("sandbox_prices =", "    our-model = 1 10")
    suite.run("--agent=own:agent", "--sandbox-html=r.html", *ALL)
    figures = {"asker": "agent", "input_tokens": 100, "output_tokens": 10, "cost": 0.0002}
    expected = [{"message": at, **figures} for at in (2, 4)]
    assert [
        {name: value for name, value in usage.items() if name != "latency"}
        for usage in suite.records()[0]["message_usage"]
    ] == expected
    capsys.readouterr()
    assert main(["show", str(suite.path / "results.jsonl"), "light"]) == 0
    shown = capsys.readouterr().out.split("\n")
    place = next(at for at, line in enumerate(shown) if line.startswith("  [ 2]"))
    assert shown[place + 1].startswith("       ^ agent: 100 tokens in, 10 out, $0.0002")
    suite.run("--sandbox-rejudge=results.jsonl", "--sandbox-results=again.jsonl")
    assert suite.records("again.jsonl")[0]["message_usage"] == suite.records()[0]["message_usage"]


def test_the_oracle_uses_nothing_and_takes_no_time(suite: Suite) -> None:
    result = suite.run("--agent=oracle", *ALL)
    (record,) = suite.records()
    assert not {"usage", "duration"} & set(record)
    result.stdout.no_fnmatch_line("used*")
    assert not [name for name in suite.junit()[0] if "usage" in name]


FIVE = f"scenarios: {{a: , b: , c: , d: , e: }}\n{LIGHT}"


@pytest.mark.parametrize(
    ("limit", "played", "is_reached"),
    [
        ("--sandbox-max-tokens=300", 2, "are used"),
        ("--sandbox-max-cost=0.0005", 2, "is spent"),
        ("--sandbox-max-time=1e-09", 0, "is over"),
    ],
)
def test_a_budget_ends_a_run_cleanly(
    suite: Suite, limit: str, played: int, is_reached: str
) -> None:
    suite.write("light.scenario.yaml", FIVE)
    suite.ini("sandbox_prices =", "    our-model = 1 10")
    result = suite.run("--agent=own:agent", "--sandbox-concurrency=1", limit, *ALL)
    result.assert_outcomes(passed=played, skipped=5 - played)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    not_run = f"{5 - played} of 5 items not run; --sandbox-resume=results.jsonl plays the rest"
    line = f"budget: {limit} {is_reached}; {not_run}"
    assert line in result.outlines
    outcomes = [record["outcome"] for record in suite.records()]
    assert outcomes.count("passed") == played
    assert outcomes.count("not_run") == 5 - played


def test_workers_share_a_budget(suite: Suite) -> None:
    suite.write("light.scenario.yaml", FIVE)
    arguments = ("--agent=own:agent", "-n2", "--sandbox-concurrency=1", "--sandbox-max-tokens=200")
    result = suite.run_apart(*arguments, "--sandbox-results=results.jsonl")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (
        1 <= sum(record["outcome"] == "passed" for record in suite.records()) <= 2
    )  # one, and what the other worker had begun by then
    result.stdout.fnmatch_lines(
        ["budget: --sandbox-max-tokens=200 are used; [34] of 5 items not run; *"]
    )


SLOW = """
from types import SimpleNamespace
from pytest_toolsandbox.models import usage as budget

now = [time.monotonic()]
budget.time = SimpleNamespace(monotonic=lambda: now[0])


def slow(messages, tools):
    now[0] += 40
    return agent(messages, tools)
"""
"""A clock that stands still until the agent is asked."""
PROCESSES = pytest.mark.parametrize("workers", [(), ("-n1",)])
BEYOND = "were used, more than {}: conversations that had begun went on"


@PROCESSES
def test_what_went_beyond_the_budget_is_told_and_does_not_pass(
    suite: Suite, workers: tuple[str, ...]
) -> None:
    suite.ini("sandbox_prices =", "    our-model = 1 10")
    limits = ("--sandbox-max-tokens=150", "--sandbox-max-cost=0.0001")
    result = suite.run_apart("--agent=own:agent", *limits, *workers)
    result.assert_outcomes(passed=1)
    named = "--sandbox-max-cost=0.0001 and --sandbox-max-tokens=150"
    result.stdout.fnmatch_lines(f"budget: 220 tokens, $0.0004 {BEYOND.format(named)}")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@PROCESSES
def test_what_took_longer_than_the_budget_does_not_pass(
    suite: Suite, workers: tuple[str, ...]
) -> None:
    suite.write("own.py", OWN + SLOW)
    result = suite.run_apart("--agent=own:slow", "--sandbox-max-time=60", *workers)
    result.assert_outcomes(passed=1)
    line = f"budget: 220 tokens, * s {BEYOND.format('--sandbox-max-time=60')}"
    result.stdout.fnmatch_lines(line)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    within = suite.run_apart("--agent=own:slow", "--sandbox-max-time=80", *workers)
    assert within.ret == pytest.ExitCode.OK
    suite.write("light.scenario.yaml", FIVE)
    result = suite.run_apart("--agent=own:slow", "--sandbox-max-time=60", *workers)
    lines = [line for line in result.outlines if line.startswith("budget: ")]
    assert lines == ["budget: --sandbox-max-time=60 is over; 4 of 5 items not run"]


def test_no_gate_passes_what_went_beyond_the_budget(suite: Suite) -> None:
    gate = ("--sandbox-gate=means", "--sandbox-min-score=0")
    result = suite.run("--agent=own:fails", *gate, "--sandbox-max-tokens=100", *ALL)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(  # the page of the failure ends with it
        ["used", "  agent: 1 request, 100 tokens in, 10 out, cost unknown", "*= toolsandbox =*"]
    )
    assert "<system-out>" not in (suite.path / "junit.xml").read_text(encoding="utf-8")
    result.stdout.fnmatch_lines(
        [
            "gate: the session fails, since more was used than the budget allows",
            "  1 failed scenario alone would not fail it: the means decide",
        ]
    )
    within = suite.run("--agent=own:fails", *gate, "--sandbox-max-tokens=110")
    assert within.ret == pytest.ExitCode.OK


@PROCESSES
def test_what_runs_again_used_is_told(suite: Suite, workers: tuple[str, ...]) -> None:
    again = ("-p", "pytest_rerunfailures", "--reruns=2")
    result = suite.run_apart("--agent=own:fails", *again, *workers)
    result.stdout.fnmatch_lines(
        "usage: 330 tokens in all; 220 tokens of it by conversations that are in no table, "
        "since they are in quarantine, were played again, or were left at the end"
    )


def test_what_is_in_quarantine_or_left_at_the_end_used_is_told(suite: Suite) -> None:
    suite.write("light.scenario.yaml", FIVE.replace("{a: ,", "{a: {quarantine: flaky},"))
    result = suite.run("--agent=own:agent")
    result.stdout.fnmatch_lines(
        ["agent * 8 * 800 * 80 *", "usage: 1,100 tokens in all; 220 tokens of it by *quarantine*"]
    )
    fifth = FIVE.replace("{a: ,", "{a: {user: {opening: Fail.}},")
    suite.write("light.scenario.yaml", fifth.replace("e: }", "e: {user: {opening: Wait.}}}"))
    suite.conftest("import own\n\n\ndef pytest_sessionfinish(): own.is_over.set()")
    result = suite.run("--agent=own:last", "--sandbox-concurrency=5", "-x")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines("usage: * tokens in all; * tokens of it by conversations that *")


def test_a_budget_that_suffices_changes_nothing(suite: Suite) -> None:
    result = suite.run("--agent=own:agent", "--sandbox-max-cost=1", "--sandbox-max-tokens=9999")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        "budget: --sandbox-max-cost does not see 1 conversation, whose cost is unknown"
    )
    result.stdout.no_fnmatch_line("usage: *")
    result.stdout.no_fnmatch_line("budget: * were used*")
    result.stdout.no_fnmatch_line("budget: --sandbox-max-tokens does not see*")


def test_a_budget_says_what_it_does_not_see(suite: Suite) -> None:
    """Of a conversation once, whoever asked in it, and of one that nothing is told of."""
    suite.write("light.scenario.yaml", FIVE)
    limits = ("--sandbox-max-cost=1", "--sandbox-max-tokens=9999")
    stored = "--sandbox-results=results.jsonl"
    unseen = [
        "budget: --sandbox-max-cost does not see 5 conversations, whose cost is unknown",
        "budget: --sandbox-max-tokens does not see 5 conversations, whose tokens are unknown",
    ]
    for agent in ("partly", "silent"):
        result = suite.run(f"--agent=own:{agent}", *limits, stored, "--sandbox-overwrite")
        result.stdout.fnmatch_lines(unseen)
        result.stdout.no_fnmatch_line("usage: *")
    again = suite.run("--sandbox-rejudge=results.jsonl", *limits)
    again.stdout.no_fnmatch_line("budget: *")
