"""Reads literal values, times and arguments in a scenario, and notes mistakes in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.language.mistakes import Mistakes, Path, dotted
from pytest_toolsandbox.language.values import (
    COMBINING,
    UNREADABLE_RESULT,
    FromResult,
    format_problem,
    path_problem,
    results_in,
)
from pytest_toolsandbox.text.formatting import (
    JSON_TYPE_NAMES,
    TYPE_NAMES,
    describe_value,
    join_words,
)
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.worlds.clock import read_moment
from pytest_toolsandbox.worlds.schemas import allowed_words
from pytest_toolsandbox.worlds.state import Column
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import World

SHORT_FROM = re.compile(r"\$(\$?)([A-Za-z_]\w*)((?:\[|\.(?=\w)).*)?")
"""A result: ``$name``, ``$name.path`` or ``$name[0]``; ``$$name`` is the text ``$name``."""

_MOMENT: Final = "a date or time such as 2025-03-15 17:00"


class Wrong(NamedTuple):
    """What is wrong in a value: the path to the wrong part, and whether its key is wrong."""

    path: Path
    text: str
    key: bool = False


@dataclass(frozen=True)
class Reader:
    """Reads values of a world; subclasses allow values that come from results of calls."""

    world: World
    now: datetime
    mistakes: Mistakes

    @property
    def named_by(self) -> str | None:
        """The key in ``from`` that names a call; ``None`` if ``$name`` is plain text here."""
        return None

    @property
    def context(self) -> tuple[World, datetime, Mistakes]:
        """The fields of every reader, to create another kind of reader."""
        return self.world, self.now, self.mistakes

    def literal(self, value: Any, path: Path) -> Any:
        """Return a value with every ``at`` replaced by a time and every ``from`` read."""
        if isinstance(value, list):
            return [self.literal(item, (*path, index)) for index, item in enumerate(value)]
        if isinstance(value, str):
            return self._text(value, path)
        if not isinstance(value, dict):
            return value
        if set(value) == {"at"}:
            return self._moment(value["at"], (*path, "at"))
        if set(value) == {"from"}:
            return self.from_result(value["from"], (*path, "from"))
        return {key: self.literal(item, (*path, key)) for key, item in value.items()}

    def times(self, value: Any, column: Column) -> Any:
        """Return a cell; in a column of times, texts become times, also inside ``any_of`` etc."""
        if column.type is not datetime:
            return value
        if isinstance(value, list):
            return [self.times(item, column) for item in value]
        if isinstance(value, dict):
            if set(value) == {"at"}:
                return self.times(value["at"], column)
            inside = value.items() if set(value) <= set(COMBINING) else ()
            return {**value, **{name: self.times(item, column) for name, item in inside}}
        try:
            return read_moment(value, self.now) if isinstance(value, str) else value
        except ValueError:
            return value  # `cell_problems` reports it

    def cell_problems(self, value: Any, column: Column) -> Iterator[Wrong]:
        """Yield why a value cannot stand in a column, if it cannot."""
        if any(results_in(value)) or column.accepts(value):
            return
        if column.type is datetime and isinstance(value, str):
            try:
                read_moment(value, self.now)
            except (ValueError, OverflowError) as error:
                yield Wrong((), str(error))
                return
        expected = [_MOMENT if column.type is datetime else TYPE_NAMES[column.type]]
        expected += ["null"] if column.nullable else []
        yield Wrong((), f"expected {join_words(expected)}, found {describe_value(value)}")

    def from_result(self, _: Any, path: Path) -> FromResult:
        """Note that no result can be used here; subclasses override this."""
        self.mistakes.add(path, "no earlier call has a result to take")
        return UNREADABLE_RESULT

    def arguments(self, value: Any, path: Path) -> dict[str, Any] | None:
        """Return the arguments of a call, or note that they are not a mapping."""
        if isinstance(value, dict | None):
            return value or {}
        self.mistakes.expected(path, "a mapping of arguments to values", value)
        return None

    def only_known(
        self,
        names: Mapping[str, Any],
        path: Path,
        kind: str,
        allowed: Collection[str],
        owner: str = "",
    ) -> Iterator[str]:
        """Yield the allowed names, and note the others."""
        for name in names:
            if name in allowed:
                yield name
            else:
                self.mistakes.unknown((*path, name), kind, name, allowed, owner)

    def check_names(
        self, names: Collection[str], path: Path, kind: str, allowed: Collection[str]
    ) -> None:
        """Note the names in a list that do not exist or are listed twice."""
        seen = set()
        for index, name in enumerate(names):
            if name not in allowed:
                text = self.mistakes.unknown_text(kind, name, allowed)
                self.mistakes.add((*path, index), text)
            elif name in seen:
                self.mistakes.add((*path, index), f"{name!r} is listed twice")
            seen.add(name)

    def read_from(self, value: Any, path: Path, key: str) -> FromResult:
        """Read the mapping below ``from``, whose ``key`` names the call."""
        allowed = (key, "path", "format")
        if not isinstance(value, dict) or key not in value:
            self.mistakes.expected(path, f"{{{', '.join(allowed)}}}", value)
            return UNREADABLE_RESULT
        known = self.only_known(value, path, "key", allowed)
        parts = {k: value[k] for k in known if self.mistakes.is_text(value[k], (*path, k))}
        for part, problem in (("path", path_problem), ("format", format_problem)):
            if part in parts and (reason := problem(parts[part])):
                self.mistakes.add((*path, part), reason)
        name = parts.pop(key, None)
        return UNREADABLE_RESULT if name is None else FromResult(name, **parts)

    def _text(self, value: str, path: Path) -> str | FromResult:
        short = SHORT_FROM.fullmatch(value) if self.named_by else None
        if short is None or self.named_by is None:
            return value
        escaped, name, inside = short.groups()
        if escaped:
            return value[1:]
        parts = {"path": inside.removeprefix(".")} if inside else {}
        return self.from_result({self.named_by: name, **parts}, path)

    def _moment(self, value: Any, path: Path) -> float | FromResult:
        if not isinstance(value, str):
            self.mistakes.expected(path, _MOMENT, value)
            return UNREADABLE_RESULT
        try:
            return read_moment(value, self.now).timestamp()
        except (ValueError, OverflowError) as error:
            self.mistakes.add(path, str(error))
            return UNREADABLE_RESULT


def argument_problems(value: Any, tool: Tool, name: str) -> Iterator[Wrong]:
    """Yield what is wrong with an argument of a tool, unknown keys of models included.

    A tool that gets whatever a call has takes any value.
    """
    if not tool.check_arguments:
        return
    for path, known in tool.parameters[name].unknown_keys(value):
        owner = f"of {dotted((name, *path[:-1]))}"
        yield Wrong(path, unknown("key", path[-1], known, owner), key=True)
    if any(results_in(value)):
        return
    for problem in tool.problems(name, value):
        text = problem.text
        if problem.allowed:
            allowed = allowed_words(problem.allowed, JSON_TYPE_NAMES)
            text = f"expected {allowed}, found {describe_value(problem.found)}"
        yield Wrong(problem.path, text)
