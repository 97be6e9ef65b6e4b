"""Mistakes in a user's own world: each gives one line, with place and remedy (``mistakes.txt``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.builtin import ENVIRONMENTS
from pytest_toolsandbox.worlds.context import Context, WorldError
from pytest_toolsandbox.worlds.world import find_world, register_world

START = """\
import enum, uuid
from datetime import UTC, datetime
from typing import Annotated, Any
from pytest_toolsandbox import *
"""
TOOL = '''
@tool("shop")
def look(context: Context, name: str = "a") -> str:
    """Look.

    Args:
        name: What at.
    """
    return name
'''
WORLD = """
register_world(World(
    name="shop", now=datetime(2025, 1, 1, tzinfo=UTC),
    tables={"order": TableSchema({"order_id": Column(str), "count": Column(int, default=1)})},
    toolset=[look], initial=lambda now: {"order": [{"order_id": "a"}]},
))
"""
MISTAKES = [
    [line[2:].replace("\\n", "\n") for line in block.splitlines()]
    for block in Path(__file__).with_name("mistakes.txt").read_text("utf-8").split("\n\n")
]
"""What is replaced in the world above, by what, and the message; ``\\n`` is a line break."""


def conftest(old: str = "", new: str = "") -> None:
    text = START + TOOL + WORLD
    assert old in text
    exec(compile(text.replace(old, new, 1), "conftest.py", "exec"), {"__name__": "conftest"})


@pytest.mark.parametrize(("old", "new", "line"), MISTAKES)
def test_a_mistake_is_one_line(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, line: str
) -> None:
    monkeypatch.setattr("pytest_toolsandbox.worlds.world._registered", {})
    with pytest.raises(WorldError) as caught:
        conftest(old, new)
    text = str(caught.value)
    assert text.startswith(line)
    assert "\n" not in text


def test_without_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: dict[str, Any] = {}
    monkeypatch.setattr("pytest_toolsandbox.worlds.world._registered", registered)
    conftest()
    assert list(registered) == ["shop"]


@every("name", ["phone", "office", *(f"queries.{environment}" for environment in ENVIRONMENTS)])
def test_the_worlds_of_the_package_have_none(name: str) -> None:
    register_world(find_world(name))


HAS = "in a row; it has order_id, count; did you mean 'count'?"
DECLARED = "\n\n    Raises:\n        KeyError: If there is none."


def look_in_shop(monkeypatch: pytest.MonkeyPatch, code: str, raises: str) -> None:
    monkeypatch.setattr("pytest_toolsandbox.worlds.world._registered", {})
    conftest('name: What at.\n    """', f'name: What at.{raises}\n    """\n    {code}')
    world = find_world("shop")
    world.tools["look"].run(Context(world.start(world.now), world.now, tables=world.tables), {})


@pytest.mark.parametrize(
    ("code", "line", "raises"),
    [
        (
            'context.state["ordre"]',
            "there is no table 'ordre' in world shop; it has order; did you mean 'order'?",
            "",
        ),
        (
            'context.rows("order_")',
            "there is no table 'order_' in world shop; it has order; did you mean 'order'?",
            "",
        ),
        ('context.add("xyz", {})', "there is no table 'xyz' in world shop; it has order", DECLARED),
        ('context.state["order"].where(cuont=1)', f"there is no 'cuont' {HAS}", ""),
        ('context.rows("order")[0]["counts"]', f"there is no 'counts' {HAS}", ""),
    ],
)
def test_a_misspelt_table_or_column_is_said_where_it_stands(
    monkeypatch: pytest.MonkeyPatch, code: str, line: str, raises: str
) -> None:
    with pytest.raises(WorldError) as caught:
        look_in_shop(monkeypatch, code, raises)
    assert str(caught.value) == f"conftest.py:{16 if raises else 13}: the tool 'look': {line}"


def test_a_tool_may_declare_that_a_row_lacks_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError) as caught:
        look_in_shop(monkeypatch, 'context.rows("order")[0]["counts"]', DECLARED)
    assert (type(caught.value), str(caught.value)) == (KeyError, "'counts'")


def test_names_that_do_not_exist_can_be_asked_for() -> None:
    world = find_world("phone")
    state = world.start(world.now)
    assert "xyz" not in state
    assert state.get("xyz") is None
    with pytest.raises(KeyError):
        state["xyz"]
