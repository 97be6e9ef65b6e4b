"""Mistakes in scenario files, the places of values, and the error that lists all mistakes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeGuard, TypeVar

from pytest_toolsandbox.text.formatting import (
    describe_value,
    escape_unprintable,
    pluralize,
    quote,
    truncate,
)
from pytest_toolsandbox.text.nearest_name import unknown

T = TypeVar("T")
Path = tuple[str | int, ...]
Place = tuple[int, int]
"""Line and column, both from 1."""

MOST_SHOWN = 100
"""How many mistakes of a file are listed."""
_LONGEST_KEY = 200
"""How many characters of a key a message repeats."""
_PLAIN_KEY = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Places:
    """The places of values and keys, by path; ``shared`` paths come from the file's defaults."""

    values: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)
    shared: set[Path] = field(default_factory=set)

    def of(self, path: Path, *, key: bool = False) -> Place:
        """Return the place of a value (or of its key), or of the nearest enclosing value."""
        if key and path in self.keys:
            return self.keys[path]
        return self.values.get(self.nearest(path), (1, 1))

    def nearest(self, path: Path) -> Path:
        """Return the path of a value, or of the nearest enclosing value."""
        while path and path not in self.values:
            path = path[:-1]
        return path


@dataclass(frozen=True, order=True)
class Mistake:
    """One mistake in a file: its place, its field and what is wrong."""

    line: int
    column: int
    field: str
    text: str

    def __str__(self) -> str:
        what = f"{self.field}: {self.text}" if self.field else self.text
        return f"{self.line}:{self.column}: {what}"


class ScenarioError(Exception):
    """All mistakes in one file, a line for each, in the order of the file."""

    def __init__(self, path: str, mistakes: Iterable[Mistake]) -> None:
        self.path = path
        self.mistakes = sorted(set(mistakes))
        path = escape_unprintable(path)
        lines = [f"{path}:{mistake}" for mistake in self.mistakes[:MOST_SHOWN]]
        if (omitted := len(self.mistakes) - MOST_SHOWN) > 0:
            lines.append(f"{path}: and {pluralize(omitted, 'more mistake')}")
        super().__init__("\n".join(lines))

    @property
    def cause(self) -> str:
        """The first mistake in one line that begins with what is wrong and ends with its place."""
        first, *further = self.mistakes
        place = f"{escape_unprintable(self.path)}:{first.line}:{first.column}"
        where = ", ".join(filter(None, [first.field, place]))
        more = f", and {pluralize(len(further), 'more mistake')}" if further else ""
        return f"{first.text.partition(chr(10))[0]} ({where}{more})"


class Mistakes:
    """Collects the mistakes of one scenario.

    Fields start with the name of the ``scenario``, except in defaults; mistakes in defaults are
    also in ``shared``. ``listed`` counts the mistakes of the file's earlier scenarios.
    ``misshapen`` are the paths of values that validation has removed, and ``above_misshapen`` these
    and all enclosing ones: what their absence causes is not reported.
    """

    def __init__(self, places: Places, scenario: str | None = None, listed: int = 0) -> None:
        self.entries: list[Mistake] = []
        self.shared: set[Mistake] = set()
        self.misshapen: set[Path] = set()
        self.above_misshapen: set[Path] = set()
        self._places, self._listed = places, listed
        self._prefix: Path = () if scenario is None else (scenario,)

    def leave_out(self, paths: Iterable[Path]) -> None:
        """Note values that validation has removed from the document."""
        self.misshapen.update(paths)
        self.above_misshapen.update(
            path[:length] for path in paths for length in range(len(path) + 1)
        )

    def each(
        self, items: Iterable[Any], path: Path, read: Callable[[Any, Path], T | None]
    ) -> tuple[T, ...]:
        """Read all items of a list; ``read`` returns ``None`` for an invalid one, and notes it."""
        results = (read(item, (*path, index)) for index, item in enumerate(items))
        return tuple(result for result in results if result is not None)

    def is_text(self, value: Any, path: Path) -> TypeGuard[str]:
        """Whether a value is text; if not, note it."""
        if not isinstance(value, str):
            self.expected(path, "text", value)
        return isinstance(value, str)

    def add(self, path: Path, text: str, *, key: bool = False) -> None:
        """Note a mistake at a value, or at its key."""
        if path in self.above_misshapen:
            return
        shared = self._places.nearest(path) in self._places.shared
        where = path if shared else (*self._prefix, *path)
        mistake = Mistake(*self._places.of(path, key=key), dotted(where), text)
        self.entries.append(mistake)
        if shared:
            self.shared.add(mistake)

    def expected(self, path: Path, what: str, value: Any) -> None:
        """Note an unexpected value. ``what`` may end with a semicolon."""
        end = "" if what.endswith(";") else ","
        self.add(path, f"expected {what}{end} found {describe_value(value)}")

    def unknown(
        self, path: Path, kind: str, name: str, allowed: Iterable[str], owner: str = ""
    ) -> None:
        """Note an unknown key, with the nearest known one."""
        self.add(path, self.unknown_text(kind, name, allowed, owner), key=True)

    def unknown_text(self, kind: str, name: str, allowed: Iterable[str], owner: str = "") -> str:
        """Return the message for an unknown name; without a suggestion if it will not be listed."""
        if self._listed + len(self.entries) < MOST_SHOWN:
            return unknown(kind, name, allowed, owner)
        return f"unknown {kind} {quote(name)}"

    def place(self, path: Path) -> Place:
        """Return the place of a value, or of the nearest enclosing value."""
        return self._places.of(path)

    @property
    def line(self) -> int:
        """The line where the scenario begins."""
        return self._places.of((), key=True)[0]


def dotted(path: Path) -> str:
    """Format a path as ``milestones.text_sent.after[1]``; unusual keys as ``state['a b']``."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif not _PLAIN_KEY.fullmatch(part):
            text += f"[{quote(part)}]"
        else:
            text += f".{truncate(part, _LONGEST_KEY)}" if text else truncate(part, _LONGEST_KEY)
    return text


def not_offered(tool: str) -> str:
    """Return the message for a tool that the agent cannot call."""
    return f"the agent is not offered {tool}; check tools and withheld"


def not_given(tool: str) -> str:
    """Return the message for a tool that the user does not have."""
    return f"the user does not have {tool}; check user_tools"
