"""Reads the values of milestones and minefields: matchers, and results of other milestones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.values import COMBINING, UNREADABLE_RESULT, Expected, FromResult
from pytest_toolsandbox.matchers import Reading
from pytest_toolsandbox.matchers.registry import only_key
from pytest_toolsandbox.wording.nearest_name import did_you_mean, unknown
from pytest_toolsandbox.wording.phrases import found
from pytest_toolsandbox.worlds.tables import Column
from pytest_toolsandbox.worlds.tool import Tool

from .base_reader import Reader, argument_problem, cell_problem, types_of
from .graph import Graph


@dataclass(frozen=True, kw_only=True)
class ExpectedReader(Reader):
    """Reads what is expected; ``thresholds`` are those of matchers, ``threshold`` the event's."""

    thresholds: Mapping[str, float] = field(default_factory=dict)
    threshold: float | None = None

    def literal(self, value: Any, path: Path) -> Any:
        """Return a value with its moments worked out; ``exact`` keeps whatever it holds."""
        if isinstance(value, dict) and set(value) == {"exact"}:
            return value
        return super().literal(value, path)

    def expected(
        self,
        value: Any,
        path: Path,
        *,
        own: str = "exact",
        in_text: bool = False,
        problem_of: Callable[[Any], str | None] = lambda _: None,
    ) -> Expected:
        """Return what is expected; a bare value means ``own``, and may have a problem."""
        reading = Reading(own=own, thresholds=self.thresholds, threshold=self.threshold)
        expected = Expected(self.literal(value, path), reading, in_text)
        wrong = dict(_wrong_parts(expected.value, problem_of))
        for place, text in wrong.items():
            self.mistakes.add((*path, *place), text)
        problem = expected.problem()
        if problem and not any(problem.path[: len(place)] == place for place in wrong):
            self.mistakes.add((*path, *problem.path), str(problem))
        return expected

    def cell(self, value: Any, path: Path, column: Column) -> Expected:
        """Return what is expected in a column, whose type bare values must have."""
        return self.expected(
            self.times(value, column),
            path,
            own=column.measure,
            in_text=column.type is str,
            problem_of=lambda bare: cell_problem(bare, column),
        )

    def argument(self, value: Any, path: Path, tool: Tool, name: str) -> Expected:
        """Return what is expected of an argument, whose type bare values must have."""
        return self.expected(
            value,
            path,
            in_text="string" in types_of(tool.parameters[name].schema),
            problem_of=lambda bare: argument_problem(bare, tool, name),
        )

    def said(self, value: Any, path: Path, *, own: str = "rouge_l") -> Expected:
        """Return what is expected in a message; ``own`` is the matcher that a bare text means."""
        numeric = [place for place, name, _ in _leaves(value, path) if name == "close"]
        for place in numeric:
            text = "close compares numbers, and this is a text; number finds them there"
            self.mistakes.add((*place, "close"), text)
        if numeric:
            return Expected(UNREADABLE_RESULT)
        return self.expected(value, path, own=own, in_text=True, problem_of=_speech_problem)


@dataclass(frozen=True, kw_only=True)
class EventReader(ExpectedReader):
    """Reads one event of a graph."""

    graph: Graph
    event: str

    @property
    def named_by(self) -> str | None:
        """The key of the milestone."""
        return "milestone"

    def from_result(self, value: Any, path: Path) -> FromResult:
        """Return what is taken from the result of the call that another milestone matched."""
        source, here = self.read_from(value, path, "milestone"), (*path, "milestone")
        if source is not UNREADABLE_RESULT and (
            self.graph.check_reference(self.event, source.name, here)
            and source.name not in self.graph.called
        ):
            self.mistakes.add(here, f"{source.name!r} has no result: it has no call")
        return source


def _speech_problem(value: Any) -> str | None:
    is_right = isinstance(value, str | FromResult)
    return None if is_right else f"expected text or a matcher, found {found(value)}"


def _wrong_parts(value: Any, problem_of: Callable[[Any], str | None]) -> Iterator[tuple[Path, str]]:
    """Yield the places of what cannot stand there, with why: it may be a misspelt matcher."""
    for path, name, inner in _leaves(value, ()):
        place, bare = ((*path, name), inner[name]) if name == "exact" else (path, inner)
        if name in (None, "exact") and (problem := problem_of(bare)):
            meant, known = only_key(bare), matchers.names()
            is_misspelt = meant is not None and did_you_mean(meant, known)
            yield place, unknown("matcher", meant, known) if is_misspelt else problem


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, str | None, Any]]:
    """Yield the place, the matcher and the value of all that is compared; bare values have none."""
    name = only_key(value)
    if name in COMBINING:
        inner = value[name]
        for index, item in enumerate(inner if isinstance(inner, list) else [inner]):
            step = (index,) if isinstance(inner, list) else ()
            yield from _leaves(item, (*path, name, *step))
    else:
        yield path, name if name in matchers.names() else None, value
