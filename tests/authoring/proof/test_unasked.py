"""What nothing asks for, by the rows in which two conversations end differently."""

from __future__ import annotations

from typing import Any

import pytest
from pantry import scenario

from pytest_toolsandbox.authoring.proof.played_solution import solved
from pytest_toolsandbox.authoring.proof.unasked import unasked

RICE, SALT = {"name": "rice", "amount": 1}, {"name": "salt", "amount": 2}
TEA = {"name": "tea", "note": "green"}


def ended(rows: list[dict[str, Any]]) -> Any:
    scene = scenario(
        f"""
        state: {{item: {{rows: {rows}}}}}
        milestones: {{told: {{says: {{anything: true}}}}}}
        solutions: {{s: [{{say: Done.}}]}}
        """
    )
    return scene.world, solved(scene, scene.solutions["s"]).trajectory


@pytest.mark.parametrize(
    ("rows", "other_rows", "text"),
    [
        ([RICE, SALT], [RICE, {**SALT, "amount": 7}], "nothing asks for item.amount"),
        (
            [RICE, SALT],
            [{**SALT, "note": "sea"}, {**RICE, "amount": 3}],
            "nothing asks for item.amount, item.note",
        ),
        ([RICE, TEA], [RICE], "nothing asks for the row of item with name='tea', note='green'"),
        ([RICE], [RICE, RICE], "nothing forbids a further row of item"),
        (
            [RICE],
            [{"name": "tea", "amount": 5, "note": "green"}],
            (
                "nothing asks for the row of item with name='rice'; "
                "nothing forbids a further row of item"
            ),
        ),
        ([RICE, SALT], [SALT, RICE], ""),
    ],
)
def test_columns_and_rows_are_named(
    rows: list[dict[str, Any]], other_rows: list[dict[str, Any]], text: str
) -> None:
    world, solution = ended(rows)
    assert unasked(world, solution, ended(other_rows)[1]) == text
