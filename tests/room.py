"""A room with a lamp and notes, for tests of the language."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Column, TableSchema
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World


@tool("lamp")
def switch_lamp(context: Context, on: bool) -> None:
    """Switch the lamp.

    Args:
        on: True to turn it on.
    """
    context.update("lamp", context.row("lamp"), on=on)


@tool("notes")
def write_note(text: str, copies: int = 1, tags: list[str] | None = None) -> dict[str, Any]:
    """Write a note.

    Args:
        text: What it says.
        copies: How many of them.
        tags: Words to find it by.
    """
    return {"text": text, "copies": copies, "tags": tags}


@tool("notes")
def find_notes(kind: Literal["old", "new"] = "new") -> list[dict[str, Any]]:
    """Find notes.

    Args:
        kind: Which notes.
    """
    return [{"kind": kind}]


@tool("user", for_user=True)
def hang_up() -> None:
    """End the conversation."""


def rows_at(now: datetime) -> Mapping[str, list[dict[str, Any]]]:
    if now.year < 1000:
        raise ValueError("there were no lamps")
    return {"lamp": [{}], "note": [{"note_id": "n1", "text": "milk"}, {"text": "eggs"}]}


ROOM = World(
    name="room",
    now=datetime(2025, 3, 14, 16, 0, tzinfo=ZoneInfo("Europe/Berlin")),
    tables={
        "lamp": TableSchema(
            {
                "on": Column(bool, default=False),
                "colour": Column(str, nullable=True, default=None),
                "warmth": Column(float, default=0.5),
                "scenes": Column(list, default=[]),
            },
            single_row=True,
        ),
        "note": TableSchema(
            {
                "note_id": Column(str, default=NEW_IDENTIFIER),
                "text": Column(str, measure="rouge_l"),
                "count": Column(int, default=1),
                "due": Column(float, nullable=True, default=None),
                "tags": Column(list, default=[]),
            }
        ),
    },
    toolset=(switch_lamp, write_note, find_notes, hang_up),
    initial=rows_at,
)


def load(text: str, name: str = "one", **thresholds: float) -> list[Scenario]:
    """Return the scenarios in a text."""
    return read_file(text.encode(), name, "file.yaml", thresholds)


def load_one(text: str, **thresholds: float) -> Scenario:
    """Return the only scenario in a text."""
    (scenario,) = load(text, "one", **thresholds)
    return scenario


def mistakes(text: str, name: str = "one") -> list[str]:
    """Return the lines of the error that a text makes."""
    with pytest.raises(ScenarioError) as caught:
        read_file(text.encode(), name, "file.yaml")
    return str(caught.value).splitlines()
