"""Reads single values of a scenario, and notes what is wrong with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.matchers import MatcherMistake, Reading
from pytest_toolsandbox.worlds.clock import moment
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import Column, World

from .mistakes import Mistakes, Path, found, unknown
from .values import Expected, FromCall, FromMilestone, FromResult, format_problem, substituted

FROM_KEYS = {"path", "format"}
COMBINING = ("any_of", "all_of", "not")


@dataclass(frozen=True)
class Reader:
    """What the values of one scenario are read against.

    ``events`` and ``earlier`` are the names that the milestone at hand may see: all of its kind,
    and those that come before it.
    """

    world: World
    now: datetime
    mistakes: Mistakes
    thresholds: Mapping[str, float]
    events: Collection[str] = ()
    earlier: Collection[str] = ()

    def check_reference(self, name: str, path: Path) -> None:
        """Check that an event refers to one (of ``events``) that comes before it (``earlier``)."""
        if name not in self.events:
            self.mistakes.add(path, unknown("milestone", name, self.events))
        elif name not in self.earlier:
            text = f"{name!r} does not come before this one; name it, or one after it, in after"
            self.mistakes.add(path, text)

    def literal(self, value: Any, path: Path, source: type[FromResult] | None = None) -> Any:
        """Return a value with its moments worked out, and its ``from`` as ``source``."""
        if isinstance(value, list):
            return [self.literal(v, (*path, i), source) for i, v in enumerate(value)]
        if not isinstance(value, dict):
            return value
        if set(value) == {"at"}:
            return self._moment(value["at"], (*path, "at"))
        if set(value) == {"from"}:
            return self._from_result(value["from"], (*path, "from"), source)
        if set(value) == {"exact"}:
            return value
        return {key: self.literal(v, (*path, key), source) for key, v in value.items()}

    def expected(
        self,
        value: Any,
        path: Path,
        *,
        own: str = "exact",
        in_text: bool = False,
        threshold: float | None = None,
    ) -> Expected:
        """Return what is expected; ``own`` is the matcher that a bare value means."""
        reading = Reading(own=own, thresholds=self.thresholds, threshold=threshold)
        expected = Expected(self.literal(value, path, FromMilestone), reading, in_text)
        self._check_matcher(expected, path)
        return expected

    def cell(
        self, value: Any, path: Path, name: str, column: Column, threshold: float | None
    ) -> Expected:
        """Return what is expected in a column, whose type bare values must have."""
        expected = self.expected(
            value, path, own=column.measure, in_text=column.type is str, threshold=threshold
        )
        for bare_path, bare in bare_values(expected.value, path):
            if not column.accepts(bare):
                text = f"column {name!r} takes {column.type.__name__}, not {found(bare)}"
                self.mistakes.add(bare_path, text)
        return expected

    def argument(
        self, value: Any, path: Path, tool: Tool, name: str, threshold: float | None
    ) -> Expected:
        """Return what is expected of an argument, whose type bare values must have."""
        in_text = tool.parameters[name].schema.get("type") == "string"
        expected = self.expected(value, path, in_text=in_text, threshold=threshold)
        for bare_path, bare in bare_values(expected.value, path):
            if problem := tool.problem(name, bare):
                self.mistakes.add(bare_path, problem)
        return expected

    def only_known(
        self, names: Mapping[str, Any], path: Path, kind: str, allowed: Mapping[str, Any]
    ) -> Iterator[str]:
        """Yield the names that are allowed and note the others."""
        for name in names:
            if name in allowed:
                yield name
            else:
                self.mistakes.unknown((*path, name), kind, name, allowed)

    def _check_matcher(self, expected: Expected, path: Path) -> None:
        """Read the matcher once, with stand-ins for what only a run can give."""
        mistake: MatcherMistake | None = None
        for stand_in in (0, "0"):
            value = substituted(expected.value, lambda _, stand_in=stand_in: stand_in)
            try:
                matchers.read(value, expected.reading)
            except MatcherMistake as error:
                mistake = error
            else:
                return
        if mistake is not None:
            self.mistakes.add((*path, *mistake.path), str(mistake))

    def _moment(self, value: Any, path: Path) -> float | None:
        if not isinstance(value, str):
            self.mistakes.add(
                path, f"expected a moment such as 2025-03-15 17:00, found {found(value)}"
            )
            return None
        try:
            return moment(value, self.now).timestamp()
        except (ValueError, OverflowError) as error:
            self.mistakes.add(path, str(error))
            return None

    def _from_result(self, value: Any, path: Path, source: type[FromResult] | None) -> Any:
        if source is None:
            self.mistakes.add(path[:-1], "a value from a result cannot stand here")
            return None
        key = "call" if source is FromCall else "milestone"
        if not isinstance(value, dict) or key not in value or set(value) - {key, *FROM_KEYS}:
            self.mistakes.add(path, f"expected {{{key}, path, format}}, found {_keys(value)}")
            return None
        for name, item in value.items():
            if not isinstance(item, str):
                self.mistakes.add((*path, name), f"expected text, found {found(item)}")
                return None
        self._check_path(value.get("path"), (*path, "path"))
        if "format" in value and (problem := format_problem(value["format"])):
            self.mistakes.add((*path, "format"), problem)
        if source is FromMilestone:
            self.check_reference(value[key], (*path, key))
        return source(value[key], value.get("path"), value.get("format"))

    def _check_path(self, text: str | None, path: Path) -> None:
        if text is None:
            return
        import jmespath

        try:
            jmespath.compile(text)
        except jmespath.exceptions.JMESPathError as error:
            reason = " ".join(str(error).split())
            self.mistakes.add(path, f"{text!r} is no JMESPath: {reason}")


def bare_values(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Find the values that stand for themselves, those inside of combining matchers too."""
    name = next(iter(value)) if isinstance(value, dict) and len(value) == 1 else None
    if name == "exact":
        yield (*path, name), value[name]
    elif name in COMBINING:
        inner = value[name]
        for index, item in enumerate(inner if isinstance(inner, list) else [inner]):
            step = (index,) if isinstance(inner, list) else ()
            yield from bare_values(item, (*path, name, *step))
    elif name not in matchers.names() and not isinstance(value, FromResult):
        yield path, value


def _keys(value: Any) -> str:
    return f"the keys {', '.join(value)}" if isinstance(value, dict) else found(value)
