"""What is wrong with a scenario file: file, line, field, what was found, what is allowed."""

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
"""How many mistakes of a file are told one by one."""
_LONGEST_KEY = 200
"""How many characters of a key are told."""
_PLAIN_KEY = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Places:
    """Where values and keys stand, by path; ``shared`` are those from defaults of a file."""

    values: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)
    shared: set[Path] = field(default_factory=set)

    def of(self, path: Path, *, key: bool = False) -> Place:
        """Return the place of a value (or of its key), or of the nearest thing around it."""
        if key and path in self.keys:
            return self.keys[path]
        return self.values.get(self.nearest(path), (1, 1))

    def nearest(self, path: Path) -> Path:
        """Return the path of a value, or of the nearest thing around it."""
        while path and path not in self.values:
            path = path[:-1]
        return path


@dataclass(frozen=True, order=True)
class Mistake:
    """One thing that the author of a file has to mend."""

    line: int
    column: int
    field: str
    text: str

    def __str__(self) -> str:
        what = f"{self.field}: {self.text}" if self.field else self.text
        return f"{self.line}:{self.column}: {what}"


class ScenarioError(Exception):
    """All that is wrong with one file, a line for each mistake, in the order of the file."""

    def __init__(self, path: str, mistakes: Iterable[Mistake]) -> None:
        self.path = path
        self.mistakes = sorted(set(mistakes))
        path = escape_unprintable(path)
        lines = [f"{path}:{mistake}" for mistake in self.mistakes[:MOST_SHOWN]]
        if (more := len(self.mistakes) - MOST_SHOWN) > 0:
            lines.append(f"{path}: and {pluralize(more, 'more mistake')}")
        super().__init__("\n".join(lines))


class Mistakes:
    """Collects the mistakes of one scenario.

    ``scenario`` is put before the fields, unless they come from defaults: those mistakes are in
    ``shared`` too. ``misshapen`` are the paths of what was left out because it has no right shape,
    ``above_misshapen`` these and all above; what follows from its absence is no mistake of its own.
    """

    def __init__(self, places: Places, scenario: str | None = None) -> None:
        self.found: list[Mistake] = []
        self.shared: set[Mistake] = set()
        self.misshapen: set[Path] = set()
        self.above_misshapen: set[Path] = set()
        self._places = places
        self._prefix: Path = () if scenario is None else (scenario,)

    def leave_out(self, paths: Iterable[Path]) -> None:
        """Note what is left out of the document because it has no right shape."""
        self.misshapen.update(paths)
        self.above_misshapen.update(
            path[:length] for path in paths for length in range(len(path) + 1)
        )

    def each(
        self, items: Iterable[Any], path: Path, read: Callable[[Any, Path], T | None]
    ) -> tuple[T, ...]:
        """Return what is read of a list; ``read`` notes what cannot be, and returns ``None``."""
        results = (read(item, (*path, index)) for index, item in enumerate(items))
        return tuple(result for result in results if result is not None)

    def is_text(self, value: Any, path: Path) -> TypeGuard[str]:
        """Whether a value is text, or note that it is not."""
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
        self.found.append(mistake)
        if shared:
            self.shared.add(mistake)

    def expected(self, path: Path, what: str, value: Any) -> None:
        """Note a value that is not what is expected there. ``what`` may end with a semicolon."""
        end = "" if what.endswith(";") else ","
        self.add(path, f"expected {what}{end} found {describe_value(value)}")

    def unknown(
        self, path: Path, kind: str, name: str, allowed: Iterable[str], of: str = ""
    ) -> None:
        """Note a key that does not exist, with the nearest one that does."""
        self.add(path, self.unknown_text(kind, name, allowed, of), key=True)

    def unknown_text(self, kind: str, name: str, allowed: Iterable[str], of: str = "") -> str:
        """Say that a name does not exist, and as long as it is shown which is the nearest."""
        if len(self.found) < MOST_SHOWN:
            return unknown(kind, name, allowed, of)
        return f"unknown {kind} {quote(name)}"

    def place(self, path: Path) -> Place:
        """Return where a value stands, or the nearest thing around it."""
        return self._places.of(path)

    @property
    def line(self) -> int:
        """The line in which the scenario begins."""
        return self._places.of((), key=True)[0]


def dotted(path: Path) -> str:
    """Write a path as ``milestones.text_sent.after[1]``; unusual keys as ``state['a b']``."""
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
    """Say that the agent cannot call a tool."""
    return f"the agent is not offered {tool}; check tools and withheld"
