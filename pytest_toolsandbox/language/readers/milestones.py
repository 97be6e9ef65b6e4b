"""Milestones and minefields, the user among them, and what must not change (ToolSandbox)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.constraints import CallConstraint, Event
from pytest_toolsandbox.language.mistakes import Mistakes, not_offered
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.tasks import Milestones

from .events import check_names, read_events
from .graph import read_graph
from .steps import read_solutions
from .user_script import read_lines, read_user


def read_milestones(
    model: models.ScenarioDocument, mistakes: Mistakes, in_world: InWorld | None
) -> dict[str, Any]:
    """Return the parts of a scenario that has a user, and note what is wrong in any world."""
    if not (model.milestones or model.minefields or model.protected or mistakes.misshapen):
        text = "nothing is expected; give milestones, minefields or protected tables"
        mistakes.add(("milestones",), text)
    user = read_user(model.user, mistakes)
    history = read_lines(model.history, ("history",), mistakes)
    check_names(mistakes, model.milestones, model.minefields)
    graph = read_graph(mistakes, "milestones", model.milestones, model.minefields)
    mines = read_graph(mistakes, "minefields", model.minefields, model.milestones)
    if in_world is None:
        return {}
    reader, thresholds = in_world.reader, in_world.thresholds
    milestones = read_events(reader, graph, model.milestones, thresholds)
    _check_offered(milestones, in_world)
    reader.check_names(model.protected, ("protected",), "table", reader.world.tables)
    minefields = read_events(reader, mines, model.minefields, thresholds)
    task = Milestones(user, history, milestones, minefields, tuple(model.protected))
    return {"task": task, **read_solutions(in_world, model.solutions, model.counterexamples)}


def _check_offered(milestones: Mapping[str, Event], in_world: InWorld) -> None:
    """Note milestones that no agent can reach, since they ask for tools that it is not offered."""
    reader, tools = in_world.reader, in_world.tools
    for name, event in milestones.items():
        for constraint in event.constraints:
            if isinstance(constraint, CallConstraint) and not constraint.tried:
                asked = [pattern.tool for pattern in constraint.alternatives]
                known = set(asked) <= set(reader.world.agent_tools)
                if asked and known and not set(asked) & set(tools):
                    path = ("milestones", name, constraint.label)
                    reader.mistakes.add(path, not_offered(asked[0]))
