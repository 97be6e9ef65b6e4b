"""Milestones and minefields: their constraints, and the graph that they make."""

from __future__ import annotations

import graphlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from . import models
from .mistakes import Path, found, unknown
from .reader import Reader
from .roles import Role
from .scenario import START, CallConstraint, CallPattern, Constraint, Event, SaysConstraint
from .states import read_block
from .values import Expected

KEYS = ("state", "call", "tried", "says", "user_says")


def read_milestones(reader: Reader, events: Mapping[str, models.Event]) -> dict[str, Event]:
    """Return the milestones; without any ``after`` each comes after the one before it."""
    return _read(reader, "milestones", events, chained=True)


def read_minefields(
    reader: Reader, events: Mapping[str, models.Minefield], milestones: Mapping[str, Any]
) -> dict[str, Event]:
    """Return the minefields, each independent of the others unless it says ``after``."""
    for name, event in events.items():
        if event.before is not None and event.before not in milestones:
            path = ("minefields", name, "before")
            reader.mistakes.add(path, unknown("milestone", event.before, milestones))
    return _read(reader, "minefields", events, chained=False)


def _read(
    reader: Reader, section: str, events: Mapping[str, models.Event], *, chained: bool
) -> dict[str, Event]:
    if START in events:
        reader.mistakes.add(
            (section, START), f"{START!r} means the beginning; take another name", key=True
        )
    after = _predecessors(reader, section, events, chained=chained)
    ancestors = _ancestors(reader, section, after)
    read = {}
    for name, event in events.items():
        path = (section, name)
        here = replace(reader, events=tuple(events), earlier=ancestors[name])
        constraints = tuple(_constraints(here, event, path))
        if not any(getattr(event, key) is not None and getattr(event, key) != {} for key in KEYS):
            reader.mistakes.add(path, f"nothing is expected; give one of {', '.join(KEYS)}")
        read[name] = Event(
            name,
            constraints,
            after[name],
            _guarded(reader, event.guardrails, path),
            getattr(event, "before", None),
            (event.threshold or 0.0) if section == "minefields" else 0.0,
        )
    return read


def _predecessors(
    reader: Reader, section: str, events: Mapping[str, models.Event], *, chained: bool
) -> dict[str, tuple[str, ...]]:
    names = list(events)
    if chained and all(event.after is None for event in events.values()):
        return {name: tuple(names[max(i - 1, 0) : i]) for i, name in enumerate(names)}
    after: dict[str, tuple[str, ...]] = {}
    for name, event in events.items():
        for index, other in enumerate(event.after or ()):
            if other not in events:
                path = (section, name, "after", index)
                reader.mistakes.add(path, unknown(section[:-1], other, events))
        after[name] = tuple(dict.fromkeys(o for o in event.after or () if o in events))
    return after


def _ancestors(
    reader: Reader, section: str, after: Mapping[str, tuple[str, ...]]
) -> dict[str, set[str]]:
    """Return everything that comes before each event; a cycle is a mistake."""
    ancestors: dict[str, set[str]] = {name: set() for name in after}
    try:
        order = list(graphlib.TopologicalSorter(after).static_order())
    except graphlib.CycleError as error:
        cycle = list(reversed(error.args[1]))
        reader.mistakes.add((section, cycle[0], "after"), f"a cycle: {' after '.join(cycle)}")
        return ancestors
    for name in order:
        for other in after[name]:
            ancestors[name] |= {other} | ancestors[other]
    return ancestors


def _constraints(reader: Reader, event: models.Event, path: Path) -> list[Constraint]:
    constraints: list[Constraint] = []
    for table in reader.only_known(event.state, (*path, "state"), "table", reader.world.tables):
        block = event.state[table]
        constraints += read_block(reader, table, block, (*path, "state", table), event.threshold)
    for key in ("call", "tried"):
        if (value := getattr(event, key)) is not None:
            patterns = _patterns(reader, value, (*path, key), key == "tried", event.threshold)
            constraints.append(CallConstraint(key, tuple(patterns), tried=key == "tried"))
    for key, sender, recipient in (
        ("says", Role.AGENT, Role.USER),
        ("user_says", Role.USER, Role.AGENT),
    ):
        if (value := getattr(event, key)) is not None:
            content = _said(reader, value, (*path, key), event.threshold)
            constraints.append(SaysConstraint(key, sender, recipient, content))
    return constraints


def _said(reader: Reader, value: Any, path: Path, threshold: float | None) -> Expected:
    if isinstance(value, (bool, int, float, list)):
        reader.mistakes.add(path, f"expected text or a matcher, found {found(value)}")
    return reader.expected(value, path, own="rouge_l", in_text=True, threshold=threshold)


def _patterns(
    reader: Reader, value: Any, path: Path, tried: bool, threshold: float | None
) -> list[CallPattern]:
    if isinstance(value, dict) and set(value) == {"any_of"} and isinstance(value["any_of"], list):
        items = enumerate(value["any_of"])
        patterns = [
            _pattern(reader, item, (*path, "any_of", i), tried, threshold) for i, item in items
        ]
    else:
        patterns = [_pattern(reader, value, path, tried, threshold)]
    return [pattern for pattern in patterns if pattern]


def _pattern(
    reader: Reader, value: Any, path: Path, tried: bool, threshold: float | None
) -> CallPattern | None:
    if isinstance(value, str):
        value = {value: None}
    if not isinstance(value, dict) or len(value) != 1:
        reader.mistakes.add(path, f"expected one tool with its arguments, found {found(value)}")
        return None
    ((name, arguments),) = value.items()
    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, dict):
        text = f"expected arguments, name: value; found {found(arguments)}"
        reader.mistakes.add((*path, name), text)
        return None
    tools = reader.world.agent_tools
    if name in tools:
        tool = tools[name]
        kind = f"argument of {name}"
        known = reader.only_known(arguments, (*path, name), kind, tool.parameters)
        here = (*path, name)
        cells = {
            key: reader.argument(arguments[key], (*here, key), tool, key, threshold)
            for key in known
        }
        return CallPattern(name, cells)
    if not tried:
        reader.mistakes.unknown((*path, name), "tool", name, tools)
    return CallPattern(
        name,
        {
            key: reader.expected(item, (*path, name, key), threshold=threshold)
            for key, item in arguments.items()
        },
    )


def _guarded(reader: Reader, guardrails: Any, path: Path) -> frozenset[str]:
    if guardrails == "none":
        return frozenset()
    if guardrails == "all":
        return frozenset(reader.world.tables)
    for index, name in enumerate(guardrails):
        if name not in reader.world.tables:
            where = (*path, "guardrails", index)
            reader.mistakes.add(where, unknown("table", name, reader.world.tables))
    return frozenset(guardrails)
