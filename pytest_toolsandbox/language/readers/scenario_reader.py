"""From a document to a scenario, with every mistake in it noted."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Mistakes, not_offered, unknown
from pytest_toolsandbox.language.scenario import CallConstraint, Event, Scenario, UserScript
from pytest_toolsandbox.matchers.registry import find as find_matcher
from pytest_toolsandbox.wording.phrases import quoted
from pytest_toolsandbox.worlds.clock import moment
from pytest_toolsandbox.worlds.registry import find_world, known_worlds
from pytest_toolsandbox.worlds.world import World

from .base_reader import Reader
from .events import check_names, read_events
from .graph import Graph, read_graph
from .initial_state import read_start
from .marks import read_marks, read_words
from .queries import read_query
from .recorded_conversation import read_replay, with_session
from .steps import StepReader, read_scripts
from .user_script import read_lines, read_user
from .validation import check_shape

NAME = re.compile(r"(?!__)\w[\w.-]*")


def read_scenario(
    name: str,
    document: dict[str, Any],
    mistakes: Mistakes,
    thresholds: Mapping[str, float],
    siblings: Collection[str] = (),
) -> Scenario | None:
    """Return the scenario of a document, or ``None`` where mistakes forbid one.

    ``thresholds`` maps graded matchers to what they must reach where the scenario does not say;
    ``siblings`` are the names of the other queries in the file.
    """
    if not NAME.fullmatch(name):
        text = (
            f"{quoted(name)} is no name for a scenario; it takes letters, digits, '_', '-' and '.'"
        )
        mistakes.add((), text)
    model = check_shape(document, mistakes)
    parts = _common(model, mistakes)
    if isinstance(model, models.Scenario):
        parts |= _without_world(model, mistakes)
        graphs = _graphs(model, mistakes)
    world = _world(model, mistakes)
    if world is None:
        return None
    reader = Reader(world, _now(model, world, mistakes), mistakes)
    parts |= {"tools": (tools := _tools(model, reader)), "withheld": tuple(model.withheld)}
    match model:
        case models.Scenario():
            thresholds = _thresholds(model, mistakes, thresholds)
            parts |= _in_world(model, reader, tools, graphs, thresholds)
        case models.Conversation():
            parts |= {**NO_USER, **_replay(model, reader, tools)}
        case models.Query():
            thresholds = _thresholds(model, mistakes, thresholds)
            query = read_query(model, reader, tools, thresholds, siblings)
            parts |= {**NO_USER, "start": read_start(reader, model.state), **query}
    if mistakes.found:
        return None
    return Scenario(
        name=name,
        line=mistakes.place(())[0],
        digest=_digest(document),
        world=world,
        now=reader.now,
        **parts,
    )


NO_USER: Mapping[str, Any] = {
    "user": UserScript("", None, None, (), (), ""),
    "history": (),
    "milestones": {},
    "minefields": {},
    "protected": (),
    "solutions": {},
    "counterexamples": {},
}
"""What a recorded conversation has none of, and a query only in part."""


def _replay(model: models.Conversation, reader: Reader, tools: Collection[str]) -> dict[str, Any]:
    start = read_start(reader, model.state)
    if start is not None:
        start = with_session(model.session, reader, start)
    return {"start": start, "replay": read_replay(model, reader, tools)}


def _common(model: models.Common, mistakes: Mistakes) -> dict[str, Any]:
    """Read what scenarios of all protocols say in the same words."""
    return {
        "summary": model.summary,
        "categories": read_words(model.categories, ("categories",), mistakes),
        "tags": read_words(model.tags, ("tags",), mistakes),
        "marks": read_marks(model.marks, mistakes),
        "trials": model.trials,
        "max_messages": model.max_messages,
        "max_calls": model.max_calls,
        "timeout": model.timeout,
        "feedback": None if model.feedback is None else model.feedback == "on",
        "call_format": model.call_format,
    }


def _without_world(model: models.Scenario, mistakes: Mistakes) -> dict[str, Any]:
    """Read what means the same in every world."""
    if not (model.milestones or model.minefields or model.protected or mistakes.misshapen):
        text = "nothing is expected; give milestones, minefields or protected tables"
        mistakes.add(("milestones",), text)
    return {
        "user": read_user(model.user, mistakes),
        "history": read_lines(model.history, ("history",), mistakes),
    }


def _graphs(model: models.Scenario, mistakes: Mistakes) -> tuple[Graph, Graph]:
    """Read the order of the milestones, and that of the minefields."""
    check_names(mistakes, model.milestones, model.minefields)
    return (
        read_graph(mistakes, "milestones", model.milestones, model.minefields),
        read_graph(mistakes, "minefields", model.minefields, model.milestones),
    )


def _in_world(
    model: models.Scenario,
    reader: Reader,
    tools: Collection[str],
    graphs: tuple[Graph, Graph],
    thresholds: Mapping[str, float],
) -> dict[str, Any]:
    """Read what is said of the world's tables and tools."""
    milestones = read_events(reader, graphs[0], model.milestones, thresholds)
    _check_offered(milestones, tools, reader)
    reader.check_names(model.protected, ("protected",), "table", reader.world.tables)
    solving, failing = (
        StepReader(reader.world, reader.now, reader.mistakes, offered=tools, strict=strict)
        for strict in (True, False)
    )
    return {
        "start": read_start(reader, model.state),
        "milestones": milestones,
        "minefields": read_events(reader, graphs[1], model.minefields, thresholds),
        "protected": tuple(model.protected),
        "solutions": read_scripts(solving, "solutions", model.solutions),
        "counterexamples": read_scripts(failing, "counterexamples", model.counterexamples),
    }


def _world(model: models.Common, mistakes: Mistakes) -> World | None:
    if ("world",) in mistakes.misshapen:
        return None
    try:
        return find_world(model.world)
    except KeyError:
        mistakes.add(("world",), unknown("world", model.world, known_worlds()))
        return None


def _now(model: models.Common, world: World, mistakes: Mistakes) -> datetime:
    if model.now is None:
        return world.now
    try:
        return moment(model.now, world.now)
    except (ValueError, OverflowError) as error:
        mistakes.add(("now",), str(error))
        return world.now


def _thresholds(
    model: models.Scenario | models.Query, mistakes: Mistakes, defaults: Mapping[str, float]
) -> dict[str, float]:
    graded = graded_matchers()
    own = model.threshold
    if own is None:
        return dict(defaults)
    if not isinstance(own, dict):
        return dict.fromkeys(graded, float(own))
    for name in own:
        if name in graded:
            continue
        if name in matchers.names():
            text = f"{name!r} is not graded, and has no threshold (allowed: {', '.join(graded)})"
            mistakes.add(("threshold", name), text, key=True)
        else:
            mistakes.unknown(("threshold", name), "matcher", name, graded)
    return {**defaults, **own}


def graded_matchers() -> list[str]:
    """Return the names of the matchers that have a threshold."""
    return [name for name in matchers.names() if "threshold" in _fields(name)]


def _fields(matcher: str) -> set[str]:
    return {field.name for field in fields(find_matcher(matcher))}  # type: ignore[arg-type]  # matchers are dataclasses


def _tools(model: models.Common, reader: Reader) -> tuple[str, ...]:
    """Return the tools that are offered, in the order of the scenario or else of the world.

    Where there are mistakes in them, all are: nothing is to follow from a mistake.
    """
    known = reader.world.agent_tools
    before = len(reader.mistakes.found)
    reader.check_names(model.tools or [], ("tools",), "tool", known)
    reader.check_names(model.withheld, ("withheld",), "tool", known)
    for index, name in enumerate(model.withheld):
        if name in (model.tools or []):
            reader.mistakes.add(("withheld", index), f"{name!r} stands under tools too")
    if len(reader.mistakes.found) > before:
        return tuple(known)
    offered = list(known) if model.tools is None else model.tools
    return tuple(name for name in offered if name not in model.withheld)


def _check_offered(milestones: Mapping[str, Event], tools: Collection[str], reader: Reader) -> None:
    """Note milestones that no agent can reach, since they ask for tools that it is not offered."""
    for name, event in milestones.items():
        for constraint in event.constraints:
            if not isinstance(constraint, CallConstraint) or constraint.tried:
                continue
            asked = [pattern.tool for pattern in constraint.alternatives]
            known = set(asked) <= set(reader.world.agent_tools)
            if asked and known and not set(asked) & set(tools):
                text = not_offered(asked[0])
                reader.mistakes.add(("milestones", name, constraint.label), text)


def _digest(document: dict[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
