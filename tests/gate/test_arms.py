"""Which arm an item is of, and how it is called without it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.gate.arms import (
    ArmNames,
    compared_arms,
    recorded_arms,
    samples_of_arms,
)
from pytest_toolsandbox.gate.played import PlayedTrial, played_trial
from pytest_toolsandbox.gate.verdict import Verdict

RECORD: dict[str, Any] = {
    "record": 2,
    "world": "desk",
    "agent": "mine",
    "scores": {"score": 1.0},
    "task_digest": "t",
}
TWO = ArmNames(["gpt", "gpt-mini"], [])
PROMPTS = ArmNames([], ["brief", "brief-de"])
BOTH = ArmNames(["gpt", "gpt-mini"], ["brief", "brief-de"])


@every(
    ("names", "identifier", "parts"),
    [
        (TWO, "a.yaml::x[gpt]", ("gpt", "a.yaml::x")),
        (TWO, "a.yaml::x[gpt-mini]", ("gpt-mini", "a.yaml::x")),
        (TWO, "a[gpt].yaml::x[gpt-mini-all_tools]", ("gpt-mini", "a[gpt].yaml::x[all_tools]")),
        (TWO, "a.yaml::x", None),
        (TWO, "a.yaml::x[other]", None),
        (PROMPTS, "a.yaml::x[brief]", ("[brief]", "a.yaml::x")),
        (PROMPTS, "a.yaml::x[brief-de]", ("[brief-de]", "a.yaml::x")),
        (PROMPTS, "a.yaml::x[small-brief]", ("[brief]", "a.yaml::x[small]")),
        (PROMPTS, "a.yaml::x", None),
        (BOTH, "a.yaml::x[gpt-small-brief]", ("gpt [brief]", "a.yaml::x[small]")),
        (BOTH, "a.yaml::x[gpt-mini-v-brief-de]", ("gpt-mini [brief-de]", "a.yaml::x[v]")),
        (BOTH, "a.yaml::x[gpt]", None),
    ],
)
def test_an_item_is_split(names: ArmNames, identifier: str, parts: tuple[str, str] | None) -> None:
    assert names.split(identifier) == parts


def test_the_first_agent_with_the_first_prompt_is_first() -> None:
    assert BOTH.arms == ["gpt [brief]", "gpt [brief-de]", "gpt-mini [brief]", "gpt-mini [brief-de]"]
    assert TWO.arms == ["gpt", "gpt-mini"]
    assert PROMPTS.arms == ["[brief]", "[brief-de]"]


def trials(identifier: str, outcome: str = "passed", **facts: object) -> list[PlayedTrial]:
    record = {**RECORD, "id": identifier, "outcome": outcome, **facts}
    return [played_trial({**record, "trial": trial}) for trial in range(1, 11)]


def test_scenarios_are_paired_and_what_an_arm_lacks_is_missing() -> None:
    played = [
        *trials("s.yaml::x[gpt-mini]", "failed"),
        *trials("s.yaml::x[gpt]"),
        *trials("s.yaml::y[gpt]"),
        *trials("s.yaml::own"),
    ]
    samples = samples_of_arms(played, TWO)
    reference, verdicts = compared_arms(samples, None)
    (verdict,) = verdicts.values()
    assert isinstance(verdict, Verdict)
    assert (reference, [*verdicts]) == ("gpt", ["gpt-mini"])
    assert (verdict.kind, verdict.pairing.absent) == ("inconclusive", ["s.yaml::y"])
    assert verdict.pairing.missing == pytest.approx(0.5)
    del samples["gpt"]
    assert compared_arms(samples, None) == ("gpt-mini", {})


def test_another_user_is_not_compared() -> None:
    played = [*trials("s.yaml::x[gpt]"), *trials("s.yaml::x[gpt-mini]", user="mine:user")]
    _, verdicts = compared_arms(samples_of_arms(played, TWO), None)
    assert str(verdicts["gpt-mini"]).startswith("not comparable with gpt, which was played otherw")


def test_arms_of_records_keep_variants_apart() -> None:
    def by(label: str, parameter: str, variant: str) -> list[PlayedTrial]:
        settings = {"name": label, "label": label, "parameter": parameter}
        place = f"s.yaml::x[{label}-small-{variant}-{parameter}]"
        return trials(place, agent_settings=settings, variant=variant)

    several = [*by("b", "brief", "v"), *by("b", "brief", "w"), *by("a", "brief", "v")]
    alone = [replace(trial, arms=()) for trial in trials("s.yaml::x")]
    arms = recorded_arms([*several, *alone])
    assert arms["a [brief]"].items == {"s.yaml::x[v]": "s.yaml::x[a-small-v-brief]"}
    assert {name: [*arm.sample.scenarios] for name, arm in arms.items()} == {
        "b [brief]": ["s.yaml::x[v]", "s.yaml::x[w]"],
        "a [brief]": ["s.yaml::x[v]"],
    }
    assert recorded_arms(by("b", "brief", "v")) == {}
    assert recorded_arms([]) == {}
