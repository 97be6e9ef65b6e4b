"""Queries: a question, what its answer must be, and the ways that lead there (SpecTool)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.builtin.queries.finish import finish, finish_with
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.language.values import as_text
from pytest_toolsandbox.wording.nearest_name import unknown

from .alternatives import ONE_OF
from .base_reader import Reader
from .event_reader import ExpectedReader
from .steps import read_solutions


def read_query(model: models.QueryDocument, in_world: InWorld) -> dict[str, Any]:
    """Return the parts of a scenario that are a query, whose base is one of its file."""
    reader = in_world.reader
    siblings = [name for name, keys in in_world.siblings.items() if "query" in keys]
    if finish.name in reader.world.agent_tools:
        text = f"the world {reader.world.name!r} has a tool named finish, which ends every query"
        reader.mistakes.add(("world",), text)
    if model.base is None and model.manner is not None:
        reader.mistakes.add(("manner",), "give the base that it was made from, too", key=True)
    if model.base is not None:
        if model.manner is None:
            text = "give the manner in which this was made from it, too"
            reader.mistakes.add(("base",), text, key=True)
        if model.base not in siblings:
            reader.mistakes.add(("base",), unknown("query of this file", model.base, siblings))
    if not model.query.strip():
        reader.mistakes.add(("query",), "expected a question, found an empty text")
    _check_conclusions(reader, model.solutions)
    expecting = ExpectedReader(*reader.context, thresholds=in_world.thresholds)
    answer = expecting.said(as_text(model.answer), ("answer",), own="mentions")
    columns = tuple(model.finish.items())
    further = {finish.name: finish_with(columns) if columns else finish}
    said = "max_messages" in model.model_fields_set
    forbidden = tuple(dict.fromkeys(model.forbidden))
    return {
        "max_messages": model.max_messages if said else 2 * model.max_calls,
        "task": Query(model.query, answer, model.manner, model.base, forbidden, columns),
        **read_solutions(in_world, model.solutions, model.counterexamples, further),
    }


def _check_conclusions(reader: Reader, solutions: Mapping[str, Any]) -> None:
    """Note solutions that do not conclude, or have steps after that, which are never taken."""
    for name, steps in solutions.items():
        if not isinstance(steps, list):
            continue
        concluding = [place for place, step in enumerate(steps) if _concludes(step)]
        if steps and not concluding:
            reader.mistakes.add(("solutions", name), "end it with finish or say")
        elif concluding and concluding[0] < len(steps) - 1:
            path = ("solutions", name, concluding[0] + 1)
            reader.mistakes.add(path, "finish or say before it is the end; leave this out")


def _concludes(step: Any) -> bool:
    """Whether a step, as it is written, ends a query."""
    keys = step if isinstance(step, dict) else {}
    inside = step if isinstance(step, list) else keys.get("parallel", keys.get(ONE_OF))
    within = any(map(_concludes, inside)) if isinstance(inside, list) else False
    return finish.name in keys or "say" in keys or within
