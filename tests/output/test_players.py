"""The line that says who plays."""

from __future__ import annotations

from typing import Any

from desk import small_record

from pytest_toolsandbox.output.players import Players

ALIASES = {"house": "openai/our-model"}


def test_who_will_play() -> None:
    players = Players(["house", "my_app:agent"], ["hurry"], "scripted", None, ALIASES)
    people = "agent house (openai/our-model), my_app:agent, prompt hurry, user scripted"
    assert players.line() == f"toolsandbox: {people}, judge none"


def test_who_played_how_often() -> None:
    players = Players(["a"], [], "gpt", "claude", {})
    records: list[Any] = [
        {**small_record(name, 1.0), "agent": "oracle", "trial": 1} for name in ("one", "two")
    ]
    records.append({**records[0], "trial": 2, "agent_settings": {"label": "b", "model": "x/y"}})
    line = players.line_of(records)
    assert line == "agent oracle, b (x/y), user gpt, judge claude, 2 scenarios x 1 to 2 trials"
