"""Findings under scrambled names, as readers get them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pantry import scenario

from pytest_toolsandbox import AcceptedCall, Scenario
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.records.unscramble import unscrambled
from pytest_toolsandbox.scoring.error_patterns.alignment import written_call
from pytest_toolsandbox.scoring.error_patterns.patterns import ErrorPatterns, Finding

TEXT = """
world: pantry
tools: [add_item, weigh]
query: How much salt is there?
answer: 5 g
"""


def renamed(scene: Scenario, finding: Finding) -> Finding:
    return unscrambled(ErrorPatterns((finding,)), scene).findings[0]


@pytest.fixture
def tool_names() -> Scenario:
    return replace(scenario(TEXT), scrambled="tool_name", tools=("add_item", "weigh"))


@pytest.fixture
def argument_names() -> Scenario:
    return replace(scenario(TEXT), scrambled="argument_name", tools=("add_item", "weigh"))


def test_a_tool_has_its_own_name(tool_names: Scenario) -> None:
    name = next(name for name, tool in tool_names.tool_views.items() if tool.tool.name == "weigh")
    assert name != "weigh"
    finding = Finding("RAC", 3, None, name)
    assert renamed(tool_names, finding) == replace(finding, function="weigh")


def test_a_tool_that_was_made_up_keeps_its_name(tool_names: Scenario) -> None:
    shown = {tool.tool.name: name for name, tool in tool_names.tool_views.items()}
    allowed = ", ".join(tool_names.tool_views)
    finding = Finding("IFN", 3, None, "weight", None, allowed, "weight", nearest=shown["weigh"])
    assert renamed(tool_names, finding) == replace(
        finding, expected="add_item, weigh, finish", nearest="weigh"
    )


def test_an_argument_has_its_own_name(argument_names: Scenario) -> None:
    shown = argument_names.tool_views["add_item"].argument_names
    finding = Finding("IAT", 3, None, "add_item", shown["note"], "string", 5)
    assert renamed(argument_names, finding) == replace(finding, argument="note")


def test_an_argument_that_was_made_up_keeps_its_name(argument_names: Scenario) -> None:
    shown = argument_names.tool_views["add_item"].argument_names
    allowed = ", ".join(shown.values())
    finding = Finding(
        "IAN", 3, None, "add_item", "argument", allowed, "argument", nearest=shown["name"]
    )
    assert renamed(argument_names, finding) == replace(
        finding, expected="name, amount, note", nearest="name"
    )


def test_a_call_that_was_not_made_has_its_own_names(
    tool_names: Scenario, argument_names: Scenario
) -> None:
    accepted = AcceptedCall("add_item", {"name": "argument_0=(", "note": "argument_1"})
    for scene in (tool_names, argument_names):
        tool = next(view for view in scene.tool_views.values() if view.tool.name == "add_item")
        finding = Finding("IAC", None, None, tool.name, expected=written_call(accepted, tool))
        world_call = written_call(accepted, None)
        assert finding.expected != world_call
        assert renamed(scene, finding) == replace(finding, function="add_item", expected=world_call)


def test_what_has_no_name_stays_as_it_is(tool_names: Scenario) -> None:
    for finding in (Finding("IFE", 3, None, ""), Finding("IFN", 3, None, "weight")):
        assert renamed(tool_names, finding).words == finding.words
        assert renamed(tool_names, finding).nearest is None


def test_without_scrambled_names_nothing_is_renamed() -> None:
    scene = variant(scenario(TEXT), "all_tools_available")
    finding = Finding("IFN", 3, None, "weight", None, "weigh", "weight", nearest="weigh")
    assert renamed(scene, finding) is finding
