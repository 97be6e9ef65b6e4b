"""The statistics of a suite as plain text, a titled table after the other."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.reporting.tables import Cells, aligned, written

from . import suite as statistics
from .queries import MANNERS, per_environment, per_world
from .recordings import recordings
from .suite import Named, Solved, events_of

WIDTH = 80


def similarity_lines(scenarios: Sequence[Scenario]) -> list[str]:
    """Return how alike the names of the tools are, world by world (SpecTool, section 7.2.2).

    First those of all tools of the world, then of those that a scenario offers, in the mean.
    """
    header = ("world", "tools", "similarity", "scenarios", "of those offered")
    rows = (
        (
            one.world,
            str(one.tools),
            written(one.similarity, ".3f"),
            str(one.scenarios),
            written(one.offered, ".3f"),
        )
        for one in per_world(scenarios)
    )
    return ["Similarity of the tools' names (SpecTool, section 7.2.2)", *aligned([header, *rows])]


def statistics_lines(suite: Sequence[Solved], variants: int = 1) -> list[str]:
    """Return the statistics of at least one scenario.

    Each scenario is run in so many ``variants``: by that the test cases are more than the
    scenarios. Of several worlds, tables and tools are told apart by the name of their world.
    """
    return list(_Tables([one.scenario for one in suite], suite, variants).lines())


@dataclass(frozen=True)
class _Tables:
    scenarios: Sequence[Scenario]
    suite: Sequence[Solved]
    variants: int

    def lines(self) -> Iterator[str]:
        yield from self.size()
        yield from self.categories()
        with_user = list(filter(statistics.has_user, self.scenarios))
        if with_user:
            yield from replace(self, scenarios=with_user).expectations()
        yield from self.recordings()
        yield from self.queries()
        yield from self.needs()

    def expectations(self) -> Iterator[str]:
        yield from self.milestones()
        yield from self.shapes()
        yield from self.constraints()
        yield from self.columns()
        yield from self.tools()

    def recordings(self) -> Iterator[str]:
        totals = recordings(self.scenarios)
        if not totals:
            return
        header = ("", "conversations", "turns", "true calls", "of actions", "mean plugins")
        yield from ("", "Recorded conversations (ToolTalk, section 2)")
        rows = (
            (
                one.name,
                *map(str, (one.conversations, one.turns, one.calls, one.actions)),
                written(one.plugins, ".1f"),
            )
            for one in totals
        )
        yield from aligned([header, *rows])

    def queries(self) -> Iterator[str]:
        totals = per_environment(self.suite)
        if not totals:
            return
        header = ("world", "queries", "mean calls", "tools", *MANNERS)
        yield from ("", "Queries (SpecTool, table 2), and how they were made from others")
        rows = (
            (
                one.world,
                str(one.queries),
                written(one.calls, ".1f"),
                str(one.tools),
                *(str(one.manners[manner]) for manner in MANNERS),
            )
            for one in totals
        )
        yield from aligned([header, *rows])

    def size(self) -> Iterator[str]:
        size = statistics.size(self.suite)
        yield "Size (ToolSandbox, table 4)"
        yield from aligned(
            [
                ("scenarios", str(size.scenarios)),
                ("test cases", str(size.scenarios * self.variants)),
                ("tools", str(size.tools)),
                ("mean messages", written(size.messages, ".1f")),
                ("mean turns", written(size.turns, ".1f")),
                ("mean tool calls", written(size.tool_calls, ".1f")),
            ]
        )

    def categories(self) -> Iterator[str]:
        categories = statistics.per_category(self.scenarios)
        yield from self.groups("category", " (ToolSandbox, table 6)", categories)
        yield from self.groups("tag", "", statistics.per_tag(self.scenarios))

    def groups(self, name: str, source: str, counts: Mapping[str, int]) -> Iterator[str]:
        rows = [((key,), count) for key, count in counts.items()]
        if rows:
            yield from self.multiplied(f"Scenarios per {name}{source}", (name,), rows, "scenarios")

    def milestones(self) -> Iterator[str]:
        counts = [len(events_of(scenario).milestones) for scenario in self.scenarios]
        minefields = [len(events_of(scenario).minefields) for scenario in self.scenarios]
        protecting = sum(bool(events_of(scenario).protected) for scenario in self.scenarios)
        yield from ("", "Milestones and minefields")
        yield from aligned(
            [
                ("milestones", str(sum(counts))),
                ("in a scenario: fewest", str(min(counts))),
                ("in a scenario: median", f"{median(counts):g}"),
                ("in a scenario: most", str(max(counts))),
                ("minefields", str(sum(minefields))),
                ("scenarios with minefields", str(sum(map(bool, minefields)))),
                ("scenarios with protected tables", str(protecting)),
            ]
        )
        histogram = statistics.milestones_per_scenario(self.scenarios)
        rows = ((str(count), str(scenarios)) for count, scenarios in histogram.items())
        yield from ("", "Scenarios per number of milestones")
        yield from aligned([("milestones", "scenarios"), *rows], words=0)

    def shapes(self) -> Iterator[str]:
        counts = statistics.per_shape(self.scenarios)
        yield from ("", "Shapes of the milestones' graphs")
        rows = ((name, str(count)) for name, count in counts.items())
        yield from aligned([("shape", "scenarios"), *rows])

    def constraints(self) -> Iterator[str]:
        milestones = statistics.per_kind(
            events_of(scenario).milestones for scenario in self.scenarios
        )
        minefields = statistics.per_kind(
            events_of(scenario).minefields for scenario in self.scenarios
        )
        yield from ("", "Constraints")
        rows = (
            (kind, str(count), str(minefields[kind]))
            for kind, count in milestones.items()
            if count or minefields[kind]
        )
        yield from aligned([("kind", "in milestones", "in minefields"), *rows])

    def columns(self) -> Iterator[str]:
        counts = statistics.per_column(self.scenarios)
        title = "Milestones per table and column (ToolSandbox, table 7)"
        if counts:
            rows = self.told_apart(counts)
            yield from self.multiplied(title, self.header("table", "column"), rows, "milestones")

    def tools(self) -> Iterator[str]:
        counts = statistics.per_tool(self.scenarios)
        title = "Milestones per tool (ToolSandbox, table 8)"
        if counts:
            rows = self.told_apart(counts)
            yield from self.multiplied(title, self.header("tool"), rows, "milestones")

    def needs(self) -> Iterator[str]:
        counts = statistics.per_need(self.suite)
        needed = {name: count for name, count in counts.items() if count}
        if needed:
            rows = [(*key, str(count)) for key, count in self.told_apart(needed)]
            header = self.header("tool")
            yield from ("", "Scenarios that need a tool")
            yield from aligned([(*header, "scenarios"), *rows], words=len(header))
        unneeded = [".".join(key) for key, count in self.told_apart(counts) if not count]
        yield from ("", f"Tools that no scenario needs: {len(unneeded)}")
        yield from textwrap.wrap(", ".join(unneeded), WIDTH, break_on_hyphens=False)

    def multiplied(
        self, title: str, header: Cells, rows: Iterable[tuple[Cells, int]], what: str
    ) -> Iterator[str]:
        """Yield a table of counts and, where there are several variants, of their products."""
        factors = (1, self.variants) if self.variants > 1 else (1,)
        headers = (what, "test cases" if what == "scenarios" else "in test cases")
        yield from ("", title)
        cells = ((*key, *(str(count * factor) for factor in factors)) for key, count in rows)
        first = (*header, *headers[: len(factors)])
        yield from aligned([first, *cells], words=len(header))

    @property
    def worlds(self) -> int:
        return len({scenario.world.name for scenario in self.scenarios})

    def header(self, *names: str) -> Cells:
        return names if self.worlds == 1 else ("world", *names)

    def told_apart(self, counts: Mapping[Named, int]) -> list[tuple[Cells, int]]:
        """Return counts by names: those of worlds are left out where there is only one."""
        start = 1 if self.worlds == 1 else 0
        return [(key[start:], count) for key, count in counts.items()]
