"""The values that mutants give in the place of right ones."""

from __future__ import annotations

from typing import Any

from rows import every

from pytest_toolsandbox.authoring.proof.mutants import mutated
from pytest_toolsandbox.worlds.state import State, Table

STATE = State(
    {
        "empty": Table(),
        "people": Table(
            [
                {"name": "Ada", "number": "+14155550100", "note": None},
                {"name": "Ben", "number": "+14155550111", "note": "tall"},
                {"name": "Ada", "number": "+14155550122", "note": None},
            ]
        ),
        "only": Table([{"code": "x1"}]),
        "holes": Table([{"code": "y1", "note": "left out below"}, {"code": "y2"}]),
    }
)


@every(
    ("value", "other"),
    [
        (True, False),
        (5, 12),
        (-0.5, 6.5),
        (1747243800.0, 1747247400.0),
        ("Ada", "Ben"),
        ("Ben", "Ada"),
        ("+14155550111", "+14155550100"),
        ("tall", "Something else altogether"),
        ("x1", "Something else altogether"),
        ("a text", "Something else altogether"),
        ("+1 (415) 555-0199", "+1 (415) 555-0190"),
        ("4711", "4712"),
        (None, None),
        ("left out below", "Something else altogether"),
        ([None, "Ada", "Ada"], [None, "Ben", "Ada"]),
        (("Ada",), ["Ben"]),
        ({"who": {"age": None, "names": ["Ben"]}}, {"who": {"age": None, "names": ["Ada"]}}),
        ([False], [True]),
        ([], None),
        ({"a": [None]}, None),
    ],
)
def test_changed(value: Any, other: Any) -> None:
    assert mutated(value, STATE) == other
