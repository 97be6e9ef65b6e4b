"""Recorded conversations as items: pages, tables, properties, records."""

from __future__ import annotations

import pytest
from desk import Suite
from replayed import ALARMS

pytestmark = pytest.mark.any_pytest

WRONG = """
def wrong(messages, tools):
    if messages[-1]["role"] == "user":
        function = {"name": "AddAlarm", "arguments": '{"time": "07:00:00"}'}
        return {"content": None, "tool_calls": [{"id": "1", "function": function}]}
    return "Done."
"""
TABLE_OF_ARMS = """\
replayed conversations     success  precision  recall  incorrect actions
easy                    2    50.0%      50.0%   66.7%               0.0%

feedback on             1   100.0%      60.0%  100.0%               0.0%
feedback off            1     0.0%      33.3%   33.3%                n/a

all scenarios           2    50.0%      50.0%   66.7%               0.0%

Alarm                                  100.0%   75.0%               0.0%
"""


@pytest.fixture
def office(suite: Suite) -> Suite:
    suite.write("alarms.scenario.yaml", ALARMS)
    suite.write("mine.py", WRONG)
    return suite


def test_the_oracle_passes_in_several_processes(office: Suite) -> None:
    result = office.run_apart("--agent=oracle", "--sandbox-augment=all", "-n2")
    result.assert_outcomes(passed=8)
    for name, items in (("no_distraction_tools", 1), ("all scenarios", 8)):
        figures = f"{items}   100.0%     100.0%  100.0%               0.0%"
        assert f"{name:23}  {figures}" in result.outlines


def test_junit_has_the_figures(office: Suite) -> None:
    office.run("--agent=mine:wrong", "--junitxml=junit.xml").assert_outcomes(failed=1)
    suite, cases = office.junit()
    assert "toolsandbox.calls.plugin.Messages.precision" not in suite
    in_suite = {
        "easy.incorrect_action_rate": "1.0",
        "easy.soft_success": "0.0",
        "plugin.Messages.recall": "0.0",
        "similarity": "token_f1",
        "bad_planning": "2",
    }
    assert {name: suite[f"toolsandbox.calls.{name}"] for name in in_suite} == in_suite
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


OF_AGENTS = """\
mine:wrong              1     0.0%       0.0%    0.0%             100.0%
oracle                  1   100.0%     100.0%  100.0%               0.0%

all scenarios           2    50.0%      50.0%   50.0%              60.0%

mine:wrong Alarm                         0.0%    0.0%             100.0%
mine:wrong Messages                       n/a    0.0%                n/a

oracle Alarm                           100.0%  100.0%               0.0%
oracle Messages                        100.0%  100.0%               0.0%

errors of mine:wrong: 2 bad planning, 1 bad call
"""


def test_each_of_several_agents_has_rows(office: Suite) -> None:
    result = office.run("--agent=mine:wrong", "--agent=oracle", "--junitxml=junit.xml")
    assert OF_AGENTS in result.stdout.str()
    suite, _ = office.junit()
    assert suite["toolsandbox.calls.agent.oracle.recall"] == "1.0"
    assert suite["toolsandbox.calls.agent.mine:wrong.recall"] == "0.0"
    assert suite["toolsandbox.calls.agent.oracle.plugin.Alarm.recall"] == "1.0"
    assert suite["toolsandbox.calls.plugin.Alarm.recall"] == "0.5"


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
    office.write("mine.py", ONCE.replace("LAST", "2 + 3"))  # the second trial ends in an error
    office.run("--agent=mine:once", "--junitxml=junit.xml").assert_outcomes(errors=1)
    assert not {"precision", "score", "protocol"} & set(office.junit()[1]["alarms"])


def test_records_are_judged_again_unless_the_user_says_other_words(office: Suite) -> None:
    office.run("--agent=mine:wrong", "--sandbox-results=first.jsonl")
    office.run("--sandbox-rejudge=first.jsonl", "--sandbox-results=again.jsonl")
    assert office.records("first.jsonl") == office.records("again.jsonl")
    (record,) = office.records("first.jsonl")
    assert record["scores"] == {"score": 0.0}
    counts = {"predictions": 3, "ground_truths": 3, "matches": 0}
    actions = {"actions": 3, "valid_actions": 0, "bad_actions": 3}
    assert record["calls"]["counts"] == {**counts, **actions}
    assert record["calls"]["rates"]["recall"] == 0.0
    assert len(record["calls"]["truths"]) == 3
    office.write("alarms.scenario.yaml", ALARMS.replace("tonight", "this evening"))
    result = office.run("--sandbox-rejudge=first.jsonl")
    result.assert_outcomes(errors=1)
    assert "the user says other words; play it again" in result.stdout.str()


EMBED = "def {}: return lambda texts: [[1.0, 0.0] for _ in texts]"


@pytest.mark.parametrize("of_a_fixture", [False, True])
def test_an_embedder_compares_free_texts_when_played_and_when_judged_again(
    office: Suite, *, of_a_fixture: bool
) -> None:
    if of_a_fixture:
        office.write("conftest.py", f"import pytest\n@pytest.fixture\n{EMBED.format('embedder()')}")
    else:
        office.write("meaning.py", f"{EMBED.format('make()')}\nembed = make()")
        office.ini("sandbox_embedder = meaning:embed", "pythonpath = .")
    again = ("--sandbox-rejudge=a.jsonl", "--sandbox-resume=a.jsonl")
    for file, option in zip("abc", ("--sandbox-concurrency=1", *again), strict=True):
        result = office.run("--agent=oracle", option, f"--sandbox-results={file}.jsonl")
        result.assert_outcomes(passed=1)
        assert office.records(f"{file}.jsonl")[0]["calls"]["similarity"] == "cosine"
        assert "F1" not in result.stdout.str()


def test_a_recorded_conversation_has_no_counterexamples(office: Suite) -> None:
    result = office.run("--agent=counterexample")
    result.assert_outcomes(errors=1)
    assert "scenario 'alarms' has no counterexamples" in result.stdout.str()
