"""Who played: agents and runs, which reports set beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from pytest_toolsandbox.records.reading import without_parameters
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.text.redaction import redacted_line

One = TypeVar("One", bound=Summary)


class Player(NamedTuple):
    """What tells arms apart: the run, the agent, and the parameter of its fixture."""

    run: str
    agent: str
    parameter: str | None


class Place(NamedTuple):
    """What two arms have in common: the scenario, in which augmentation, with feedback or not."""

    scenario: str
    variant: str | None
    feedback: bool


class Arm(NamedTuple, Generic[One]):
    """The records of one agent with one prompt in one run, under a name that is its alone."""

    name: str
    records: Sequence[One]


def player_of(record: Summary, run: str) -> Player:
    """Return who played a record of a run."""
    settings: Any = record.get("agent_settings", {})
    return Player(run, record["agent"], settings.get("parameter"))


def place_of(record: Summary) -> Place:
    """Return what was played, by any agent."""
    scenario = without_parameters(record["id"])
    return Place(scenario, record.get("variant"), record.get("feedback", False))


def arm_names(players: Iterable[Player]) -> dict[Player, str]:
    """Return a name for each arm: of what tells them apart, and at least the agent."""
    found = list(dict.fromkeys(players))
    differs = [len(set(values)) > 1 for values in zip(*found, strict=True)] if found else []
    if len({player[1:] for player in found}) == len(found):
        differs[:1] = [False]  # without the run they are told apart as well
    return {player: _name(player, differs) for player in found}


def arms_of(played: Sequence[tuple[Player, One]]) -> list[Arm[One]]:
    """Return an arm for each who played, in the order in which they come."""
    names = arm_names(player for player, _ in played)
    records: dict[str, list[One]] = {name: [] for name in names.values()}
    for player, record in played:
        records[names[player]].append(record)
    return [Arm(name, some) for name, some in records.items()]


def _name(player: Player, differs: Sequence[bool]) -> str:
    run, _, parameter = differs
    parts = [
        player.agent,
        f"[{player.parameter}]" if parameter and player.parameter else "",
        f"({player.run})" if run else "",
    ]
    return redacted_line(" ".join(filter(None, parts)))
