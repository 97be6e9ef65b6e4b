"""What the gate reads of a record."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox.gate.pairing import pair
from pytest_toolsandbox.gate.played import PlayedTrial, parting, path_of, played_trial
from pytest_toolsandbox.gate.samples import sample_of
from pytest_toolsandbox.gate.verdict import judged

RECORD: dict[str, Any] = {
    "record": 2,
    "id": "s.yaml::a",
    "trial": 1,
    "world": "desk",
    "agent": "mine",
    "outcome": "passed",
    "scores": {"score": 1.0},
    "counts": {"turns": 2, "messages": 3, "tool_calls": 1},
    "reason": None,
}


def message(sender: str, recipient: str, content: str, **facts: Any) -> dict[str, Any]:
    return {"sender": sender, "recipient": recipient, "content": content, "call": None, **facts}


def called(arguments: str) -> dict[str, Any]:
    call = {"identifier": "1", "name": "switch_lamp", "arguments": arguments}
    return message("agent", "execution_environment", "", call=call)


@pytest.mark.parametrize(
    ("outcome", "passed"),
    [("passed", True), ("failed", False), ("error", None), ("inconclusive", None)],
)
def test_only_passed_and_failed_trials_say_something(outcome: str, passed: bool | None) -> None:
    assert played_trial({**RECORD, "outcome": outcome}).passed is passed


def test_a_record_of_an_older_version_has_a_digest_too() -> None:
    old = {**RECORD, "scenario_digest": "d"}
    assert played_trial(old).digest == played_trial(old | {"trial": 2}).digest
    assert played_trial(old).digest != played_trial(old | {"scenario_digest": "e"}).digest
    assert played_trial(old | {"task_digest": "t"}).digest == "t"


def test_paths_part_where_the_first_message_differs() -> None:
    messages = [message("system", "agent", "Help."), called('{"on": true, "at": 1}')]
    same = [message("system", "agent", "Help me."), called('{"at":1,"on":true}')]
    other = [message("system", "agent", "Help."), called('{"on": false}')]
    assert path_of(messages)[4:] == path_of(same)[4:]
    assert parting(path_of(messages), path_of(same)) is None
    assert parting(path_of(messages), path_of(other)) == 1
    assert parting(path_of(messages), path_of(messages[:1])) == 1
    assert path_of([called("{not json")]) != path_of([called("{")])


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({}, {}),
        (
            {"agent": {"input_tokens": 9, "output_tokens": 1, "cost": 0.25, "latency": 1.5}},
            {"tokens": 10, "cost": 0.25, "latency": 1.5},
        ),
        ({"agent": {"input_tokens": 9, "output_tokens": None, "cost": None}}, {}),
        (
            {
                "agent": {"input_tokens": 9, "output_tokens": 1, "cost": 0.25},
                "user": {"input_tokens": 5, "output_tokens": 5, "cost": 0.5},
            },
            {"tokens": 10, "cost": 0.75},
        ),
        ({"agent": {"cost": 0.25}, "user": {"cost": None}}, {}),
    ],
)
def test_what_is_unknown_is_not_0(usage: dict[str, Any], expected: dict[str, float]) -> None:
    assert played_trial({**RECORD, "usage": usage}).cost == {
        "turns": 2,
        "tool_calls": 1,
        **expected,
    }


def test_the_user_and_how_it_talks_are_conditions() -> None:
    scripted, plain = played_trial(RECORD), played_trial({**RECORD, "user": "scripted"})
    assert scripted.conditions == plain.conditions
    played = {**RECORD, "user": "gpt", "user_settings": {"name": "gpt", "model": "m", "timeout": 9}}
    terse = {**played, "user_notes": {"style": "terse"}}
    assert len({played_trial(record).conditions.user for record in (RECORD, played, terse)}) == 3
    other = {**played, "user_settings": {"name": "gpt", "model": "m", "timeout": 5}}
    assert played_trial(played).conditions == played_trial(other).conditions


def test_the_judge_and_its_parameters_are_conditions() -> None:
    played = {**RECORD, "judge": "my:strict", "judge_settings": {"type": "a", "timeout": 9}}
    warm = {**played, "judge_settings": {"type": "a", "parameters": {"temperature": 1}}}
    cold = {**played, "judge_settings": {"type": "a", "parameters": {"temperature": 0}}}
    assert (
        len({played_trial(record).conditions.judge for record in (RECORD, played, warm, cold)}) == 4
    )


def test_agents_and_prompts_that_play_side_by_side_are_groups() -> None:
    old, new = (
        [played_alone(name, brief) for name in ("gpt", "claude")] for brief in (True, False)
    )
    verdict = judged(pair(sample_of(old), sample_of(new)))
    assert {group.name: group.drop for group in verdict.groups} == {"claude": 0, "gpt": 1}
    assert {change.id for change in verdict.broken} == {"s.yaml::a[gpt-brief]"}


def played_alone(label: str, passed: bool) -> PlayedTrial:
    """Return a trial of one of two agents, the second of which always passes."""
    settings = {"name": label, "label": label, "parameter": "brief"}
    outcome = "passed" if passed or label == "claude" else "failed"
    name = f"s.yaml::a[{label}-brief]"
    return played_trial({**RECORD, "id": name, "outcome": outcome, "agent_settings": settings})


def test_trials_of_later_rounds_are_known() -> None:
    """A plan that was settled is written down with its trials, so one that grew is not."""
    played = [played_trial({**RECORD, "trial": number}) for number in (1, 2, 3)]
    assert sample_of(played).rounds == 3
    assert sample_of(played[:1]).rounds == 0
    settled = {**RECORD, "of_trials": {"planned": 3, "needed": 3}}
    assert sample_of(played_trial({**settled, "trial": n}) for n in (1, 2, 3)).rounds == 0
