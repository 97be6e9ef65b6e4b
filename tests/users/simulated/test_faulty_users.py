"""Users with every kind of fault, in scenarios of the phone: how many are caught, and who else."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from shipped import shipped

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.simulated import by_tools, paper
from pytest_toolsandbox.users.simulated.faults import UserFault, fault_in
from pytest_toolsandbox.users.simulated.knowledge import Ledger, knowledge_of
from pytest_toolsandbox.users.simulated.situation import Situation, texts_of
from pytest_toolsandbox.users.simulated.utterance import MalformedReplyError, Utterance

SAID = Path(__file__).with_name("said.yaml")
SLIPS = Path(__file__).with_name("slips.yaml")
REFUSED = 0.02
SCENARIOS = 20
EXPECTED = {
    "leak": "leak",
    "offer": "roles",
    "act": "roles",
    "repeat": "roles",
    "world": "world",
    "loop": "loop",
}
"""Kind of what is said → the fault that it is; all others are inventions."""
MALFORMED: list[dict[str, Any]] = [
    {},
    {"content": "Tomorrow at seven."},
    {"tool_calls": [{"function": {"name": "reply", "arguments": "{"}}]},
    {"tool_calls": [{"function": {"name": "reply", "arguments": '{"text": " ", "goal": "goal"}'}}]},
    {"tool_calls": [{"function": {"name": "reply", "arguments": '{"text": "Yes", "goal": "x"}'}}]},
    {"tool_calls": [{"function": {"name": "search_contacts", "arguments": "{}"}}]},
    {"tool_calls": [{"function": {"name": "end_conversation", "arguments": '{"reason": "bye"}'}}]},
    {"tool_calls": [{"function": {"name": "end_conversation", "arguments": "{}"}}] * 2},
]


@cache
def phone() -> dict[str, Scenario]:
    return {Path(scenario.name).name: scenario for scenario in shipped("phone")}


@cache
def told() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(SAID.read_text(encoding="utf-8"))
    return loaded


def situation(key: str, *said: str, open_goals: tuple[str, ...] | None = None) -> Situation:
    scenario = phone()[key.rstrip("+")]
    known = knowledge_of(scenario)
    heard = tuple(told()[key]["heard"])
    return Situation(known, heard, (known.opening, *said), open_goals, texts_of(scenario))


def lines() -> Iterator[tuple[str, str, str, UserFault | None]]:
    """Yield scenario, kind and text of everything that is said, and the fault that is found."""
    for key, entry in told().items():
        for kind, texts in entry.items():
            for text in [texts] if isinstance(texts, str) else texts:
                if kind != "heard":
                    said = (text, text) if kind == "loop" else ()
                    yield key, kind, text, fault_in(Utterance(text), situation(key, *said))


@pytest.fixture(scope="module")
def found() -> list[tuple[str, str, str, UserFault | None]]:
    return list(lines())


def test_each_kind_is_caught(found: list[tuple[str, str, str, UserFault | None]]) -> None:
    scenarios = defaultdict(set)
    count: Counter[str] = Counter()
    missed = defaultdict(list)
    for key, kind, text, fault in found:
        if kind == "right":
            continue
        count[kind] += 1
        scenarios[kind].add(key.rstrip("+"))
        if (fault and fault.kind) != EXPECTED.get(kind, "invention"):
            missed[kind].append((text, fault and fault.kind))
    assert len(count) == 12
    assert all(len(keys) >= SCENARIOS for keys in scenarios.values())
    assert {kind: texts for kind, texts in missed.items() if len(texts) > count[kind] * 0.05} == {}


def test_what_is_right_is_delivered(found: list[tuple[str, str, str, UserFault | None]]) -> None:
    right = [(text, fault) for _, kind, text, fault in found if kind == "right"]
    refused = [(text, fault.told) for text, fault in right if fault]
    assert len(right) > 150
    assert len(refused) <= REFUSED * len(right), refused


def test_slips_are_caught_and_what_people_say_is_not() -> None:
    caught: Counter[str] = Counter()
    missed = defaultdict(list)
    for key, entry in yaml.safe_load(SLIPS.read_text(encoding="utf-8")).items():
        scenario = phone()[key.rstrip("+")]
        known, world = knowledge_of(scenario), texts_of(scenario)
        before = (known.opening, *entry.get("said", ()))
        for kind, texts in entry.items():
            for text in texts if kind not in {"heard", "said"} else ():
                *said, last = [text] if isinstance(text, str) else text
                heard = (last,) if kind == "early_end" else tuple(entry["heard"])
                when = Situation(known, heard, (*before, *said), None, world)
                ends = Utterance(None, reason="done")
                if fault_in(ends if kind == "early_end" else Utterance(last), when):
                    caught[kind] += 1
                else:
                    missed[kind].append(last)
    assert caught.pop("right", 0) <= 0.01 * len(missed.pop("right"))
    assert sum(caught.values()) > 800
    assert {kind: missed[kind] for kind, n in caught.items() if len(missed[kind]) > n / 15} == {}


@pytest.mark.parametrize(
    "text", ["My location is on the map.", "I'll be there 'til 5, at the boys' place."]
)
def test_what_only_looks_like_a_setting_or_a_quotation(text: str) -> None:
    told = Situation(knowledge_of(next(iter(phone().values()))), ("Where? Till 5?",), ("Hi",))
    fault = fault_in(Utterance(text), told)
    assert fault is None or not re.search("location is|til 5", fault.told)


@pytest.mark.parametrize("reason", ["done", None])
def test_nobody_ends_while_asked(reason: str | None) -> None:
    ends = {key: fault_in(Utterance(None, reason=reason), situation(key)) for key in told()}
    late = [key for key, fault in ends.items() if fault is None and "?" in told()[key]["heard"][0]]
    offers = [key for key in late if "else" in told()[key]["heard"][0]]
    assert len(ends) >= SCENARIOS
    assert late == offers  # "Anything else?" may be answered by an end


def test_nobody_ends_with_open_goals() -> None:
    several = [one for one in phone().values() if len(knowledge_of(one).goals) > 1]
    assert len(several) >= 12
    for scenario in several:
        known = knowledge_of(scenario)
        ledger = Ledger.at_opening(known)
        for goal in known.goals:
            ledger = ledger.after(goal)
            state = Situation(known, ("Done.",), (known.opening,), tuple(ledger.open_goals))
            fault = fault_in(Utterance(None, reason="done"), state)
            assert (fault is None) == (goal == list(known.goals)[-1])


def test_nobody_ends_while_the_agent_is_at_it() -> None:
    for scenario in [*phone().values()][:SCENARIOS]:
        known = knowledge_of(scenario)
        state = Situation(known, ("Sure, I'll look that up.",), (known.opening,), ())
        fault = fault_in(Utterance(None, reason="done"), state)
        assert fault is not None
        assert (fault.kind, fault.told) == (
            "early_end",
            "The other one is still at it. Let it go on.",
        )


@pytest.mark.parametrize("reply", MALFORMED)
def test_what_cannot_be_read_is_refused(reply: dict[str, Any]) -> None:
    for scenario in [*phone().values()][:SCENARIOS]:
        with pytest.raises(MalformedReplyError):
            by_tools.read(reply, knowledge_of(scenario))


@pytest.mark.parametrize("reply", [{}, {"content": " "}, MALFORMED[5]])
def test_what_cannot_be_read_is_refused_in_the_style_of_the_paper(reply: dict[str, Any]) -> None:
    with pytest.raises(MalformedReplyError):
        paper.read(reply)
