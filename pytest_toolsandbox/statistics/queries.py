"""What a suite of queries is made of, counted as in SpecTool's table 2, and how alike names are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from pytest_toolsandbox.evaluation.api_similarity import api_similarity
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.reporting.tables import ReportColumn, Total
from pytest_toolsandbox.reporting.totals import mean

from .suite import SolvedScenario

BASE = "base"
MANNERS = (BASE, "constraints", "sentences", "irrelevance")
"""How queries are made; those that are made from no other are the base of others."""

Suite = Sequence[SolvedScenario]


def per_world(suite: Iterable[SolvedScenario]) -> list[Total[SolvedScenario]]:
    """Return the scenarios of each world, in the order of the worlds' names."""
    scenarios = list(suite)
    worlds = sorted({one.scenario.world.name for one in scenarios})
    return [
        Total(world, [one for one in scenarios if one.scenario.world.name == world])
        for world in worlds
    ]


def _calls(suite: Suite) -> float | None:
    return mean(one.trajectory.tool_call_count for one in suite if one.trajectory is not None)


def _tools(suite: Suite) -> int:
    return len(suite[0].scenario.world.agent_tools)


def _made_so(manner: str, suite: Suite) -> int:
    return sum((one.scenario.task_as(Query).manner or BASE) == manner for one in suite)


def _similarity(suite: Suite) -> float | None:
    return api_similarity(suite[0].scenario.world.agent_tools)


def _offered(suite: Suite) -> float | None:
    return mean(api_similarity(one.scenario.tools) for one in suite)


QUERY_COLUMNS: tuple[ReportColumn[SolvedScenario], ...] = (
    ReportColumn("queries", None, len),
    ReportColumn("mean calls", None, _calls, ".1f"),
    ReportColumn("tools", None, _tools),
    *(ReportColumn(manner, None, partial(_made_so, manner)) for manner in MANNERS),
)
"""SpecTool, table 2. Calls are those of the first solutions, ``finish`` counted."""
SIMILARITY_COLUMNS: tuple[ReportColumn[SolvedScenario], ...] = (
    ReportColumn("tools", None, _tools),
    ReportColumn("similarity", None, _similarity, ".3f"),
    ReportColumn("scenarios", None, len),
    ReportColumn("of those offered", None, _offered, ".3f"),
)
"""SpecTool, section 7.2.2: of all tools of a world, and the mean of those that scenarios offer.

Similarities lie in [0, 1]; there is none where there are no two names.
"""
