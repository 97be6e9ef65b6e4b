"""The office suite played otherwise: wrong runs fail, those that are as good pass.

Each variation is a kind, what was changed, and the turns that an agent takes instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from shipped import shipped

from pytest_toolsandbox.agents.scripted import taking
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.replay import GroundTruthTurn, ground_truth_turns, replay
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, RecordedCall
from pytest_toolsandbox.scoring.judging import Judgement, judge
from pytest_toolsandbox.text.quantities import missing
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State, plain

Variation = tuple[str, str, Sequence[AgentTurn]]
Calls = Sequence[RecordedCall]

TEXTS = ("message", "body")
ATTENDEES = ("attendees", "new_attendees")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_TIME = re.compile(r"\d\d:\d\d:\d\d")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FACTS = {
    **dict(zip(_DAYS, (*_DAYS[1:], _DAYS[0]), strict=True)),
    "nine": "ten", "ten": "nine", "eleven": "twelve", "five": "six", "six": "seven",
    "three": "four", "noon": "two", "tomorrow": "today", "today": "tomorrow",
}  # fmt: skip
_ROWS = {
    "QueryCalendar": ("events", "event_id"),
    "SearchInbox": ("emails", "email_id"),
    "SearchMessages": ("messages", "message_id"),
    "FindAlarms": ("alarms", "alarm_id"),
    "GetReminders": ("reminders", "reminder_id"),
}
PARAPHRASES: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("paraphrases.yaml").read_text(encoding="utf-8")
)
"""Texts of the office suite, each with others that say the same."""


def wrong_runs(scenario: Scenario) -> Iterator[Variation]:
    """Yield runs that no judge should let pass."""
    turns, truths = scenario.task.agent_turns, ground_truth_turns(scenario)
    for place, turn, index, call in _actions(scenario):
        rest = _without(turn.calls, index)
        if place > 0:
            early = _with(turns, place - 1, [*turns[place - 1].calls, call])
            yield _kind("a turn early", call), call.tool, _with(early, place, rest)
            if _result_of(scenario, truths[place].before, call) is not None:
                yield _kind("a turn early, too", call), call.tool, early
        if place + 1 < len(turns):
            late = _with(turns, place, rest)
            yield "a turn late", call.tool, _with(late, place + 1, [call, *turns[place + 1].calls])
        if _result_of(scenario, truths[place].calls[-1][2].state, call) is not None:
            yield "twice", call.tool, _with(turns, place, [*turn.calls, call])
        for kind, arguments in _wrong_arguments(call, truths[place].calls[index][1]):
            wrong = replace(call, arguments=arguments)
            changed = {
                name: value for name, value in arguments.items() if value != call.arguments[name]
            }
            yield kind, f"{call.tool} {changed}", _with(turns, place, _instead(turn, index, wrong))


def right_runs(scenario: Scenario) -> Iterator[Variation]:
    """Yield runs that are as good as the recorded one."""
    turns = scenario.task.agent_turns
    yield (
        "more look-ups",
        "everything there is",
        [
            replace(turn, calls=(*_look_ups(scenario, truth), *turn.calls))
            for turn, truth in zip(turns, ground_truth_turns(scenario), strict=True)
        ],
    )
    for place, turn, index, call in _actions(scenario):
        for kind, parts in _as_good(call):
            yield (
                kind,
                f"{call.tool} {[part.arguments for part in parts]}",
                _with(turns, place, _instead(turn, index, *parts)),
            )
    yield from _other_look_ups(scenario)


def _kind(kind: str, call: RecordedCall) -> str:
    return "deleted before consent" if call.tool.startswith("Delete") else kind


def _actions(scenario: Scenario) -> Iterator[tuple[int, AgentTurn, int, RecordedCall]]:
    """Yield the recorded actions that work, each with its turn and its place there."""
    for place, truth in enumerate(ground_truth_turns(scenario)):
        for index, (call, _, response) in enumerate(truth.calls):
            if scenario.world.tools[call.tool].action and not response.failed:
                yield place, truth.turn, index, call


def _wrong_arguments(call: RecordedCall, before: State) -> Iterator[tuple[str, dict[str, Any]]]:
    user = before["session"].rows[0]["username"]
    for name, value in call.arguments.items():
        for kind, other in _wrong_values(name, value):
            is_there_anyway = name in ATTENDEES and user in value and user not in other
            if not is_there_anyway:
                yield kind, {**call.arguments, name: other}


def _wrong_values(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        yield "wrong date", _moved(value, timedelta(days=1))
        yield "wrong time", _moved(value, timedelta(hours=1))
    elif isinstance(value, str) and _TIME.fullmatch(value):
        yield "wrong time", f"{(int(value[:2]) + 12) % 24:02}{value[2:]}"
    elif name in TEXTS:
        for wrong in _other_facts(value):
            yield "wrong fact", wrong
    elif name in (*ATTENDEES, "to") and len(value) > 1:
        for missing in value:
            yield "one attendee missing", [attendee for attendee in value if attendee != missing]


def _moved(value: str, by: timedelta) -> str:
    return str(datetime.fromisoformat(value) + by)


def _other_facts(text: str) -> Iterator[str]:
    for match in re.finditer(r"\d+(?:[.:]\d+)?|[A-Za-z]+", text):
        word = match[0]
        other = _FACTS.get(word)
        if word[0].isdigit():
            other = str(int(word[0]) % 9 + 1) + word[1:]
        if other is not None:
            changed = f"{text[: match.start()]}{other}{text[match.end() :]}"
            is_time = not re.search(r"\b2[4-9]:", changed)
            if is_time and missing(changed, text) and missing(text, changed):
                yield changed


def _as_good(call: RecordedCall) -> Iterator[tuple[str, list[RecordedCall]]]:
    arguments = dict(call.arguments)
    for name in {*ATTENDEES, "to"} & arguments.keys():
        if len(arguments[name]) > 1:
            yield (
                "another order",
                [replace(call, arguments={**arguments, name: arguments[name][::-1]})],
            )
    if call.tool in ("ModifyEvent", "UpdateAccountInformation"):
        for parts in _in_parts(call):
            yield "two modifications", parts
    for name in TEXTS:
        for other in PARAPHRASES.get(arguments.get(name, ""), ()):
            yield "paraphrased", [replace(call, arguments={**arguments, name: other})]
    for name, value in arguments.items():
        if isinstance(value, str) and re.fullmatch(r".*\b0\d:\d\d:\d\d", value):
            other = re.sub(r"\b0(\d:\d\d:\d\d)", r"\1", value)
            yield "another notation", [replace(call, arguments={**arguments, name: other})]


def _in_parts(call: RecordedCall) -> Iterator[list[RecordedCall]]:
    """Yield a modification as two, each of which changes something."""
    kept = {"event_id", "password"} & call.arguments.keys()
    times = [name for name in ("new_start_time", "new_end_time") if name in call.arguments]
    groups = [times] if times else []
    groups += [[name] for name in call.arguments if name not in kept and name not in times]
    if call.tool == "UpdateAccountInformation":  # takes no name by itself
        groups = [g for g in groups if g != ["new_name"]]
        if "new_name" in call.arguments:
            groups[-1].append("new_name")
    if len(groups) > 1:
        for order in (groups, groups[::-1]):
            yield [
                replace(
                    call, arguments={n: v for n, v in call.arguments.items() if n in {*kept, *g}}
                )
                for g in order
            ]


def _look_ups(scenario: Scenario, truth: GroundTruthTurn) -> list[RecordedCall]:
    """Return look-ups that work at the beginning of a turn."""
    wide = {"start_date": "2025-01-01 00:00:00"}
    calls = [
        RecordedCall("GetReminders", {}),
        RecordedCall("FindAlarms", {}),
        RecordedCall(
            "QueryCalendar",
            {"start_time": "2025-09-22 00:00:00", "end_time": "2025-09-22 01:00:00"},
        ),
        RecordedCall("SearchInbox", wide),
        RecordedCall("SearchMessages", wide),
        RecordedCall("GetAccountInformation", {}),
        RecordedCall("QueryUser", {"username": "ilsem"}),
        RecordedCall("CurrentWeather", {"location": "Nairobi"}),
    ]
    return [call for call in calls if _result_of(scenario, truth.before, call) is not None]


def _other_look_ups(scenario: Scenario) -> Iterator[Variation]:
    turns, truths = scenario.task.agent_turns, ground_truth_turns(scenario)
    for place, truth in enumerate(truths):
        for index, (call, before, response) in enumerate(truth.calls):
            if scenario.world.tools[call.tool].action or response.failed or call.recorded:
                continue
            for kind, parts in _asked_otherwise(call):
                if _covers(scenario, call, [(part, before) for part in parts], before):
                    what = f"{call.tool} {[dict(part.arguments) for part in parts]}"
                    yield kind, what, _with(turns, place, _instead(turns[place], index, *parts))
            rest = _with(turns, place, _without(turns[place].calls, index))
            for other in range(len(turns)):
                calls = [*turns[other].calls, call]
                after = (
                    truths[other].calls[-1][2].state if turns[other].calls else truths[other].before
                )
                if other != place and _covers(scenario, call, [(call, after)], before):
                    yield "in another turn", call.tool, _with(rest, other, calls)


def _asked_otherwise(call: RecordedCall) -> Iterator[tuple[str, list[RecordedCall]]]:
    arguments = dict(call.arguments)
    if call.tool == "QueryCalendar":
        start, end = arguments["start_time"], arguments["end_time"]
        wide = {"start_time": _moved(start, timedelta(-7)), "end_time": _moved(end, timedelta(7))}
        yield "wider search", [replace(call, arguments=wide)]
        middle = str(datetime.fromisoformat(start).replace(hour=12))
        if start < middle < end:
            yield (
                "in two searches",
                [
                    replace(call, arguments={**arguments, "end_time": middle}),
                    replace(call, arguments={**arguments, "start_time": middle}),
                ],
            )
    elif call.tool in _ROWS:
        for name in arguments:
            fewer = {other: value for other, value in arguments.items() if other != name}
            yield "wider search", [replace(call, arguments=fewer)]
    if "location" in arguments:
        yield (
            "another notation",
            [replace(call, arguments={**arguments, "location": arguments["location"].upper()})],
        )


def _covers(
    scenario: Scenario,
    call: RecordedCall,
    other_calls: Sequence[tuple[RecordedCall, State]],
    before: State,
) -> bool:
    """Whether all that a look-up finds is found by others."""
    expected = _result_of(scenario, before, call)
    results = [_result_of(scenario, state, other) for other, state in other_calls]
    if None in results:
        return False
    if call.tool not in _ROWS:
        return results == [expected]
    rows, identifier = _ROWS[call.tool]
    there = {row[identifier] for result in results for row in result[rows]}
    return {row[identifier] for row in expected[rows]} <= there


def _result_of(scenario: Scenario, state: State, call: RecordedCall) -> Any:
    """Return what a look-up finds, or nothing where it fails."""
    environment = ExecutionEnvironment(scenario.world, scenario.now, scenario.world.shown())
    response = environment.run(ToolCall("x", call.tool, as_json(dict(call.arguments))), state, "x")
    return plain(response.trace.result) if response.trace and not response.failed else None


def _without(calls: Calls, index: int) -> Calls:
    return [*calls[:index], *calls[index + 1 :]]


def _instead(turn: AgentTurn, index: int, *replacements: RecordedCall) -> Calls:
    return [*turn.calls[:index], *replacements, *turn.calls[index + 1 :]]


def _with(turns: Sequence[AgentTurn], place: int, calls: Calls) -> list[AgentTurn]:
    return [*turns[:place], replace(turns[place], calls=tuple(calls)), *turns[place + 1 :]]


CONVERSATIONS = {scenario.name: scenario for scenario in shipped("office")}


def judged(scenario: Scenario, turns: Sequence[AgentTurn]) -> Judgement:
    return judge(scenario, replay(scenario, taking(scenario, turns)))


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_wrong_runs_fail(name: str) -> None:
    scenario = CONVERSATIONS[name]
    runs = wrong_runs(scenario)
    passing = [
        f"{kind}: {what}" for kind, what, turns in runs if judged(scenario, turns).result.passed
    ]
    assert passing == []


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_runs_that_are_as_good_pass_and_have_no_error_patterns(name: str) -> None:
    scenario = CONVERSATIONS[name]
    for kind, what, turns in right_runs(scenario):
        judgement = judged(scenario, turns)
        assert judgement.result.passed, f"{kind}: {what}"
        allowed = {"RAC"} if kind == "more look-ups" else set()  # some are made twice
        assert {finding.pattern for finding in judgement.patterns.findings} <= allowed, kind


def test_runs_of_every_kind_are_tried() -> None:
    kinds = [
        kind
        for scenario in CONVERSATIONS.values()
        for runs in (wrong_runs, right_runs)
        for kind, _, _ in runs(scenario)
    ]
    assert len(kinds) > 1000
    assert set(kinds) == {
        *("a turn early", "a turn early, too", "a turn late", "in another turn", "twice"),
        *("another notation", "another order", "paraphrased", "two modifications"),
        *("more look-ups", "wider search", "in two searches", "deleted before consent"),
        *("one attendee missing", "wrong date", "wrong fact", "wrong time"),
    }
