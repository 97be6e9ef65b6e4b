"""How those are named who played."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox.output.paper_tables import Player, arm_names, place_of, player_of

A = Player("monday", "claude", None)


@pytest.mark.parametrize(
    ("other", "names"),
    [
        (A, ["claude"]),
        (A._replace(agent="gpt"), ["claude", "gpt"]),
        (A._replace(run="tuesday"), ["claude (monday)", "claude (tuesday)"]),
        (A._replace(parameter="small"), ["claude", "claude [small]"]),
    ],
)
def test_a_name_says_what_differs(other: Player, names: list[str]) -> None:
    assert list(arm_names([A, other]).values()) == names


def test_nobody_has_no_name() -> None:
    assert arm_names([]) == {}


def test_a_place_is_the_same_whoever_plays() -> None:
    small: Any = {"id": "a.yaml::x[small]", "agent": "fixture", "variant": None, "feedback": False}
    large: Any = {**small, "id": "a.yaml::x[large]", "agent_settings": {"parameter": "large"}}
    assert place_of(small) == place_of(large)
    assert player_of(large, "run") == Player("run", "fixture", "large")
    assert player_of(small, "run").parameter is None
