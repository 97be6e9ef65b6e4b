"""Which tools are offered beside those of a scenario, and in which order they are shown."""

from __future__ import annotations

import re

import pytest
from rows import every

from pytest_toolsandbox.builtin.phone import world as phone
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.variants import (
    AUGMENTATIONS,
    PUBLISHED,
    distraction_tools,
    read_augmentations,
    unfit,
    variant,
)
from pytest_toolsandbox.protocols import read_file


def scenario(tools: str, withheld: str = "[]", name: str = "some") -> Scenario:
    text = f"""
    world: phone
    user: {{opening: Hello.}}
    tools: {tools}
    withheld: {withheld}
    protected: [contact]
    """
    return read_file(text.encode(), name, f"{name}.yaml")[0]


LAMP = scenario("[set_wifi_status, search_contacts]", "[add_contact, search_reminder]")


@every(
    ("text", "expected"),
    [
        ("none", ()),
        ("all", PUBLISHED),
        (
            "all_tools_available+tool_name_scrambled,tool_name_scrambled",
            ("tool_name_scrambled", "all_tools_available+tool_name_scrambled"),
        ),
        (
            "module_tools_available + descriptions_scrambled",
            ("module_tools_available+descriptions_scrambled",),
        ),
        ("argument_name_scrambled,all", (*PUBLISHED, "argument_name_scrambled")),
        (
            " tool_name_scrambled , no_distraction_tools,tool_name_scrambled",
            ("no_distraction_tools", "tool_name_scrambled"),
        ),
        ("none,ten_distraction_tools", ("ten_distraction_tools",)),
    ],
)
def test_reading(text: str, expected: tuple[str, ...]) -> None:
    assert read_augmentations(text) == expected


@every(
    ("text", "message"),
    [
        ("", "unknown augmentation '' (allowed: none,"),
        ("all_tools_available+nothing", "unknown augmentation 'nothing'"),
        ("tool_name_scrambled+all_tools_available", "cannot be joined; join one that offers tools"),
        ("tool_name_scrambled+descriptions_scrambled", "cannot be joined"),
        ("all_tools_available+no_distraction_tools", "cannot be joined"),
        ("all_tools_available+", "unknown augmentation ''"),
        ("none+all", "unknown augmentation 'none' in 'none+all' (allowed: no_distraction_tools, "),
    ],
)
def test_what_cannot_be_joined(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_augmentations(text)


def of_module(module: str) -> list[str]:
    return [name for name, tool in phone.agent_tools.items() if tool.module == module]


OF_BOTH_MODULES = len([*of_module("setting"), *of_module("contact")]) - len({"add_contact"})


def test_all_are_the_eight_of_the_paper() -> None:
    assert len(PUBLISHED) == 8
    ours = ("argument_name_scrambled", "module_tools_available", "descriptions_scrambled")
    assert tuple(AUGMENTATIONS) == (*PUBLISHED, *ours)


@every(
    ("name", "count", "scrambled"),
    [
        ("no_distraction_tools", 2, None),
        ("three_distraction_tools", 5, None),
        ("ten_distraction_tools", 12, None),
        ("all_tools_available", len(phone.agent_tools) - 2, None),
        ("tool_name_scrambled", 5, "tool_name"),
        ("tool_description_scrambled", 5, "tool_description"),
        ("argument_description_scrambled", 5, "argument_description"),
        ("argument_type_scrambled", 5, "argument_type"),
        ("argument_name_scrambled", 5, "argument_name"),
        ("module_tools_available", OF_BOTH_MODULES, None),
        ("descriptions_scrambled", 5, "descriptions"),
        ("no_distraction_tools+descriptions_scrambled", 2, "descriptions"),
        ("module_tools_available+argument_name_scrambled", OF_BOTH_MODULES, "argument_name"),
    ],
)
def test_what_is_offered(name: str, count: int, scrambled: str | None) -> None:
    augmented = variant(LAMP, name)
    assert (augmented.variant, augmented.scrambled) == (name, scrambled)
    assert len(set(augmented.tools)) == len(augmented.tools) == count
    assert {"set_wifi_status", "search_contacts"} <= set(augmented.tools)
    assert not {"add_contact", "search_reminder", "end_conversation"} & set(augmented.tools)
    assert [tool.tool.name for tool in augmented.tool_views.values()] == list(augmented.tools)
    assert (augmented.digest, augmented.task_as(Milestones).milestones) == (
        LAMP.digest,
        LAMP.task_as(Milestones).milestones,
    )


def test_tools_of_the_same_modules_come_first_and_then_those_with_similar_names() -> None:
    spare = distraction_tools(phone, ["send_message_with_phone_number"])
    assert spare[0] == "search_messages"  # the only other one of its module
    spare = distraction_tools(phone, ["set_wifi_status"])
    modules = [phone.tools[name].module for name in spare]
    count = len(of_module("setting")) - 1
    assert modules[:count] == ["setting"] * count
    assert "setting" not in modules[count:]
    assert spare[0] == "get_wifi_status"
    assert sorted([*spare, "set_wifi_status"]) == sorted(phone.agent_tools)


@every(
    ("tool", "nearest"),
    [
        ("search_messages", ["search_location_around_lat_lon", "search_weather_around_lat_lon"]),
        ("send_message_with_phone_number", ["unit_conversion", "seconds_to_hours_minutes_seconds"]),
    ],
)
def test_names_are_compared_by_their_words_as_published(tool: str, nearest: list[str]) -> None:
    assert distraction_tools(phone, [tool])[1:3] == nearest  # the first is of the same module


def test_the_order_depends_on_scenario_and_augmentation_alone() -> None:
    orders = {
        variant(scenario("null", name=name), augmentation).tools
        for name in ("some", "other")
        for augmentation in ("all_tools_available", "ten_distraction_tools")
    }
    assert len(orders) == 4
    everything = scenario("null")  # there is none to add
    for name in AUGMENTATIONS:
        assert sorted(variant(everything, name).tools) == sorted(phone.agent_tools)


def test_the_order_is_the_same_on_every_machine() -> None:
    assert variant(LAMP, "no_distraction_tools").tools == ("set_wifi_status", "search_contacts")
    assert variant(LAMP, "three_distraction_tools").tools == (
        "get_cellular_service_status",
        "get_location_service_status",
        "search_contacts",
        "get_wifi_status",
        "set_wifi_status",
    )


@every(
    ("text", "name"),
    [
        ("tool_faults", "tool_faults"),
        ("tool_faults:0.2:transient+timeout", "tool_faults:0.2:transient+timeout"),
        ("tool_faults:1:stale + partial:seed7", "tool_faults:1:stale+partial:seed7"),
        (
            "tool_faults:0.1:stale+timeout + results_paged:2 + ten_distraction_tools",
            "ten_distraction_tools+results_paged:2+tool_faults:0.1:stale+timeout",
        ),
        (
            "results_paged+all_tools_available+tool_name_scrambled",
            "all_tools_available+tool_name_scrambled+results_paged",
        ),
    ],
)
def test_reading_perturbations(text: str, name: str) -> None:
    assert read_augmentations(text) == (name,)
    assert variant(LAMP, name).variant == name


@every(
    ("text", "message"),
    [
        ("tool_fault", "did you mean 'tool_faults'?"),
        ("tool_faults:2", "takes a share above 0, at most 1, not '2'"),
        ("tool_faults:0.2:timeouts", "did you mean 'timeout'?"),
        ("tool_faults:0.2:stale:3", "takes a share and kinds, such as"),
        ("results_paged:0", "takes a whole number from 1 to 1000, not '0'"),
        ("results_paged:2:3", "takes one parameter, not 2"),
        ("tool_faults+tool_faults:1", "name each perturbation once"),
    ],
)
def test_perturbations_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_augmentations(text)


def test_a_recorded_conversation_has_no_pages() -> None:
    recorded = """
    world: phone
    conversation: [{user: Hello.}, {assistant: Hello.}]
    """
    (scene,) = read_file(recorded.encode(), "some", "some.yaml")
    assert unfit(scene, "ten_distraction_tools") is None
    assert "recorded" in str(unfit(scene, "ten_distraction_tools+results_paged"))
