from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers import registry
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.worlds import world as worlds
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


BUILT_IN_MATCHERS = dict(registry._registered)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worlds ``phone`` and ``room`` and the built-in matchers, and no others."""
    monkeypatch.setattr(registry, "_registered", dict(BUILT_IN_MATCHERS))
    monkeypatch.setattr("pytest_toolsandbox.builtin.WORLDS", ("phone",))
    monkeypatch.setattr(worlds, "_registered", {"room": ROOM})


@pytest.fixture
def load() -> Callable[..., list[Scenario]]:
    """A function: the scenarios in a text."""

    def read(text: str, name: str = "one", **thresholds: float) -> list[Scenario]:
        return read_file(text.encode(), name, "file.yaml", thresholds)

    return read


@pytest.fixture
def load_one(load: Callable[..., list[Scenario]]) -> Callable[..., Scenario]:
    """A function: the only scenario in a text."""

    def read(text: str, **thresholds: float) -> Scenario:
        (scenario,) = load(text, **thresholds)
        return scenario

    return read


@pytest.fixture
def mistakes() -> Callable[[str], list[str]]:
    """A function: the lines of the error that a text makes."""

    def read(text: str, name: str = "one") -> list[str]:
        with pytest.raises(ScenarioError) as caught:
            read_file(text.encode(), name, "file.yaml")
        return str(caught.value).splitlines()

    return read
