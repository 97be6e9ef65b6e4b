"""The figures of a suite that are more than counts: sizes, means, and how alike names are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from statistics import median

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.api_similarity import api_similarity
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.reporting.summary_columns import mean
from pytest_toolsandbox.reporting.tables import ReportColumn
from pytest_toolsandbox.worlds.tool import Tool

from .suite import SolvedScenario, Suite, events_of, tools

Columns = tuple[ReportColumn[SolvedScenario], ...]

BASE = "base"
MANNERS = (BASE, "constraints", "sentences", "irrelevance")
"""How queries are made; those that are made from no other are the base of others."""


def _mean_of(figure: Callable[[Trajectory], int], suite: Suite) -> float | None:
    return mean(figure(one.trajectory) for one in suite if one.trajectory is not None)


def _message_count(trajectory: Trajectory) -> int:
    return sum(
        message.sender is not Role.SYSTEM and set(message.visible_to) != {Role.USER}
        for message in trajectory.messages
    )


MEAN_CALLS: ReportColumn[SolvedScenario] = ReportColumn(
    "mean calls", partial(_mean_of, lambda one: one.tool_call_count), ".1f"
)
SIZE: Columns = (
    ReportColumn("tools", lambda suite: len(set().union(*map(tools, suite)))),
    ReportColumn("mean messages", partial(_mean_of, _message_count), ".1f"),
    ReportColumn("mean turns", partial(_mean_of, lambda one: one.turn_count), ".1f"),
    ReportColumn("mean tool calls", MEAN_CALLS.value, ".1f"),
)
"""The numbers of table 4 (section 3 and appendix B.1), means over scenarios with a conversation.

What that table calls turns are messages: all between user, agent and tools. Turns leave the end of
a conversation out, as a run's turn counts do (table 11).
"""


def _sizes(section: str, figure: Callable[[Sequence[int]], float], suite: Suite) -> float:
    return figure([len(getattr(events_of(one), section)) for one in suite])


_EVENTS: tuple[tuple[str, str, Callable[[Sequence[int]], float]], ...] = (
    ("milestones", "milestones", sum),
    ("in a scenario: fewest", "milestones", min),
    ("in a scenario: median", "milestones", median),
    ("in a scenario: most", "milestones", max),
    ("minefields", "minefields", sum),
    ("scenarios with minefields", "minefields", lambda sizes: sum(map(bool, sizes))),
    ("scenarios with protected tables", "protected", lambda sizes: sum(map(bool, sizes))),
)
EVENTS: Columns = tuple(
    ReportColumn(heading, partial(_sizes, section, figure), "g")
    for heading, section, figure in _EVENTS
)


def _called(suite: Suite) -> Iterator[list[Tool]]:
    for one in suite:
        turns, known = one.scenario.task.agent_turns, one.scenario.world.tools
        yield [known[call.tool] for turn in turns for call in turn.calls]


RECORDINGS: Columns = (
    ReportColumn("conversations", len),
    ReportColumn("turns", lambda suite: sum(len(o.scenario.task.agent_turns) for o in suite)),
    ReportColumn("ground-truth calls", lambda suite: sum(map(len, _called(suite)))),
    ReportColumn("of actions", lambda suite: sum(tool.action for tool in chain(*_called(suite)))),
    ReportColumn(
        "mean plugins", lambda s: mean(len({t.module for t in one}) for one in _called(s)), ".1f"
    ),
)
"""ToolTalk, section 2. Turns are the assistant's; plugins those whose tools are called."""


def _made_so(manner: str, suite: Suite) -> int:
    return sum((one.scenario.task_as(Query).manner or BASE) == manner for one in suite)


WORLD_TOOLS: ReportColumn[SolvedScenario] = ReportColumn(
    "tools", lambda suite: len(suite[0].scenario.world.agent_tools)
)
QUERIES: Columns = (
    ReportColumn("queries", len),
    MEAN_CALLS,
    WORLD_TOOLS,
    *(ReportColumn(manner, partial(_made_so, manner)) for manner in MANNERS),
)
"""SpecTool, table 2. Calls are those of the first solutions, ``finish`` counted."""


SIMILARITY: Columns = (
    WORLD_TOOLS,
    ReportColumn("similarity", lambda s: api_similarity(s[0].scenario.world.agent_tools), ".3f"),
    ReportColumn("scenarios", len),
    ReportColumn(
        "of those offered",
        lambda suite: mean(api_similarity(one.scenario.tools) for one in suite),
        ".3f",
    ),
)
"""SpecTool, section 7.2.2: of all tools of a world, and the mean of those that scenarios offer.

Similarities lie in [0, 1]; ``None`` where there are no two names.
"""
