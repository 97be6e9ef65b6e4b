from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pytest_toolsandbox.worlds.context import Context, stable_identifier
from pytest_toolsandbox.worlds.state import Row, State, Table

NOW = datetime(2025, 5, 14, tzinfo=UTC)
ONE, TWO = Row({"a": 1}), Row({"a": 2})
STATE = State({"t": Table([ONE, TWO, ONE]), "single": Table([ONE]), "none": Table()})


def test_identifiers_are_made_from_their_parts() -> None:
    assert stable_identifier("a", 1) == stable_identifier("a", "1")
    assert (
        len(
            {
                stable_identifier(),
                stable_identifier("a"),
                stable_identifier("a", 1),
                stable_identifier("a", 2),
            }
        )
        == 4
    )
    assert len(stable_identifier("a")) == 36


def test_every_identifier_of_a_conversation_is_another() -> None:
    made = [
        context.new_identifier()
        for context in (Context(STATE, NOW, place) for place in ("0", "1", "1/0"))
        for _ in range(3)
    ]
    assert len(set(made)) == 9


def test_the_same_place_makes_the_same_identifiers() -> None:
    first, second = Context(STATE, NOW, "3"), Context(State({}), NOW, "3")
    for _ in range(3):
        assert first.new_identifier() == second.new_identifier()


def test_rows_are_read() -> None:
    context = Context(STATE, NOW)
    assert context.rows("t") == (ONE, TWO, ONE)
    assert context.row("single") == ONE


@pytest.mark.parametrize("table", ["t", "none"])
def test_a_table_of_another_size_has_no_only_row(table: str) -> None:
    with pytest.raises(ValueError, match="values to unpack"):
        Context(STATE, NOW).row(table)


def test_changes_make_a_new_state_and_leave_the_old_one() -> None:
    context = Context(STATE, NOW)
    context.add("t", {"a": 3})
    context.remove("t", ONE)
    context.update("t", TWO, a=4)
    assert context.rows("t") == (ONE, Row({"a": 3}), Row({"a": 4}))
    assert STATE["t"].rows == (ONE, TWO, ONE)
    assert context.state["single"] is STATE["single"]
