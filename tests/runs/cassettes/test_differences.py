"""What differs between a request and the nearest one that is recorded."""

from __future__ import annotations

from typing import Any

from rows import every

from pytest_toolsandbox.runs.cassettes.exchanges import Request
from pytest_toolsandbox.runs.cassettes.player import differences, nearest

TOOL = {
    "name": "find",
    "description": "Find people by name.",
    "parameters": {"type": "object", "properties": {"name": {"type": "string"}}},
}
SETTING = {
    "model": "openai/stub",
    "parameters": {"temperature": 0},
    "prompt": "Be kind.\nBe brief.\nAsk.",
    "tools": [TOOL],
}
MESSAGES = [{"user": "Hi"}, {"assistant": "Yes?"}]


def places_and_lines(messages: list[Any] = MESSAGES, **changes: Any) -> list[Any]:
    now = Request("agent", {**SETTING, **changes}, messages)
    changed_parts = differences(Request("agent", SETTING, MESSAGES), now)
    return [(change.place, *change.lines) for change in changed_parts]


@every(
    ("changes", "place", "lines"),
    [
        ({"model": "openai/other"}, "model", ["- openai/stub", "+ openai/other"]),
        ({"parameters": {"temperature": 1}}, "parameters.temperature", ["- 0", "+ 1"]),
        ({"parameters": {"temperature": 0, "seed": 7}}, "parameters.seed", ["+ 7"]),
        ({"parameters": {}}, "parameters.temperature", ["- 0"]),
        ({"prompt": "Be kind.\nBe long.\nAsk."}, "prompt", ["- Be brief.", "+ Be long."]),
        (
            {"tools": [{**TOOL, "description": "Find people by names."}]},
            "tools.find.description",
            ["- Find people by name.", "+ Find people by names."],
        ),
        ({"tools": [TOOL, {"name": "send"}]}, "tools.send", ["+ {name: 'send'}"]),
        ({"tools": []}, "tools.find", None),
        ({"messages": [{"user": "Ho"}, MESSAGES[1]]}, "message 1.user", ["- Hi", "+ Ho"]),
        ({"messages": [MESSAGES[0]]}, "message 2", ["- {assistant: 'Yes?'}"]),
    ],
)
def test_the_smallest_part_is_told(
    changes: dict[str, Any], place: str, lines: list[str] | None
) -> None:
    ((changed_place, *shown),) = places_and_lines(**changes)
    assert changed_place == place
    assert lines is None or shown == lines


def test_the_order_of_tools_counts() -> None:
    two = [TOOL, {**TOOL, "name": "send"}]
    old, new = ({**SETTING, "tools": tools} for tools in (two, two[::-1]))
    (change,) = differences(Request("agent", old, []), Request("agent", new, []))
    assert change.place == "the order of the tools"


def test_long_lines_are_shown_where_they_differ() -> None:
    recorded, asked = (Request("agent", {}, [{"tool": "x" * 300 + end}]) for end in "ab")
    old, new = differences(recorded, asked)[0].lines
    assert (old, new) == (f"- …{'x' * 20}a", f"+ …{'x' * 20}b")


def test_many_lines_are_cut() -> None:
    text = "\n".join(map(str, range(40)))
    (change,) = differences(
        Request("user", {}, [{"user": ""}]), Request("user", {}, [{"user": text}])
    )
    assert len(change.lines) == 13
    assert change.lines[-1] == "  … and 29 more lines"


def test_the_nearest_is_one_to_the_same_person_from_its_place_on() -> None:
    recorded = [
        Request("agent", {}, [{"user": "a"}, {"user": "b"}]),
        Request("user", {}, [{"user": "a"}]),
        Request("agent", {}, [{"user": "a"}, {"user": "c"}, {"user": "d"}]),
        Request("agent", {}, [{"user": "x"}, {"user": "y"}, {"user": "z"}]),
    ]
    asked = Request("agent", {}, [{"user": "a"}, {"user": "b"}, {"user": "d"}])
    assert nearest(asked, recorded, 1) == 2
    assert nearest(asked, recorded, 4) == 0
    assert nearest(Request("reviewer", {}, []), recorded, 0) is None
