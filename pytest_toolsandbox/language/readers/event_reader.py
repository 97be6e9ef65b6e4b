"""Reads the values of milestones and minefields: matchers, and results of other milestones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.values import COMBINING, UNREADABLE_RESULT, Expected, FromResult
from pytest_toolsandbox.matchers import Reading
from pytest_toolsandbox.matchers.registry import only_key
from pytest_toolsandbox.wording.nearest_name import did_you_mean, unknown
from pytest_toolsandbox.wording.phrases import found
from pytest_toolsandbox.worlds.parameter import Parameter
from pytest_toolsandbox.worlds.schemas import allowed_types
from pytest_toolsandbox.worlds.tables import Column
from pytest_toolsandbox.worlds.tool import Tool

from .base_reader import Reader, Wrong, argument_problems
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
        problems_of: Callable[[Any], Iterable[Wrong]] = lambda _: (),
    ) -> Expected:
        """Return what is expected; a bare value means ``own``, and may have a problem."""
        reading = Reading(own=own, thresholds=self.thresholds, threshold=self.threshold)
        expected = Expected(self.literal(value, path), reading, in_text)
        wrong = list(_wrong_parts(expected.value, problems_of))
        for place, text, key in wrong:
            self.mistakes.add((*path, *place), text, key=key)
        problem = expected.problem()
        if problem and not any(problem.path[: len(one.path)] == one.path for one in wrong):
            self.mistakes.add((*path, *problem.path), str(problem))
        return expected

    def cell(self, value: Any, path: Path, column: Column) -> Expected:
        """Return what is expected in a column, whose type bare values must have."""
        return self.expected(
            self.times(value, column),
            path,
            own=column.measure,
            in_text=column.type is str,
            problems_of=lambda bare: self.cell_problems(bare, column),
        )

    def argument(self, value: Any, path: Path, tool: Tool, name: str) -> Expected:
        """Return what is expected of an argument, whose type bare values must have."""
        return self.expected(
            value,
            path,
            in_text="string" in allowed_types(tool.parameters[name].schema),
            problems_of=lambda bare: argument_problems(bare, tool, name),
        )

    def said(self, value: Any, path: Path, *, own: str = "rouge_l") -> Expected:
        """Return what is expected in a message; ``own`` is the matcher that a bare text means."""
        numeric = [place for place, name, _ in _leaves(value, path) if name == "close"]
        for place in numeric:
            text = "close compares numbers, and this is a text; number finds them there"
            self.mistakes.add((*place, "close"), text)
        if numeric:
            return Expected(UNREADABLE_RESULT)
        return self.expected(value, path, own=own, in_text=True, problems_of=_speech_problems)


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


def _speech_problems(value: Any) -> Iterator[Wrong]:
    if not isinstance(value, str | FromResult):
        yield Wrong((), f"expected text or a matcher, found {found(value)}")


def _wrong_parts(value: Any, problems_of: Callable[[Any], Iterable[Wrong]]) -> Iterator[Wrong]:
    """Yield the places of what cannot stand there, with why: it may be a misspelt matcher."""
    for path, name, inner in _leaves(value, ()):
        place, bare = ((*path, name), inner[name]) if name == "exact" else (path, inner)
        wrong = list(problems_of(bare)) if name in (None, "exact") else []
        meant, known = only_key(bare), matchers.names()
        if wrong and meant is not None and did_you_mean(meant, known):
            yield Wrong(place, unknown("matcher", meant, known))
        else:
            yield from (one._replace(path=(*place, *one.path)) for one in wrong)


def completed(expected: Expected, parameter: Parameter) -> Expected:
    """Return what is expected of an argument with the defaults inside of it, as of a model."""
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
    """Yield the place, the matcher and the value of all that is compared; bare values have none."""
    name = only_key(value)
    if name in COMBINING:
        inner = value[name]
        for index, item in enumerate(inner if isinstance(inner, list) else [inner]):
            step = (index,) if isinstance(inner, list) else ()
            yield from _leaves(item, (*path, name, *step))
    else:
        yield path, name if name in matchers.names() else None, value
