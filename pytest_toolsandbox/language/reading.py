"""From a document to a scenario, with every mistake in it noted."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.worlds.clock import moment
from pytest_toolsandbox.worlds.world import World, find_world, known_worlds

from . import models
from .events import read_milestones, read_minefields
from .mistakes import Mistakes, Path, found, unknown
from .reader import Reader
from .roles import Role
from .scenario import CallConstraint, Event, Line, Mark, Reply, Scenario, UserScript
from .shape import check_shape
from .states import read_start
from .steps import read_counterexamples, read_solutions

NAME = re.compile(r"[\w.-]+")
WORD = re.compile(r"[A-Za-z_]\w*")
ROLES = {"user": Role.USER, "agent": Role.AGENT, "assistant": Role.AGENT, "system": Role.SYSTEM}


def read_scenario(
    name: str, document: Any, mistakes: Mistakes, thresholds: Mapping[str, float]
) -> Scenario | None:
    """Return the scenario of a document, or ``None`` where mistakes forbid one."""
    if not NAME.fullmatch(name):
        text = f"{name!r} is no name for a scenario: letters, digits, '_', '-' and '.' are allowed"
        mistakes.add((), text)
    if not isinstance(document, dict):
        mistakes.add((), f"expected a mapping, found {found(document)}")
        return None
    model = check_shape(document, mistakes)
    world = _world(document, mistakes)
    if model is None or world is None:
        return None
    now = _now(model, world, mistakes)
    reader = Reader(world, now, mistakes, _thresholds(model, mistakes, thresholds))
    scenario = _read(name, model, document, reader)
    return None if mistakes.found else scenario


def _read(name: str, model: models.Scenario, document: dict[str, Any], reader: Reader) -> Scenario:
    mistakes = reader.mistakes
    tools = _tools(model, reader)
    milestones = read_milestones(reader, model.milestones)
    minefields = read_minefields(reader, model.minefields, milestones)
    _check_offered(milestones, tools, mistakes)
    if not (milestones or minefields or model.protected):
        mistakes.add((), "nothing is expected: give milestones, minefields or protected tables")
    for index, table in enumerate(model.protected):
        if table not in reader.world.tables:
            text = unknown("table", table, reader.world.tables)
            mistakes.add(("protected", index), text)
    return Scenario(
        name=name,
        line=mistakes.place(())[0],
        digest=_digest(document),
        summary=model.summary,
        categories=_words("categories", model.categories, mistakes),
        tags=_words("tags", model.tags, mistakes),
        marks=tuple(_marks(model.marks, mistakes)),
        world=reader.world,
        now=reader.now,
        start=read_start(reader, model.state),
        tools=tools,
        user=_user(model.user, mistakes),
        history=tuple(_lines(model.history, ("history",), mistakes)),
        milestones=milestones,
        minefields=minefields,
        protected=tuple(model.protected),
        solutions=read_solutions(reader, model.solutions, tools),
        counterexamples=read_counterexamples(reader, model.counterexamples, tools),
        trials=model.trials,
        max_messages=model.max_messages,
        timeout=model.timeout,
    )


def _world(document: Mapping[str, Any], mistakes: Mistakes) -> World | None:
    name = document.get("world")
    if not isinstance(name, str):
        return None
    try:
        return find_world(name)
    except KeyError:
        mistakes.add(("world",), unknown("world", name, known_worlds()))
        return None


def _now(model: models.Scenario, world: World, mistakes: Mistakes) -> datetime:
    if model.now is None:
        return world.now
    try:
        return moment(model.now, world.now)
    except (ValueError, OverflowError) as error:
        mistakes.add(("now",), str(error))
        return world.now


def _thresholds(
    model: models.Scenario, mistakes: Mistakes, defaults: Mapping[str, float]
) -> dict[str, float]:
    own = model.threshold
    if own is None:
        return dict(defaults)
    if isinstance(own, float | int):
        return dict.fromkeys(matchers.names(), float(own))
    for name in own:
        if name not in matchers.names():
            mistakes.unknown(("threshold", name), "matcher", name, matchers.names())
    return {**defaults, **own}


def _tools(model: models.Scenario, reader: Reader) -> tuple[str, ...]:
    """Return the tools that are offered, in the order of the scenario or else of the world."""
    known = reader.world.agent_tools
    for key, names in (("tools", model.tools or []), ("withheld", model.withheld)):
        for index, name in enumerate(names):
            if name not in known:
                reader.mistakes.add((key, index), unknown("tool", name, known))
            elif name in names[:index]:
                reader.mistakes.add((key, index), f"{name!r} stands here twice")
            elif key == "tools" and name in model.withheld:
                reader.mistakes.add((key, index), f"{name!r} is offered and withheld")
    offered = known if model.tools is None else model.tools
    return tuple(name for name in offered if name not in model.withheld)


def _check_offered(
    milestones: Mapping[str, Event], tools: Collection[str], mistakes: Mistakes
) -> None:
    """A call of a tool that nobody is offered can be no milestone."""
    for name, event in milestones.items():
        for constraint in event.constraints:
            if not isinstance(constraint, CallConstraint) or constraint.tried:
                continue
            missing = [p.tool for p in constraint.alternatives if p.tool not in tools]
            if missing and len(missing) == len(constraint.alternatives):
                text = f"{missing[0]} is not offered to the agent here"
                mistakes.add(("milestones", name, constraint.label), text)


def _words(section: str, words: list[str], mistakes: Mistakes) -> tuple[str, ...]:
    for index, word in enumerate(words):
        if not WORD.fullmatch(word):
            text = f"{word!r} is no name for a mark: letters, digits and '_' are allowed"
            mistakes.add((section, index), text)
    return tuple(dict.fromkeys(words))


def _marks(marks: list[Any], mistakes: Mistakes) -> list[Mark]:
    read = []
    for index, mark in enumerate(marks):
        named = {mark: None} if isinstance(mark, str) else mark
        if not isinstance(named, dict) or len(named) != 1:
            text = f"expected a mark, or a mark with its arguments; found {found(mark)}"
            mistakes.add(("marks", index), text)
            continue
        ((name, arguments),) = named.items()
        if not WORD.fullmatch(name):
            mistakes.add(("marks", index), f"{name!r} is no name for a mark")
            continue
        match arguments:
            case None:
                read.append(Mark(name))
            case dict():
                read.append(Mark(name, (), arguments))
            case list():
                read.append(Mark(name, tuple(arguments)))
            case _:
                read.append(Mark(name, (arguments,)))
    return read


def _user(user: models.User, mistakes: Mistakes) -> UserScript:
    replies = []
    for index, reply in enumerate(user.replies):
        pattern = None
        if reply.when is not None:
            try:
                pattern = re.compile(reply.when, re.IGNORECASE)
            except re.error as error:
                text = f"{reply.when!r} is no regular expression: {error}"
                mistakes.add(("user", "replies", index, "when"), text)
        replies.append(Reply(reply.say, pattern))
    return UserScript(
        user.opening,
        user.goal,
        user.knowledge_boundary,
        tuple(_lines(user.demonstration, ("user", "demonstration"), mistakes)),
        tuple(replies),
        user.otherwise,
    )


def _lines(lines: list[Any], path: Path, mistakes: Mistakes) -> list[Line]:
    """Read dialogue, each line as ``{user: text}`` or ``{role: user, content: text}``."""
    read = []
    for index, line in enumerate(lines):
        here = (*path, index)
        fields = dict(line) if isinstance(line, dict) else {}
        visible = fields.pop("visible_to", None)
        if set(fields) == {"role", "content"}:
            fields = {fields["role"]: fields["content"]}
        if len(fields) != 1 or not set(fields) <= set(ROLES):
            text = f"expected one of {', '.join(ROLES)} with its text, found {found(line)}"
            mistakes.add(here, text)
            continue
        ((role, content),) = fields.items()
        if not isinstance(content, str):
            mistakes.add((*here, role), f"expected text, found {found(content)}")
            continue
        read.append(Line(ROLES[role], content, _visible(visible, here, mistakes)))
    return read


def _visible(visible: Any, path: Path, mistakes: Mistakes) -> tuple[Role, ...] | None:
    if visible is None:
        return None
    names = [visible] if isinstance(visible, str) else visible
    if not isinstance(names, list) or not set(map(str, names)) <= set(ROLES):
        text = f"expected a list of {', '.join(ROLES)}; found {found(visible)}"
        mistakes.add((*path, "visible_to"), text)
        return None
    return tuple(ROLES[name] for name in names)


def _digest(document: dict[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
