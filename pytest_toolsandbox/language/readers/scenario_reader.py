"""Reads a scenario from its document and notes every mistake in it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path as FilePath
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.categories import CATEGORIES
from pytest_toolsandbox.language.constraints import Criteria, criteria_of
from pytest_toolsandbox.language.mistakes import Mistakes, Path, Place
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.scenario import Difficulty, Mark, Scenario
from pytest_toolsandbox.matchers.registry import find
from pytest_toolsandbox.text.formatting import quote
from pytest_toolsandbox.text.nearest_name import SURELY, nearest_name, unknown
from pytest_toolsandbox.worlds.clock import read_moment
from pytest_toolsandbox.worlds.world import World

from .base_reader import Reader
from .faults import read_faults
from .initial_state import read_start
from .policy import read_policy
from .setup import read_setup
from .validation import check_shape, protocol_meant
from .world import read_world

_NAME = re.compile(r"(?!__)\w[\w.-]*")
_WORD = re.compile(r"[^\W\d_]\w*")
"""A category, a tag, or the name of a mark; all become pytest marks."""
_OPERATORS = ("and", "or", "not", "True", "False", "None")
"""Words with a special meaning in ``pytest -m``."""
_UNCHANGED = (
    *("summary", "quarantine", "trials", "critical", "max_messages", "max_calls", "timeout"),
    *("call_format", "prompt"),
)
"""Fields that a scenario copies from its document."""
_BESIDE_THE_TASK = (
    *("summary", "categories", "tags", "marks", "trials", "critical", "quarantine"),
    *("counterexamples", "prompt", "difficulty"),
)
"""Keys that may change while results stay comparable; the prompt belongs to the agent."""


@dataclass(frozen=True)
class InFile:
    """What the file of a scenario adds to it.

    ``thresholds`` are defaults; ``siblings`` maps the file's other scenarios to their keys. Files
    that the scenario names are relative to ``folder``.
    """

    thresholds: Mapping[str, float]
    folder: FilePath
    siblings: Mapping[str, Collection[str]] = field(default_factory=dict)


def read_scenario(
    name: str, document: dict[str, Any], mistakes: Mistakes, in_file: InFile
) -> Scenario | None:
    """Return the scenario of a document, or ``None`` if it has mistakes."""
    if not _NAME.fullmatch(name):
        text = "is not a valid scenario name; use letters, digits, '_', '-' and '.'"
        mistakes.add((), f"{quote(name)} {text}")
    protocol = protocol_meant(document)
    model = check_shape(document, protocol, mistakes)
    parts = {
        **{name: getattr(model, name) for name in _UNCHANGED},
        "categories": _categories(model.categories, mistakes),
        "tags": _words(model.tags, ("tags",), mistakes),
        "marks": mistakes.each(
            model.marks, ("marks",), lambda mark, path: _mark(mark, path, mistakes)
        ),
        "feedback": None if model.feedback is None else model.feedback == "on",
        "withheld": tuple(model.withheld),
        "difficulty": _difficulty(model.difficulty, mistakes),
        "places": _places_of_marks(model, mistakes),
    }
    own_criteria = _criteria(model, mistakes)
    world = read_world(model, in_file.folder, mistakes)
    if world is None:
        protocol.read(model, mistakes, None)
        return None
    reader = Reader(world, _now(model, world, mistakes), mistakes)
    start, setup = read_setup(reader, model.setup, read_start(reader, model.state))
    parts |= {
        "world": world,
        "now": reader.now,
        "start": start,
        "setup": setup,
        "tools": _tools(model, reader),
        "policy": read_policy(model, world, in_file.folder, mistakes),
        "criteria": _criteria_of_world(world, mistakes) + own_criteria,
    }
    thresholds = _thresholds(model, mistakes, in_file.thresholds)
    parts["faults"] = read_faults(model.faults, reader, start, thresholds)
    in_world = InWorld(reader, start, parts["tools"], thresholds, in_file.siblings)
    parts |= protocol.read(model, mistakes, in_world)
    if mistakes.entries:
        return None
    document = _with_policy(document, parts["policy"])
    task = {key: value for key, value in document.items() if key not in _BESIDE_THE_TASK}
    parts |= {"digest": _digest(document), "task_digest": _digest(task)}
    return Scenario(name=name, line=mistakes.line, **parts)


def _difficulty(model: models.DifficultyDocument | None, mistakes: Mistakes) -> Difficulty | None:
    if model is None:
        return None
    if model.passed > model.played:
        text = f"{model.passed} of {model.played} trials cannot have passed"
        mistakes.add(("difficulty", "passed"), text)
    return Difficulty(model.passed, model.played, tuple(model.by))


def _places_of_marks(model: models.Document, mistakes: Mistakes) -> dict[Path, Place]:
    """Return the places of categories, tags and marks, for mistakes that only pytest can find."""
    counts = {key: len(getattr(model, key)) for key in ("categories", "tags", "marks")}
    paths = [(key, index) for key, count in counts.items() for index in range(count)]
    return {path: mistakes.place(path) for path in (("marks",), *paths)}


def _with_policy(document: dict[str, Any], policy: str | None) -> dict[str, Any]:
    """Return a document with the text of its policy in place of the name of a file."""
    return document if policy is None else {**document, "policy": policy}


def _digest(document: dict[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _criteria(model: models.Document, mistakes: Mistakes) -> Criteria:
    """Return the scenario's own criteria, and note empty ones."""
    judge = model.judge
    if judge is None:
        return Criteria()
    if isinstance(judge, list):
        required, group = judge, []
        lists: list[tuple[Path, list[str]]] = [(("judge",), required)]
    else:
        required, group = judge.all_of, judge.any_of
        lists = [(("judge", "all_of"), required), (("judge", "any_of"), group)]
        if not (required or group) and ("judge",) not in mistakes.above_misshapen:
            mistakes.add(("judge",), "there are no criteria; list some under all_of or any_of")
    for path, texts in lists:
        for index, text in enumerate(texts):
            if not text.strip():
                mistakes.expected((*path, index), "a criterion, such as: stays polite;", text)
    return (
        criteria_of({"all_of": required, "any_of": group}) if not mistakes.entries else Criteria()
    )


def _criteria_of_world(world: World, mistakes: Mistakes) -> Criteria:
    try:
        return criteria_of(world.judge)
    except ValueError as error:
        mistakes.add(("world",), f"the judge's criteria of world {world.name!r}: {error}")
        return Criteria()


def _now(model: models.Document, world: World, mistakes: Mistakes) -> datetime:
    if model.now is None:
        return world.now
    try:
        return read_moment(model.now, world.now)
    except (ValueError, OverflowError) as error:
        mistakes.add(("now",), str(error))
        return world.now


def _thresholds(
    model: models.Document, mistakes: Mistakes, defaults: Mapping[str, float]
) -> dict[str, float]:
    thresholds = getattr(model, "threshold", None)
    if thresholds is None:
        return dict(defaults)
    graded = graded_matchers()
    if not isinstance(thresholds, dict):
        return dict.fromkeys(graded, float(thresholds))
    for name in (name for name in thresholds if name not in graded):
        text = unknown("matcher", name, graded)
        if name in matchers.names():
            text = f"{name!r} is not graded, so it has no threshold (allowed: {', '.join(graded)})"
        mistakes.add(("threshold", name), text, key=True)
    return {**defaults, **thresholds}


def graded_matchers() -> list[str]:
    """Return the names of the matchers that have a threshold."""
    known = {name: getattr(find(name), "__dataclass_fields__", {}) for name in matchers.names()}
    return [name for name in known if "threshold" in known[name]]


def _tools(model: models.Document, reader: Reader) -> tuple[str, ...]:
    """Return the offered tools in order; all tools if there are mistakes in their names."""
    known = reader.world.agent_tools
    before = len(reader.mistakes.entries)
    reader.check_names(model.tools or [], ("tools",), "tool", known)
    reader.check_names(model.withheld, ("withheld",), "tool", known)
    for index, name in enumerate(model.withheld):
        if name in (model.tools or []):
            reader.mistakes.add(("withheld", index), f"{name!r} is also listed under tools")
    if len(reader.mistakes.entries) > before:
        return tuple(known)
    offered = list(known) if model.tools is None else model.tools
    return tuple(name for name in offered if name not in model.withheld)


def _categories(names: list[str], mistakes: Mistakes) -> tuple[str, ...]:
    """Return categories: ToolSandbox's, and others that are not nearly one of those."""
    for index, name in enumerate(names):
        nearest = None if name in CATEGORIES else nearest_name(name, CATEGORIES, SURELY)
        if nearest:
            text = f"unknown category {quote(name)}; did you mean {nearest!r}?"
            mistakes.add(("categories", index), text)
    return _words(names, ("categories",), mistakes)


def _words(words: list[str], path: Path, mistakes: Mistakes) -> tuple[str, ...]:
    seen: set[str] = set()
    for index, word in enumerate(words):
        here = (*path, index)
        if _is_word(word, here, mistakes) and word in seen:
            mistakes.add(here, f"{word!r} is listed twice")
        seen.add(word)
    return tuple(dict.fromkeys(words))


def _mark(mark: Any, path: Path, mistakes: Mistakes) -> Mark | None:
    named = {mark: None} if isinstance(mark, str) else mark
    if not isinstance(named, dict) or len(named) != 1:
        mistakes.expected(path, "a mark, or a mark with its arguments;", mark)
        return None
    ((name, arguments),) = named.items()
    if not _is_word(name, path, mistakes):
        return None
    if isinstance(arguments, dict):
        return Mark(name, (), arguments)
    several = arguments if isinstance(arguments, list) else [arguments]
    return Mark(name) if arguments is None else Mark(name, tuple(several))


def _is_word(word: str, path: Path, mistakes: Mistakes) -> bool:
    if not _WORD.fullmatch(word):
        text = "is not a valid mark name; use a letter, then letters, digits and '_'"
        mistakes.add(path, f"{quote(word)} {text}")
    elif word in _OPERATORS:
        mistakes.add(path, f"{word!r} is an operator of pytest -m; choose another word")
    else:
        return True
    return False
