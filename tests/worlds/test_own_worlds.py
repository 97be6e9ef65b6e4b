"""Mistakes that people make in a world of their own: each is one line, with place and remedy."""

# ruff: noqa: E501  # a message is easier to compare in one line
from __future__ import annotations

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
LOOK = "conftest.py:6: the tool 'look': "
SHOP = "conftest.py:15: the world 'shop': "
SIGNATURE = 'context: Context, name: str = "a"'
DOC = '"""Look.\n\n    Args:\n        name: What at.\n    """'
NAMES = "1 to 64 letters (A to Z), digits, _ and -, as chat APIs take them"

MISTAKES: list[tuple[str, str, str]] = [
    (
        SIGNATURE,
        "name: str, /",
        f"{LOOK}parameter 'name' is positional-only, and agents give names; remove the /",
    ),
    (
        SIGNATURE,
        "*name: str",
        f"{LOOK}*name has no names that agents could give; write name: list[...]",
    ),
    (
        SIGNATURE,
        "**name: str",
        f"{LOOK}**name has no names for agents to give; name them one by one",
    ),
    (SIGNATURE, "name", f"{LOOK}parameter 'name' has no type hint; write name: str, or Any"),
    (
        SIGNATURE,
        "context, name: str",
        f"{LOOK}parameter 'context' has no type hint; write context: Context, if it is the world",
    ),
    (
        SIGNATURE,
        "name: str, context: Context",
        f"{LOOK}parameter 'context' is the world, and must be the first",
    ),
    (
        SIGNATURE,
        "name: Nmae",
        f"{LOOK}its type hints cannot be read: NameError: name 'Nmae' is not defined; import or define what they name above it, and not under TYPE_CHECKING",
    ),
    (
        SIGNATURE,
        "name: Context | None",
        f"{LOOK}parameter 'name' is of type pytest_toolsandbox.worlds.context.Context | None, which JSON cannot express; use a JSON type, Literal, Enum, a date, a pydantic model or a dataclass",
    ),
    (
        SIGNATURE,
        "name: str = None",
        f"{LOOK}parameter 'name' is of type str, and its default None does not fit it; write ... | None",
    ),
    (
        SIGNATURE,
        "name: int = 'a'",
        f"{LOOK}parameter 'name' is of type int, and its default 'a' does not fit it",
    ),
    (
        SIGNATURE,
        "name: list[str] = []",
        f"{LOOK}parameter 'name' is of type list[str], and its default [] is one object for all calls, which may change it; write None, and ... | None",
    ),
    (
        SIGNATURE,
        "name: str = NOT_GIVEN",
        f"{LOOK}parameter 'name' is of type str, and its default NOT_GIVEN needs NotGiven in the hint: write ... | NotGiven",
    ),
    (
        SIGNATURE,
        "name: Any = UTC",
        f"{LOOK}parameter 'name' is of type Any, and its default datetime.timezone.utc cannot be written as JSON: JSON cannot express timezone",
    ),
    (SIGNATURE, "größe: str", f"{LOOK}the name of parameter 'größe' must be {NAMES}; rename it"),
    (
        "def look(",
        "def prüfe(",
        f"conftest.py:6: the tool 'prüfe': its name must be {NAMES}; rename the function",
    ),
    ("return name", "yield name", f"{LOOK}it yields, and agents read one result; return a list"),
    (DOC, "pass", f"{LOOK}it has no docstring, from which agents learn what it does; write one"),
    (
        "name: What at.",
        "nmae: What at.",
        f"{LOOK}its docstring describes 'nmae', which it does not take; did you mean 'name'?",
    ),
    (
        "Args:\n        name: What at.",
        ":param name: What at.",
        f"{LOOK}its docstring is not in Google's style; write Args: and name: text",
    ),
    (
        "    Args:",
        "    Raises:\n        ValueErorr: If so.\n\n    Args:",
        f"{LOOK}Raises: names 'ValueErorr', which is not an exception; did you mean 'ValueError'?",
    ),
    (
        '@tool("shop")',
        "@tool",
        'conftest.py:6: tool takes the name of a group; write @tool("shop")',
    ),
    (
        '@tool("shop")',
        '@tool("shop", raises=ValueError)',
        f"{LOOK}raises must be a tuple of exception types, such as (ValueError,), not <class 'ValueError'>",
    ),
    (
        '@tool("shop")',
        '@tool("shop", comparison=CallComparison({"nmae": "set"}))',
        f"{LOOK}comparison names 'nmae', which is not one of its arguments; did you mean 'name'?",
    ),
    (
        '@tool("shop")\n',
        "",
        f"{SHOP.replace('15', '14')}look in its toolset is not a tool; put @tool(...) above it",
    ),
    (
        "[look]",
        "[look, look]",
        "conftest.py:6: the tool 'look' is there twice: another is at conftest.py:6; rename one",
    ),
    (
        "[look]",
        "(one for one in [look])",
        f"{SHOP}toolset must be a list of tools, not <generator object",
    ),
    (
        "register_world(World(",
        "register_world(dict(",
        "conftest.py:15: register_world takes a World, not {",
    ),
    (
        "tzinfo=UTC)",
        ")",
        f"{SHOP}now must be a datetime with a time zone, not datetime.datetime(2025, 1, 1, 0, 0); give it tzinfo=...",
    ),
    (
        'name="shop"',
        "name=''",
        "conftest.py:15: the world '': its name must be a text of one line, as scenarios write it",
    ),
    (
        "TableSchema({",
        "dict(**{",
        f"{SHOP}table 'order' must be TableSchema({{column: Column(...)}}), not {{",
    ),
    (
        "Column(str)",
        "str",
        f"{SHOP}column 'order_id' of table 'order' must be a Column; write Column(str)",
    ),
    (
        "Column(str)",
        "Column(set)",
        f"{SHOP}column 'order_id' of table 'order' is of type <class 'set'>; allowed are str, int, float, bool, list, dict or datetime, with nullable=True where null is",
    ),
    (
        "default=1",
        "default='1'",
        f"{SHOP}column 'count' of table 'order' takes int, and its default is '1'",
    ),
    (
        "default=1",
        "default=None",
        f"{SHOP}column 'count' of table 'order' takes int, and its default is None; write nullable=True",
    ),
    (
        '"order_id": "a"',
        '"id": "a"',
        f"{SHOP}table 'order' has no column 'id'; it has order_id, count",
    ),
    ('"order_id": "a"', '"count": 1', f"{SHOP}a row of table 'order' needs a value for 'order_id'"),
    (
        '"order_id": "a"',
        '"order_id": 1',
        f"{SHOP}column 'order_id' of table 'order' takes str, not 1",
    ),
    (
        '"order_id": "a"',
        '"order_id": str(uuid.uuid4())',
        f"{SHOP}initial gives other rows when it is called again; use no input but its time",
    ),
    (
        '{"order": [',
        '{"orders": [',
        f"{SHOP}initial has rows for 'orders', which is not a table; did you mean 'order'?",
    ),
    (
        '[{"order_id": "a"}]',
        '{"order_id": "a"}',
        f"{SHOP}initial must give table 'order' a list of rows, not {{'order_id': 'a'}}",
    ),
    (
        "lambda now: {",
        "lambda: {",
        f"{SHOP}initial raised TypeError: <lambda>() takes 0 positional arguments but 1 was given",
    ),
    (
        '"order_id": "a"',
        '"order_id": now["x"]',
        f"{SHOP}initial raised TypeError: 'datetime.datetime' object is not subscriptable (conftest.py:18)",
    ),
]


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


@every("name", ["phone", "office", *(f"queries.{one}" for one in ENVIRONMENTS)])
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
