from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.worlds.context import Context, stable_identifier
from pytest_toolsandbox.worlds.state import (
    NEW_IDENTIFIER,
    Column,
    Row,
    State,
    Table,
    TableSchema,
    frozen,
    identity,
    plain,
)

VALUES = st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.sampled_from(["", "a", "b"]))
ROWS = st.builds(lambda a, b: Row({"a": a, "b": b}), VALUES, st.integers(0, 1))
TABLES = st.lists(ROWS, max_size=6).map(Table)
STATES = st.fixed_dictionaries({"one": TABLES, "two": TABLES}).map(State)

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)


def counts(table: Table) -> Counter[Row]:
    return Counter(table.rows)


@given(JSON)
def test_freezing_loses_nothing(value: object) -> None:
    assert plain(frozen(value)) == value
    hash(frozen(value))


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (1, 1.0),
        (0.0, -0.0),
        (math.nan, math.nan),
        ([1, [True]], [1.0, [True]]),
        ({"x": 1, "y": None}, {"y": None, "x": 1.0}),
        ({"x": [math.nan]}, {"x": [math.nan]}),
    ],
)
def test_equal_values_make_equal_rows(value: object, other: object) -> None:
    assert Row({"v": value}) == Row({"v": other})
    assert hash(Row({"v": value})) == hash(Row({"v": other}))
    assert Row({"v": value}).matches({"v": other})


@every(
    ("value", "other"),
    [
        (1, True),
        (0, False),
        (0, None),
        (False, None),
        ("", None),
        ("1", 1),
        (math.nan, "NaN"),
        (math.nan, ["NaN"]),
        (math.nan, None),
        ([1], [True]),
        ([1, 2], [2, 1]),
        ([], {}),
        ({"x": 1}, {"x": True}),
        ({"x": 1}, {"x": 1, "y": None}),
    ],
)
def test_different_values_make_different_rows(value: object, other: object) -> None:
    assert Row({"v": value}) != Row({"v": other})
    assert not Row({"v": value}).matches({"v": other})
    assert identity(frozen(value)) != identity(frozen(other))


def test_a_row_is_no_mapping_of_another_kind() -> None:
    assert Row({"a": 1}) != {"a": 1}
    assert dict(Row({"a": 1})) == {"a": 1}
    assert repr(Row({"a": [1]})) == "Row({'a': (1,)})"


def test_a_row_keeps_its_values_when_their_source_changes() -> None:
    source = {"tags": ["x"]}
    row = Row(source)
    source["tags"].append("y")
    assert plain(row) == {"tags": ["x"]}


def test_a_changed_row_is_another_row() -> None:
    row = Row({"a": 1, "b": 2})
    assert plain(row.changed(b=3)) == {"a": 1, "b": 3}
    assert plain(row) == {"a": 1, "b": 2}
    assert list(row.changed(a=0)) == ["a", "b"]


def test_a_row_that_has_not_the_column_cannot_be_matched() -> None:
    with pytest.raises(KeyError, match="c"):
        Row({"a": 1}).matches({"c": 1})


@given(st.lists(ROWS, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_count(rows: list[Row], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives random.Random
    assert Table(rows) == Table(shuffled)
    assert hash(Table(rows)) == hash(Table(shuffled))
    assert State({"t": Table(rows)}) == State({"t": Table(shuffled)})
    assert hash(State({"t": Table(rows)})) == hash(State({"t": Table(shuffled)}))


@given(TABLES, ROWS)
def test_the_number_of_equal_rows_counts(table: Table, row: Row) -> None:
    more = table.with_row(row)
    assert more != table
    assert more.rows == (*table.rows, row)
    assert State({"t": more}) != State({"t": table})


@given(TABLES, ROWS)
def test_a_row_that_is_added_and_taken_away_leaves_the_table_equal(table: Table, row: Row) -> None:
    assert table.with_row(row).without(row) == table


@given(TABLES, TABLES)
def test_without_takes_one_occurrence_each(table: Table, other: Table) -> None:
    assert counts(table.without(*other.rows)) == counts(table) - counts(other)


@given(TABLES, st.data())
def test_without_keeps_the_order_and_takes_the_first_of_equal_rows(
    table: Table, data: st.DataObject
) -> None:
    if not table.rows:
        return
    row = data.draw(st.sampled_from(table.rows))
    first = table.rows.index(row)
    assert table.without(row).rows == table.rows[:first] + table.rows[first + 1 :]


@given(TABLES, TABLES)
def test_minus_is_the_difference_of_multisets(table: Table, other: Table) -> None:
    assert Counter(table.minus(other)) == counts(table) - counts(other)
    assert (not table.minus(other) and not other.minus(table)) == (table == other)


@given(TABLES, TABLES)
def test_what_one_table_has_more_leads_to_the_other(table: Table, other: Table) -> None:
    rebuilt = other.without(*other.minus(table))
    for row in table.minus(other):
        rebuilt = rebuilt.with_row(row)
    assert rebuilt == table


@given(TABLES, VALUES)
def test_where_finds_the_rows_with_just_this_value(table: Table, value: object) -> None:
    rows = table.where(a=value)
    assert all(identity(row["a"]) == identity(value) for row in rows)
    assert counts(Table(rows)) + Counter(
        row for row in table if identity(row["a"]) != identity(value)
    ) == counts(table)


@given(TABLES, ROWS, ROWS)
def test_where_finds_the_same_rows_in_the_same_order_after_changes(
    table: Table, added: Row, removed: Row
) -> None:
    for row in table:
        table.where(a=row["a"])
        table.where(b=row["b"], a=row["a"])
    changed = table.with_row(added).without(removed)
    for row in (*table, added, removed):
        fields = {name: row[name] for name in ("b", "a")}
        assert changed.where(a=row["a"]) == Table(changed.rows).where(a=row["a"])
        assert changed.where(**fields) == tuple(r for r in changed if r.matches(fields))


def test_where_without_fields_finds_every_row() -> None:
    table = Table([{"a": 1}, {"a": 2}])
    assert table.where() == table.rows


@given(STATES, TABLES)
def test_a_state_shares_the_tables_that_stay(state: State, table: Table) -> None:
    changed = state.with_table("one", table)
    assert changed["one"] is table
    assert changed["two"] is state["two"]
    assert (changed == state) == (table == state["one"])


@given(STATES, STATES)
def test_changes_name_what_was_added_and_removed(earlier: State, later: State) -> None:
    changes = later.changes_since(earlier)
    assert set(changes) == {name for name in later if later[name] != earlier[name]}
    for name, change in changes.items():
        assert change["added"] == plain(later[name].minus(earlier[name]))
        assert change["removed"] == plain(earlier[name].minus(later[name]))


def test_a_changed_row_is_one_removed_and_one_added() -> None:
    earlier = State({"t": Table([{"a": 1}, {"a": [2]}]), "u": Table()})
    later = earlier.with_table("t", Table([{"a": 1}, {"a": [3]}]))
    assert later.changes_since(earlier) == {"t": {"added": [{"a": [3]}], "removed": [{"a": [2]}]}}
    assert earlier.changes_since(earlier) == {}


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
    assert context.add("t", {"a": 3}) == Row({"a": 3})
    context.remove("t", ONE)
    assert context.update("t", TWO, a=4) == Row({"a": 4})
    assert context.rows("t") == (ONE, Row({"a": 3}), Row({"a": 4}))
    assert STATE["t"].rows == (ONE, TWO, ONE)
    assert context.state["single"] is STATE["single"]


def test_an_added_row_is_returned_with_its_defaults() -> None:
    identifier = Column(str, default=NEW_IDENTIFIER)
    columns = {"id": identifier, "a": Column(int), "b": Column(int, default=7)}
    context = Context(STATE, NOW, tables={"t": TableSchema(columns)})
    added = context.add("t", {"a": 3})
    assert (added["a"], added["b"]) == (3, 7)
    assert context.rows("t")[-1] == added
    assert added["id"] == Context(STATE, NOW).new_identifier()
