"""Reads scenarios with milestones and minefields, their guardrails and calls (ToolSandbox)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.constraints import (
    START,
    CallConstraint,
    Constraint,
    Event,
    Guarded,
    SaysConstraint,
    StateConstraint,
)
from pytest_toolsandbox.language.mistakes import Mistakes, Path, not_given, not_offered
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.roles import Party, Role
from pytest_toolsandbox.language.tasks import Milestones

from .base_reader import Reader
from .call_patterns import callable_tools, read_patterns
from .clock import read_clock
from .consent import read_consent, with_agreements
from .end_states import EndReader, user_lines, without_ending_tables
from .events import EventReader, Graph, read_graph
from .initial_state import read_block
from .late_tools import read_late_tools
from .questions import read_holds
from .steps import read_solutions
from .user_calls import read_user_tools, with_calls
from .user_script import read_lines, read_user

_ANY = "any"
"""Stands for any call in ``tried``."""
_EVENT_KEYS = ("state", "call", "tried", "says", "user_says", "ends_as", "results", "holds")
_MESSAGES = ("call", "tried", "says", "user_says")
_SPOKEN = (("says", Role.AGENT, Role.USER), ("user_says", Role.USER, Role.AGENT))


def read_milestones(
    model: models.ScenarioDocument, mistakes: Mistakes, in_world: InWorld | None
) -> dict[str, Any]:
    """Return the fields of a scenario with milestones; without a world, only note mistakes."""
    is_protected = model.protected not in ("none", [])
    asks = model.milestones or model.minefields or model.ends_as or model.holds is not None
    if not (asks or is_protected or mistakes.misshapen):
        keys = "milestones, minefields, ends_as, holds or protected tables"
        text = f"nothing is expected; give {keys}"
        mistakes.add(("milestones",), text)
    user = read_user(model.user, mistakes)
    history = read_lines(model.history, ("history",), mistakes)
    _check_event_names(mistakes, model.milestones, model.minefields)
    graph = read_graph(mistakes, "milestones", model.milestones, model.minefields)
    mines = read_graph(mistakes, "minefields", model.minefields, model.milestones)
    if in_world is None:
        return {}
    reader = in_world.reader
    user_tools = read_user_tools(model, reader)
    user = with_calls(user, model.user, user_tools, in_world)
    user = with_agreements(user, model.user, in_world)
    protected = _tables(reader, model.protected, ("protected",))
    scripts = read_solutions(in_world, model.solutions, model.counterexamples)
    tables = partial(_tables, reader)
    names = scripts["solutions"]
    ends = EndReader(in_world, names, tables, user_lines(history), len(user.turns))
    at_the_end = ends.at_the_end(model)
    guarded = _guarded(reader, model.guardrails, ("guardrails",))
    everything, nothing = (_guarded(reader, names, ()) for names in ("all", "none"))
    guarded, everything = (without_ending_tables(g, at_the_end) for g in (guarded, everything))
    default = guarded if isinstance(model.guardrails, dict) else everything
    milestones = _events(in_world, graph, model.milestones, default, ends)
    _check_offered(milestones, in_world, user_tools)
    minefields = _events(in_world, mines, model.minefields, nothing, ends)
    events = milestones | at_the_end, minefields
    late = read_late_tools(model, in_world, names)
    task = Milestones(
        user,
        history,
        *events,
        protected,
        guarded,
        model.max_steps,
        user_tools,
        late,
        read_consent(model.consent, in_world),
        read_clock(model, in_world),
    )
    return {"task": task, **scripts}


def _check_offered(
    milestones: Mapping[str, Event], in_world: InWorld, user_tools: tuple[str, ...]
) -> None:
    """Note milestones that cannot be reached because nobody has their tools."""
    reader = in_world.reader
    for name, event in milestones.items():
        for constraint in event.constraints:
            if isinstance(constraint, CallConstraint) and not constraint.tried:
                called = [pattern.tool for pattern in constraint.alternatives]
                known = set(called) <= set(callable_tools(reader.world, constraint.by))
                tools = (in_world.tools if constraint.by != "user" else ()) + (
                    user_tools if constraint.by != "agent" else ()
                )
                if called and known and not set(called) & set(tools):
                    path = ("milestones", name, constraint.label)
                    is_users = called[0] in reader.world.user_tools
                    missing = not_given if is_users else not_offered
                    reader.mistakes.add(path, missing(called[0]))


def _events(
    in_world: InWorld,
    graph: Graph,
    events: Mapping[str, models.EventDocument],
    default: Guarded,
    ends: EndReader,
) -> dict[str, Event]:
    """Read milestones or minefields; those without guardrails of their own get the default."""
    read = {}
    for name, event in events.items():
        # A minefield without a threshold is hit by any similarity.
        is_minefield = isinstance(event, models.MinefieldDocument)
        reader = EventReader(
            *in_world.reader.context,
            graph=graph,
            event=name,
            thresholds=in_world.thresholds,
            threshold=event.threshold or 0.0 if is_minefield else event.threshold,
        )
        if event.guardrails is None:
            guarded = default
        else:
            guarded = _guarded(reader, event.guardrails, (graph.section, name, "guardrails"))
        read[name] = _event(reader, event, (graph.section, name), guarded, ends)
    return read


def _check_event_names(
    mistakes: Mistakes,
    milestones: Collection[str],
    minefields: Mapping[str, models.MinefieldDocument],
) -> None:
    """Note events that share a name or use a reserved one."""
    for section, names in (("milestones", milestones), ("minefields", minefields)):
        if START in names:
            text = f"{START!r} means the beginning of the conversation; choose another name"
            mistakes.add((section, START), text, key=True)
    for name, event in minefields.items():
        path = ("minefields", name)
        if name in milestones:
            mistakes.add(path, "a milestone already has this name; choose another one", key=True)
        if event.before is not None and event.before not in milestones:
            text = mistakes.unknown_text("milestone", event.before, milestones)
            mistakes.add((*path, "before"), text)


def _event(
    reader: EventReader,
    event: models.EventDocument,
    path: Path,
    guarded: Guarded,
    ends: EndReader,
) -> Event:
    if not event.state and all(getattr(event, key) is None for key in _EVENT_KEYS[1:]):
        text = f"nothing is expected; give {', '.join(_EVENT_KEYS[:-1])} or {_EVENT_KEYS[-1]}"
        reader.mistakes.add(path, text, key=True)
    _check_one_message(reader, event, path)
    if event.by is not None and not event.state and event.call is None and event.tried is None:
        reader.mistakes.add((*path, "by"), "by needs call, tried or state", key=True)
    minefield = event if isinstance(event, models.MinefieldDocument) else None
    return Event(
        reader.event,
        (*ends.of_event(event, path), *_constraints(reader, event, path)),
        reader.graph.after[reader.event],
        guarded,
        minefield.before if minefield else None,
        must_be_reached=minefield is not None,
        call_is_meant=event.call is not None,
    )


def _check_one_message(reader: EventReader, event: models.EventDocument, path: Path) -> None:
    """Note keys that need two messages: an event holds at a single one."""
    keys = [key for key in _MESSAGES if getattr(event, key) is not None]
    kind = reader.graph.section.removesuffix("s")
    for key in keys[1:]:
        text = f"a message cannot be both {keys[0]} and {key}; write a separate {kind} for {key}"
        reader.mistakes.add((*path, key), text, key=True)


def _constraints(reader: EventReader, event: models.EventDocument, path: Path) -> list[Constraint]:
    constraints: list[Constraint] = []
    for table in reader.only_known(event.state, (*path, "state"), "table", reader.world.tables):
        block = read_block(reader, table, event.state[table], (*path, "state", table))
        constraints += (replace(item, by=_whose_changes(event, item)) for item in block)
    by = event.by or "agent"
    tools = callable_tools(reader.world, by)
    for key in ("call", "tried"):
        if (value := getattr(event, key)) is not None:
            tried = key == "tried"
            if tried and value == _ANY and _ANY not in tools:
                constraints.append(CallConstraint(key, (), tried=True, by=by))
                continue
            patterns = read_patterns(reader, value, (*path, key), tools, invented=tried)
            constraints.append(CallConstraint(key, patterns, tried=tried, by=by))
    for key, sender, recipient in _SPOKEN:
        if (value := getattr(event, key)) is not None:
            content = reader.message_content(value, (*path, key))
            constraints.append(SaysConstraint(key, sender, recipient, content))
    if event.holds is not None:
        constraints += read_holds(reader, event.holds, (*path, "holds"))
    return constraints


def _whose_changes(event: models.EventDocument, constraint: StateConstraint) -> Party:
    """Return whose changes a constraint on a table is about.

    Nobody is blamed for the calls of another: what must not change, the agent must not change, and
    neither must it bring about a state in which nothing is called or said.
    """
    is_alone = all(getattr(event, key) is None for key in _MESSAGES)
    if is_alone and event.by is not None:
        return event.by
    is_forbidden = is_alone and isinstance(event, models.MinefieldDocument)
    return "agent" if is_forbidden or constraint.is_guardrail else "any"


def _guarded(reader: Reader, value: Any, path: Path) -> Guarded:
    """Read guardrails; ``all_but`` may also name columns, as ``table.column``."""
    columns = {
        f"{name}.{column}": (name, column)
        for name, schema in reader.world.tables.items()
        for column in (schema.columns if schema.single_row else ())
    }
    tables = _tables(reader, value, path, columns)
    listed = value["all_but"] if isinstance(value, dict) and tables else ()
    spared = [columns[name] for name in listed if name in columns]
    return {
        table: frozenset(column for name, column in spared if name == table) for table in tables
    }


def _tables(
    reader: Reader, value: Any, path: Path, columns: Collection[str] = ()
) -> tuple[str, ...]:
    """Read ``all``, ``none``, a list of tables, or ``{all_but: [...]}``.

    ``all_but`` may also list ``columns``; these exclude no table.
    """
    tables = reader.world.tables
    is_rest = isinstance(value, dict) and set(value) == {"all_but"}
    named = value["all_but"] if is_rest else [] if value in ("all", "none") else value
    if not (isinstance(named, list) and all(isinstance(name, str) for name in named)):
        expected = "all, none, a list of tables or {all_but: a list of tables}"
        reader.mistakes.expected(path, expected, value)
        return ()
    allowed = [*tables, *columns] if is_rest else tables
    reader.check_names(named, (*path, "all_but") if is_rest else path, "table", allowed)
    watched = (name for name, schema in tables.items() if not schema.bookkeeping)
    if is_rest or value == "all":
        return tuple(name for name in watched if name not in named)
    return tuple(named)
