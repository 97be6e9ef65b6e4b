"""Recorded conversations as items: pages, tables, properties, records."""

from __future__ import annotations

import re

import pytest
from desk import Suite, section
from judged import PATTERN_HEAD, PATTERN_KEY, pattern_row
from replayed import ALARMS

pytestmark = pytest.mark.any_pytest

WRONG = """
def wrong(messages, tools):
    if messages[-1]["role"] == "user":
        function = {"name": "AddAlarm", "arguments": '{"time": "07:00:00"}'}
        return {"content": None, "tool_calls": [{"id": "1", "function": function}]}
    return "Done."
"""
TABLE = f"""\
replayed conversations     success  precision  recall  incorrect actions
easy                    1     0.0%       0.0%    0.0%             100.0%
all scenarios           1     0.0%       0.0%    0.0%             100.0%

Alarm                                    0.0%    0.0%             100.0%
Messages                                  n/a    0.0%                n/a

errors: 2 bad planning, 1 bad call
Free texts were compared by the F1 of their words: figures are not comparable with published tables.

{PATTERN_HEAD}
{pattern_row("all scenarios", 1, 0, IAC=0.87, IAV=0.8)}
{PATTERN_KEY}
"""
TABLE_OF_ARMS = """\
replayed conversations     success  precision  recall  incorrect actions
easy                    2    50.0%      50.0%   66.7%               0.0%

feedback on             1   100.0%      60.0%  100.0%               0.0%
feedback off            1     0.0%      33.3%   33.3%                n/a

all scenarios           2    50.0%      50.0%   66.7%               0.0%

Alarm                                  100.0%   75.0%               0.0%
"""
PAGE = """\
score 0.00 of 1: 0 of 3 ground-truth calls made; 3 of 3 actions incorrect

An alarm, and which ones there are.

precision 0.0%, recall 0.0%, incorrect action rate 100.0%
errors: 2 bad planning, 1 bad call

missed calls
  AddAlarm(time='18:30:00')  nearest at [3]
      - time: expected '18:30:00', found '07:00:00'
  FindAlarms(start_range='18:00:00')  no call of it
  SendMessage(receiver='bob', message='I am on my way')  no call of it

incorrect actions
  [3] AddAlarm(time='07:00:00')  nearest to AddAlarm(time='18:30:00')
      - time: expected '18:30:00', found '07:00:00'
  [8] AddAlarm(time='07:00:00')  nearest to AddAlarm(time='18:30:00')
      - time: expected '18:30:00', found '07:00:00'
  [12] AddAlarm(time='07:00:00')  nearest to AddAlarm(time='18:30:00')
      - time: expected '18:30:00', found '07:00:00'

error patterns: IAV 3, IAC 2

conversation
  [ 1] user -> agent         Wake me at half past six tonight.
  [ 2] agent -> environment  AddAlarm(time='07:00:00')
       ^ IAV time for AddAlarm: expected '18:30:00', found '07:00:00'
  [ 3] environment -> agent  {"alarm_id": "5bff-dd80"}
       ^ an incorrect action
"""


@pytest.fixture
def office(suite: Suite) -> Suite:
    suite.write("alarms.scenario.yaml", ALARMS)
    suite.write("mine.py", WRONG)
    return suite


@pytest.mark.parametrize("processes", [(), ("-n", "2")])
def test_the_oracle_passes(office: Suite, processes: tuple[str, ...]) -> None:
    result = office.run_apart("--agent=oracle", "--sandbox-augment=all", *processes)
    result.assert_outcomes(passed=8)
    (table,) = re.findall(
        r"^replayed conversations.*?^Alarm", result.stdout.str(), re.MULTILINE | re.DOTALL
    )
    figures = "100.0%     100.0%  100.0%               0.0%"
    assert [line for line in table.splitlines()[1:-1] if line] == [
        f"easy                     8   {figures}",
        f"no_distraction_tools     1   {figures}",
        f"three_distraction_tools  1   {figures}",
        f"ten_distraction_tools    1   {figures}",
        f"all_tools_available      1   {figures}",
        f"all scenarios            8   {figures}",
    ]


def test_the_page_and_the_table(office: Suite) -> None:
    result = office.run("--agent=mine:wrong")
    result.assert_outcomes(failed=1)
    assert section(result, "alarms").startswith(PAGE)
    assert TABLE in result.stdout.str()


def test_junit_has_the_figures(office: Suite) -> None:
    office.run("--agent=mine:wrong", "--junitxml=junit.xml")
    suite, cases = office.junit()
    assert suite["toolsandbox.calls.easy.incorrect_action_rate"] == "1.0"
    assert suite["toolsandbox.calls.plugin.Messages.recall"] == "0.0"
    assert "toolsandbox.calls.plugin.Messages.precision" not in suite
    assert suite["toolsandbox.calls.similarity"] == "token_f1"
    assert suite["toolsandbox.calls.easy.soft_success"] == "0.0"
    assert suite["toolsandbox.calls.bad_planning"] == "2"
    expected = {
        "success_rate": "0.0",
        "soft_success": "0.0",
        "recall": "0.0",
        "over_trigger": "0",
        "bad_planning": "2",
        "bad_call": "1",
        "similarity": "token_f1",
    }
    assert {name: cases["alarms"][name] for name in expected} == expected


OBEYS = """
import json
def obeys(messages, tools):
    asked = [message["content"] for message in messages if message["role"] == "user"][-1]
    name, arguments = {
        "Wake": ("AddAlarm", {"time": "18:30:00"}),
        "In t": ("FindAlarms", {"start_range": "18:00:00"}),
        "Tell": ("SendMessage", {"receiver": "bob", "message": "I am on my way"}),
    }[asked[:4]]
    last = messages[-1]
    if last["role"] == "user" and name != "FindAlarms":
        name += "_now"
    elif last["role"] == "tool" and not last["content"].startswith("ERROR |"):
        return "Done."
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"content": None, "tool_calls": [{"id": "1", "function": function}]}
"""


def test_both_arms_of_feedback_stand_in_the_table(office: Suite) -> None:
    office.write("obeying.py", OBEYS)
    result = office.run(
        "--agent=obeying:obeys", "--sandbox-feedback=on,off", "--junitxml=junit.xml"
    )
    assert TABLE_OF_ARMS in result.stdout.str()
    suite, _ = office.junit()
    assert suite["toolsandbox.calls.feedback_on.recall"] == "1.0"
    assert suite["toolsandbox.calls.feedback_off.success_rate"] == "0.0"


ONCE = """
turn = 0
def once(messages, tools):
    global turn
    turn += 1
    if turn > LAST:
        raise RuntimeError("no route")
    if turn > 1:
        return "Done."
    function = {"name": "AddAlarm", "arguments": '{"time": "18:30:00"}'}
    call = {"id": "1", "function": function}
    return {"content": None, "tool_calls": [call, call]}
"""


def test_junit_has_the_figures_of_all_trials(office: Suite) -> None:
    office.write("alarms.scenario.yaml", f"{ALARMS}trials: 2")
    office.write("mine.py", ONCE.replace("LAST", "9"))
    result = office.run("--agent=mine:once", "--junitxml=junit.xml")
    assert "  [5] AddAlarm(time='18:30:00')  made at [4] as well" in result.stdout.str()
    figures = office.junit()[1]["alarms"]
    assert (figures["precision"], figures["recall"]) == ("0.5", "0.166667")
    assert figures["soft_success"] == figures["score"] == "0.083333"


def test_an_errored_trial_leaves_no_figures(office: Suite) -> None:
    office.write("alarms.scenario.yaml", f"{ALARMS}trials: 2")
    office.write("mine.py", ONCE.replace("LAST", "5"))
    office.run("--agent=mine:once", "--junitxml=junit.xml").assert_outcomes(errors=1)
    assert not {"precision", "score", "protocol"} & set(office.junit()[1]["alarms"])


def test_records_are_judged_again(office: Suite) -> None:
    office.run("--agent=mine:wrong", "--sandbox-results=first.jsonl")
    office.run("--sandbox-rejudge=first.jsonl", "--sandbox-results=again.jsonl")
    assert (office.path / "first.jsonl").read_bytes() == (office.path / "again.jsonl").read_bytes()
    (record,) = office.records("first.jsonl")
    assert record["scores"] == {"score": 0.0}
    assert record["calls"]["counts"] == {
        "predictions": 3,
        "ground_truths": 3,
        "matches": 0,
        "actions": 3,
        "valid_actions": 0,
        "bad_actions": 3,
    }
    assert record["calls"]["rates"]["recall"] == 0.0
    assert len(record["calls"]["truths"]) == 3


def test_other_words_of_the_user_are_another_conversation(office: Suite) -> None:
    office.run("--agent=oracle", "--sandbox-results=first.jsonl")
    office.write("alarms.scenario.yaml", ALARMS.replace("tonight", "this evening"))
    result = office.run("--sandbox-rejudge=first.jsonl")
    result.assert_outcomes(errors=1)
    assert "the user says other words; play it again" in result.stdout.str()


def test_the_embedder_compares_free_texts(office: Suite) -> None:
    office.write("meaning.py", "def embed(texts): return [[1.0, 0.0] for _ in texts]")
    office.ini("sandbox_embedder = meaning:embed", "pythonpath = .")
    result = office.run("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(passed=1)
    assert office.records()[0]["calls"]["similarity"] == "cosine"
    assert "F1" not in result.stdout.str()


EMBEDDER = """
import pytest

@pytest.fixture
def embedder():
    return lambda texts: [[1.0, 0.0] for _ in texts]
"""


def test_the_embedder_of_a_fixture_compares_free_texts(office: Suite) -> None:
    office.write("conftest.py", EMBEDDER)
    office.run("--agent=oracle", "--sandbox-results=first.jsonl").assert_outcomes(passed=1)
    again = ("--sandbox-rejudge=first.jsonl", "--sandbox-results=again.jsonl")
    office.run(*again).assert_outcomes(passed=1)
    assert [
        office.records(name)[0]["calls"]["similarity"] for name in ("first.jsonl", "again.jsonl")
    ] == ["cosine", "cosine"]


def test_a_recorded_conversation_has_no_counterexamples(office: Suite) -> None:
    result = office.run("--agent=counterexample")
    result.assert_outcomes(errors=1)
    assert "scenario 'alarms' has no counterexamples" in result.stdout.str()
