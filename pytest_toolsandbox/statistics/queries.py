"""What a suite of queries is made of, counted as in SpecTool's table 2, and how alike names are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pytest_toolsandbox.evaluation.api_similarity import api_similarity
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.reporting.totals import mean

from .suite import SolvedScenario

BASE = "base"
MANNERS = (BASE, "constraints", "sentences", "irrelevance")
"""How queries are made; those that are made from no other are the base of others."""


class Environment(NamedTuple):
    """The queries of one world (SpecTool, table 2).

    ``calls`` is the mean number of calls of their first solutions, ``finish`` counted; ``tools``
    how many the world has. ``manners`` maps each of ``MANNERS`` to the number of queries.
    """

    world: str
    queries: int
    calls: float | None
    tools: int
    manners: Mapping[str, int]


class Likeness(NamedTuple):
    """How alike the names of a world's tools are (SpecTool, section 7.2.2).

    ``similarity`` is that of all its tools, ``offered`` the mean over its scenarios of those that
    they offer. Both lie in [0, 1]; ``None`` where there are no two names.
    """

    world: str
    tools: int
    similarity: float | None
    scenarios: int
    offered: float | None


def per_environment(suite: Sequence[SolvedScenario]) -> list[Environment]:
    """Return the queries of each world that has any."""
    queries = [one for one in suite if isinstance(one.scenario.task, Query)]
    environments = []
    for world in sorted({one.scenario.world.name for one in queries}):
        own = [one for one in queries if one.scenario.world.name == world]
        calls = mean(one.trajectory.tool_call_count for one in own if one.trajectory is not None)
        manners = Counter(one.scenario.task_as(Query).manner or BASE for one in own)
        tools = len(own[0].scenario.world.agent_tools)
        environments.append(Environment(world, len(own), calls, tools, manners))
    return environments


def per_world(scenarios: Sequence[Scenario]) -> list[Likeness]:
    """Return how alike the names of tools are in each world."""
    likenesses = []
    for world in sorted({scenario.world.name for scenario in scenarios}):
        own = [scenario for scenario in scenarios if scenario.world.name == world]
        tools = own[0].world.agent_tools
        offered = mean(api_similarity(scenario.tools) for scenario in own)
        likenesses.append(Likeness(world, len(tools), api_similarity(tools), len(own), offered))
    return likenesses
