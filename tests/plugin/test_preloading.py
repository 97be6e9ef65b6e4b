from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import pytest

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.plugin.playing.players import _preload_tools
from pytest_toolsandbox.suites import suites_folder


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    file = min((suites_folder() / "phone").rglob("*.scenario.yaml"))
    return load_file(file)[0]


@pytest.mark.parametrize("name", ["unit_conversion", "send_message_with_phone_number"])
def test_what_offered_tools_need_is_loaded_once(
    scenario: Scenario, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    preload = Mock(side_effect=ImportError)  # the call says what is missing
    tools = {**world.agent_tools}
    tools["unit_conversion"] = replace(tools["unit_conversion"], preload=preload)
    monkeypatch.setitem(vars(scenario.world), "agent_tools", tools)
    _preload_tools([replace(scenario, tools=(name,))] * 2)
    assert preload.call_count == (name == "unit_conversion")


def test_the_units_of_the_phone_are_loaded() -> None:
    loaded = {name for name, tool in world.agent_tools.items() if tool.preload}
    assert loaded == {"unit_conversion"}
