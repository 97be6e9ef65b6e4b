"""A small world with tools of the user, for tests: a phone abroad, and the line at its carrier."""

from __future__ import annotations

import textwrap
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Column, TableSchema
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World, register_world


@tool("line")
def allow_roaming(context: Context, on: bool) -> None:
    """Allow the line to be used abroad, or forbid it.

    Args:
        on: True to allow it.
    """
    context.update("line", context.row("line"), roaming=on)


@tool("line")
def look_up_line(context: Context) -> dict[str, Any]:
    """Look up what the carrier knows of the line."""
    return dict(context.row("line"))


@tool("line")
def add_note(context: Context, text: str) -> None:
    """Add a note for colleagues.

    Args:
        text: What it says.
    """
    context.add("note", {"text": text})


@tool("line")
def push_settings(context: Context, airplane_mode: bool) -> None:
    """Set the airplane mode of the phone from afar.

    Args:
        airplane_mode: True to turn it on.
    """
    context.update("phone", context.row("phone"), airplane_mode=airplane_mode)


@tool("handset", for_user=True)
def set_airplane_mode(context: Context, on: bool) -> None:
    """Turn airplane mode on or off.

    Args:
        on: True to turn it on.
    """
    phone = context.row("phone")
    if phone["airplane_mode"] == on:
        raise PermissionError(f"Airplane mode is {'on' if on else 'off'} already.")
    context.update("phone", phone, airplane_mode=on)


@tool("handset", for_user=True)
def check_signal(context: Context) -> dict[str, Any]:
    """Read what the status bar shows."""
    works = context.row("line")["roaming"] and not context.row("phone")["airplane_mode"]
    return {"bars": 4 if works else 0, "text": "4G" if works else "no service"}


@tool("handset", for_user=True)
def write_down(context: Context, text: str) -> None:
    """Write something down.

    Args:
        text: What it says.
    """
    context.add("note", {"text": text})


WORLD = register_world(
    World(
        name="handset",
        now=datetime(2025, 3, 14, 16, 0, tzinfo=ZoneInfo("Europe/Lisbon")),
        tables={
            "line": TableSchema({"roaming": Column(bool, default=False)}, single_row=True),
            "phone": TableSchema(
                {"airplane_mode": Column(bool, default=True), "name": Column(str, default="Fig")},
                single_row=True,
            ),
            "note": TableSchema({"text": Column(str)}),
        },
        toolset=[
            *(allow_roaming, look_up_line, add_note, push_settings),
            *(set_airplane_mode, check_signal, write_down),
        ],
        raises=(PermissionError,),
        initial=lambda _: {"line": [{}], "phone": [{}], "note": [{"text": "first"}]},
    )
)

ABROAD = """\
world: handset
user:
  opening:
    do: [check_signal]
    say: My phone has no service in Portugal.
  replies:
    - when: airplane
      do:
        - set_airplane_mode: {on: false}
        - check_signal
      say: {from: {call: check_signal, path: text, format: "Done. It says {} now."}}
milestones:
  allowed: {call: {allow_roaming: {on: true}}}
  works: {state: {phone: {airplane_mode: false}}}
solutions:
  asks:
    - allow_roaming: {on: true}
    - say: I allowed roaming. Please turn airplane mode off.
    - say: Great, it works.
"""


def scenario(text: str = ABROAD) -> Scenario:
    """Return the scenario that a text in YAML describes."""
    register_world(WORLD)
    (only,) = read_file(textwrap.dedent(text).encode(), "abroad", "abroad.yaml")
    return only


def played(scene: Scenario, name: str | None = None) -> Trajectory:
    """Return the trajectory of a solution or counterexample, the first one unless it is named."""
    scripts = {**scene.solutions, **scene.counterexamples}
    steps = scripts[name or next(iter(scripts))]
    return converse(scene, scripted(scene, steps), scripted_user(scene))
