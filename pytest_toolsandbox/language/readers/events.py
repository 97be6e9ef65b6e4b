"""Reads values that milestones and minefields expect, and the graph of their order.

Values are matchers, and may come from results of calls that other milestones matched.
"""

from __future__ import annotations

import graphlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.constraints import START
from pytest_toolsandbox.language.mistakes import Mistakes, Path
from pytest_toolsandbox.language.values import COMBINING, UNREADABLE_RESULT, Expected, FromResult
from pytest_toolsandbox.matchers import Reading
from pytest_toolsandbox.matchers.registry import only_key
from pytest_toolsandbox.text.formatting import describe_value
from pytest_toolsandbox.text.nearest_name import did_you_mean, unknown
from pytest_toolsandbox.worlds.parameter import Parameter
from pytest_toolsandbox.worlds.schemas import allowed_types
from pytest_toolsandbox.worlds.state import Column
from pytest_toolsandbox.worlds.tool import Tool

from .base_reader import Reader, Wrong, argument_problems

_OF_TEXT = ("contains", "regex")
"""Matchers that no list can reach."""
_MOST_CYCLES = 10
_LONG_CYCLE, _MOST_IN_CYCLE = 20, 10
"""From how many events on a cycle is shortened, and to how many."""
"""How many cycles are reported; the search restarts after each."""

Events = Mapping[str, models.EventDocument]
_Predecessors = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Graph:
    """The order of the milestones, or of the minefields, of a scenario.

    ``after`` maps each event to its predecessors; ``uncertain`` are events whose predecessors are
    unknown because of mistakes. ``called`` are events that match a call, so they have a result.
    ``other_events`` are those of the other section.
    """

    section: str
    after: Mapping[str, tuple[str, ...]]
    uncertain: Collection[str]
    called: Collection[str]
    other_events: Collection[str]
    mistakes: Mistakes

    def check_reference(self, event: str, name: str, path: Path) -> bool:
        """Check that an event refers to one that comes before it."""
        if name not in self.after:
            known = (candidate for candidate in self.after if candidate != event)
            text = _unknown(self.mistakes, self.section, name, known, self.other_events)
        elif name == event:
            text = f"{name!r} cannot refer to itself"
        elif not self._comes_before(name, event):
            remedy = "list it, or an event after it, under after"
            text = f"{name!r} does not come before this one; {remedy}"
        else:
            return True
        self.mistakes.add(path, text)
        return False

    def _comes_before(self, name: str, event: str) -> bool:
        seen: set[str] = set()
        waiting = [event]
        while waiting:
            current = waiting.pop()
            if current == name or current in self.uncertain:
                return True
            waiting += [before for before in self.after[current] if before not in seen]
            seen.update(self.after[current])
        return False


def read_graph(
    mistakes: Mistakes, section: str, events: Events, other_events: Collection[str]
) -> Graph:
    """Return the graph. If no milestone has ``after``, they must occur in the file's order."""
    lost = any(path[:1] == (section,) and path[2:3] == ("after",) for path in mistakes.misshapen)
    is_chain = not lost and all(event.after is None for event in events.values())
    if section == "milestones" and is_chain:
        names = list(events)
        after: _Predecessors = {n: tuple(names[max(i - 1, 0) : i]) for i, n in enumerate(names)}
        uncertain: set[str] = set()
    else:
        after, uncertain = _named(mistakes, section, events, other_events)
        uncertain |= _without_cycles(mistakes, section, events, after)
    called = {name for name, event in events.items() if event.call is not None}
    return Graph(section, after, uncertain, called, other_events, mistakes)


def _named(
    mistakes: Mistakes, section: str, events: Events, other_events: Collection[str]
) -> tuple[_Predecessors, set[str]]:
    after: _Predecessors = {}
    uncertain = set()
    for name, event in events.items():
        named, path = event.after or [], (section, name, "after")
        if path in mistakes.above_misshapen or not events.keys() >= set(named):
            uncertain.add(name)
        first = {predecessor: index for index, predecessor in reversed([*enumerate(named)])}
        for index, predecessor in enumerate(named):
            if predecessor not in events:
                known = (known for known in events if known != name)
                text = _unknown(mistakes, section, predecessor, known, other_events)
                mistakes.add((*path, index), text)
            elif first[predecessor] < index:
                mistakes.add((*path, index), f"{predecessor!r} is listed twice")
        after[name] = tuple(
            dict.fromkeys(predecessor for predecessor in named if predecessor in events)
        )
    return after, uncertain


def _without_cycles(
    mistakes: Mistakes, section: str, events: Events, after: _Predecessors
) -> set[str]:
    """Note the cycles, remove one edge of each, and return the events in them."""
    touched: set[str] = set()
    for _ in range(_MOST_CYCLES):
        try:
            graphlib.TopologicalSorter(after).prepare()
        except graphlib.CycleError as error:
            cycle = error.args[1][::-1]
            event, before = cycle[:2]
            index = (events[event].after or []).index(before)
            shown = [*cycle[:_MOST_IN_CYCLE], "…", cycle[-1]] if len(cycle) > _LONG_CYCLE else cycle
            text = f"a cycle: {' after '.join(repr(n) if n in events else n for n in shown)}"
            mistakes.add((section, event, "after", index), text)
            after[event] = tuple(name for name in after[event] if name != before)
            touched |= set(cycle)
        else:
            return touched
    return set(after)


def _unknown(
    mistakes: Mistakes,
    section: str,
    name: str,
    events: Iterable[str],
    other_events: Collection[str],
) -> str:
    if name == START:
        return f"{START!r} is the beginning of the conversation; only since can refer to it"
    if name in other_events:
        other_kind = "minefield" if section == "milestones" else "milestone"
        return f"{name!r} is a {other_kind}; only {section} can be named here"
    return mistakes.unknown_text(section[:-1], name, events)


@dataclass(frozen=True, kw_only=True)
class ExpectedReader(Reader):
    """Reads expected values; ``thresholds`` are those of matchers, ``threshold`` the event's."""

    thresholds: Mapping[str, float] = field(default_factory=dict)
    threshold: float | None = None

    def literal(self, value: Any, path: Path) -> Any:
        """Return a value with its times and results read, but not inside ``exact``."""
        if isinstance(value, dict) and set(value) == {"exact"}:
            return value
        return super().literal(value, path)

    def expected(
        self,
        value: Any,
        path: Path,
        *,
        matcher: str = "exact",
        in_text: bool = False,
        problems_of: Callable[[Any], Iterable[Wrong]] = lambda _: (),
    ) -> Expected:
        """Read an expected value; a bare value means the ``matcher``.

        ``problems_of`` yields what is wrong with a bare value.
        """
        reading = Reading(own=matcher, thresholds=self.thresholds, threshold=self.threshold)
        expected = Expected(self.literal(value, path), reading, in_text)
        wrong = list(_wrong_parts(expected.value, problems_of))
        for place, text, key in wrong:
            self.mistakes.add((*path, *place), text, key=key)
        problem = expected.problem()
        if problem and not any(problem.path[: len(part.path)] == part.path for part in wrong):
            self.mistakes.add((*path, *problem.path), str(problem))
        return expected

    def cell(self, value: Any, path: Path, column: Column) -> Expected:
        """Read the expected value of a column; bare values must have its type."""
        return self.expected(
            self.times(value, column),
            path,
            matcher=column.measure,
            in_text=column.type is str,
            problems_of=lambda bare: self.cell_problems(bare, column),
        )

    def argument(self, value: Any, path: Path, tool: Tool, name: str) -> Expected:
        """Read the expected value of an argument; bare values must have its type."""
        types = allowed_types(tool.parameters[name].schema)
        if "array" in types and "string" not in types:
            for place, matcher, _ in _leaves(value, path):
                if matcher in _OF_TEXT:
                    text = f"{matcher} looks in text, but {name!r} of {tool.name} is a list"
                    self.mistakes.add((*place, matcher), f"{text}; write the list or same_items")
        return self.expected(
            value,
            path,
            in_text="string" in types,
            problems_of=lambda bare: argument_problems(bare, tool, name),
        )

    def message_content(self, value: Any, path: Path, *, matcher: str = "rouge_l") -> Expected:
        """Read the expected content of a message; a bare text means the ``matcher``."""
        numeric = [place for place, name, _ in _leaves(value, path) if name == "close"]
        for place in numeric:
            text = "close compares numbers, but this is text; use number to find numbers in it"
            self.mistakes.add((*place, "close"), text)
        if numeric:
            return Expected(UNREADABLE_RESULT)
        return self.expected(
            value, path, matcher=matcher, in_text=True, problems_of=_speech_problems
        )


@dataclass(frozen=True, kw_only=True)
class EventReader(ExpectedReader):
    """Reads one event of a graph."""

    graph: Graph
    event: str

    @property
    def named_by(self) -> str | None:
        """``milestone``."""
        return "milestone"

    def from_result(self, value: Any, path: Path) -> FromResult:
        """Read a reference to the result of the call that another milestone matched."""
        source, here = self.read_from(value, path, "milestone"), (*path, "milestone")
        if source is not UNREADABLE_RESULT and (
            self.graph.check_reference(self.event, source.name, here)
            and source.name not in self.graph.called
        ):
            self.mistakes.add(here, f"{source.name!r} has no call, so it has no result")
        return source


def _speech_problems(value: Any) -> Iterator[Wrong]:
    if not isinstance(value, str | FromResult):
        yield Wrong((), f"expected text or a matcher, found {describe_value(value)}")


def _wrong_parts(value: Any, problems_of: Callable[[Any], Iterable[Wrong]]) -> Iterator[Wrong]:
    """Yield the invalid parts of an expected value; a misspelt matcher is reported as such."""
    for path, name, inner in _leaves(value, ()):
        place, bare = ((*path, name), inner[name]) if name == "exact" else (path, inner)
        wrong = list(problems_of(bare)) if name in (None, "exact") else []
        key, known = only_key(bare), matchers.names()
        if wrong and key is not None and did_you_mean(key, known):
            yield Wrong(place, unknown("matcher", key, known))
        else:
            yield from (part._replace(path=(*place, *part.path)) for part in wrong)


def completed(expected: Expected, parameter: Parameter) -> Expected:
    """Return the expected argument with the defaults of models inside it filled in."""
    return replace(expected, value=_completed(expected.value, parameter))


def _completed(value: Any, parameter: Parameter) -> Any:
    name = only_key(value)
    if name in COMBINING:
        inner = value[name]
        if isinstance(inner, list):
            return {name: [_completed(item, parameter) for item in inner]}
        return {name: _completed(inner, parameter)}
    if name == "exact":
        return {name: parameter.completed(value[name])}
    return value if name in matchers.names() else parameter.completed(value)


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, str | None, Any]]:
    """Yield path, matcher and value of every part that is compared; bare values have no matcher."""
    name = only_key(value)
    if name in COMBINING:
        inner = value[name]
        for index, item in enumerate(inner if isinstance(inner, list) else [inner]):
            step = (index,) if isinstance(inner, list) else ()
            yield from _leaves(item, (*path, name, *step))
    else:
        yield path, name if name in matchers.names() else None, value
