"""What is written as YAML is read back as the same values."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import example, given, strategies as st
from rows import every

from pytest_toolsandbox.language.compact_yaml import write_compact_yaml
from pytest_toolsandbox.language.yaml12 import read_yaml, write_yaml

# Half of a character is no Unicode.
TEXTS = st.text(st.characters(codec="utf-8"))
TRICKY = st.text(
    "0123456789abeExXnoyst:+-.,_ \n\t#'\"{}[]|>&*!%@`~=<?\r\x85\u2028\ufeffü🎉", max_size=12
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS | TRICKY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS | TRICKY, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def same(value: Any, other: Any) -> bool:
    """Whether two values are the same with their types and the order of their keys."""
    return json.dumps(value) == json.dumps(other)


@given(st.dictionaries(TEXTS | TRICKY, VALUES, max_size=4))
@example({"key": "a\n b\n\n  c"})
@example({"key": "a\n\tb \nc"})
@example({"k" * 200: {"a\nb": ["\n", " ", "a\n", "\na", "|\n-"]}})
def test_what_is_written_is_read(document: dict[str, Any]) -> None:
    text = write_yaml(document)
    assert same(read_yaml(text.encode(), "f.yaml")[0], document)


@given(st.dictionaries(TRICKY, TRICKY, max_size=4))
def test_texts_are_texts_to_readers_of_yaml_1_1(document: dict[str, str]) -> None:
    assert same(yaml.safe_load(write_yaml(document)), document)


@every(
    ("value", "written"),
    [
        ("06:30:00", '"06:30:00"'),
        ("2023-09-11", '"2023-09-11"'),
        ("1e5", '"1e5"'),
        ("007", '"007"'),
        ("+34600", '"+34600"'),
        ("98a5a87a-7714-b404", '"98a5a87a-7714-b404"'),
        ("yes", "'yes'"),
        ("null", "'null'"),
        ("~", "'~'"),
        ("", "''"),
        ("a: b", "'a: b'"),
        ("Set an alarm", "Set an alarm"),
        ("Zürich 你好", "Zürich 你好"),
        ("Dear Ada,\n\n  thanks: yes", "|-\n  Dear Ada,\n\n    thanks: yes"),
        ("Bye\n", '"Bye\\n"'),
        ([], "[]"),
        ({}, "{}"),
        (None, "null"),
        (18.0, "18.0"),
    ],
)  # fmt: skip
def test_quotes_stand_where_they_are_needed(value: Any, written: str) -> None:
    assert write_yaml({"key": value}) == f"key: {written}\n"


def test_a_document_reads_well() -> None:
    same_row = {"alarm_id": "5bff-dd80"}
    document = {
        "b": [{"AddAlarm": {"time": "06:30:00"}, "result": same_row}, same_row],
        "a": "text",
    }
    assert write_yaml(document) == (
        "b:\n"
        "  - AddAlarm:\n"
        '      time: "06:30:00"\n'
        "    result:\n"
        '      alarm_id: "5bff-dd80"\n'
        '  - alarm_id: "5bff-dd80"\n'
        "a: text\n"
    )


def test_a_compact_document_has_short_values_in_one_line() -> None:
    document = {
        "tools": [f"tool_number_{n}" for n in range(8)],
        "milestones": {"a": {"call": "b"}, "c": {"says": {"mentions": ["+34", 5]}}},
    }
    text = write_compact_yaml(document, {"milestones": 1})
    assert read_yaml(text.encode(), "a.yaml")[0] == document
    assert text.splitlines()[2:] == [
        "milestones:",
        "  a: {call: b}",
        '  c: {says: {mentions: ["+34", 5]}}',
    ]
