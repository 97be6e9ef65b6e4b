"""What is wrong with a scenario file: file, line, field, what was found, what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

Path = tuple[str | int, ...]
Place = tuple[int, int]
"""Line and column, both from 1."""


@dataclass(frozen=True)
class Places:
    """Where the values and the keys of a document stand, by their path."""

    values: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)

    def of(self, path: Path, *, key: bool = False) -> Place:
        """Return the place of a value (or of its key), or of the nearest thing around it."""
        if key and path in self.keys:
            return self.keys[path]
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, (1, 1))


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
        super().__init__("\n".join(f"{path}:{mistake}" for mistake in self.mistakes))


class Mistakes:
    """Collects the mistakes of one document."""

    def __init__(self, places: Places) -> None:
        self.found: list[Mistake] = []
        self._places = places

    def add(self, path: Path, text: str, *, key: bool = False) -> None:
        """Note a mistake at a value, or at its key."""
        self.found.append(Mistake(*self._places.of(path, key=key), dotted(path), text))

    def unknown(self, path: Path, kind: str, name: str, allowed: Iterable[str]) -> None:
        """Note a name that does not exist, with the nearest one that does."""
        self.add(path, unknown(kind, name, allowed), key=True)

    def place(self, path: Path) -> Place:
        """Return the place of a key, or of its value where there is no key."""
        return self._places.of(path, key=True)


def dotted(path: Path) -> str:
    """Write a path as ``milestones.text_sent.after[1]``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def unknown(kind: str, name: object, allowed: Iterable[str]) -> str:
    """Say that a name does not exist, which ones do, and which is the nearest."""
    names = list(allowed)
    close = difflib.get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"unknown {kind} {name!r}{hint} (allowed: {', '.join(names) or 'none'})"


def found(value: object) -> str:
    """Describe a value of the document by its type and, where it is short, itself."""
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {shortened(value)!r}"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "a mapping"


def shortened(text: str, length: int = 40) -> str:
    """Cut a text that is too long for a message."""
    return text if len(text) <= length else text[: length - 1] + "…"
