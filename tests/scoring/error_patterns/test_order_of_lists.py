"""Lists of the shipped queries' tools are filters: their order makes no other call."""

from __future__ import annotations

import pytest
from pantry import played, scenario

from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.worlds.world import find_world, known_worlds

WORLDS = [name for name in known_worlds() if name.startswith("queries.")]


def test_every_list_is_declared() -> None:
    tools = [tool for name in WORLDS for tool in find_world(name).tools.values()]
    lists = {
        f"{tool.name}.{name}": tool.comparison.arguments.get(name)
        for tool in tools
        for name, parameter in tool.parameters.items()
        if parameter.shown.get("type") == "array"
    }
    assert len(lists) > 9
    assert set(lists.values()) == {"set"}


@pytest.mark.parametrize("again", ["[18, 28]", "[28, 18]"])
def test_other_orders_are_the_same_call(again: str) -> None:
    scene = scenario(
        "world: queries.movies\nquery: Which one?\nanswer: none\n"
        f"solutions: {{one: [{{discover_movies: {{genre_ids: {again}}}}}, {{say: none}}]}}\n"
        "counterexamples: {made: [{discover_movies: {genre_ids: [28, 18]}},"
        f" {{discover_movies: {{genre_ids: {again}}}}}, {{say: some}}]}}"
    )
    findings = judge(scene, played(scene, "made")).patterns.findings
    assert [one.words for one in findings] == ["RAC discover_movies"]
