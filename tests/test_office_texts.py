"""Texts that agents may send in the office suite, and texts that they may not."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from shipped import shipped
from variations import runs_with_text

from pytest_toolsandbox.agents.scripted import taking
from pytest_toolsandbox.conversation.replay import replay
from pytest_toolsandbox.evaluation.judging import judge
from pytest_toolsandbox.language.scenario import Scenario

CONVERSATIONS = {scenario.name: scenario for scenario in shipped("office")}
TEXTS: dict[str, dict[str, list[str]]] = yaml.safe_load(
    Path(__file__).with_name("office_texts.yaml").read_text(encoding="utf-8")
)


def passes(scenario: Scenario, text: str) -> bool:
    """Whether a text may be sent in the place of one that the conversation has."""
    runs = runs_with_text(scenario, text)
    played = (replay(scenario, taking(scenario, turns)) for turns in runs)
    return any(judge(scenario, one).result.passed for one in played)


@pytest.mark.parametrize("name", TEXTS["right"])
def test_what_says_the_same_in_other_words_is_right(name: str) -> None:
    texts = TEXTS["right"][name]
    assert [text for text in texts if not passes(CONVERSATIONS[name], text)] == []


@pytest.mark.parametrize("name", TEXTS["wrong"])
def test_what_says_something_else_is_wrong(name: str) -> None:
    texts = TEXTS["wrong"][name]
    assert [text for text in texts if passes(CONVERSATIONS[name], text)] == []


def test_there_are_many_of_both() -> None:
    assert sum(map(len, TEXTS["right"].values())) > 180
    assert sum(map(len, TEXTS["wrong"].values())) > 140
