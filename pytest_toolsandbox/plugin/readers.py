"""How options are read: what was said becomes a value, or a ``ValueError`` says what is wrong.

Imported in every run of pytest; what only some readers need is imported there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Said(NamedTuple):
    """What the user said of an option: its name as written, the lines, where paths start."""

    option: str
    lines: tuple[str, ...]
    folder: Path
    on_command_line: bool

    @property
    def text(self) -> str:
        """The only line, or the last one."""
        return self.lines[-1]


class Feedback(NamedTuple):
    """Which arms of feedback are played: one, both, or what the scenario says (none).

    An arm that ``is_default``, since the ini file names it, gives way to what a scenario says.
    """

    arms: tuple[bool, ...]
    is_default: bool

    def of(self, said: bool | None) -> bool | None:
        """Return whether a scenario gives feedback, which says so itself or not (``None``)."""
        if len(self.arms) != 1 or (self.is_default and said is not None):
            return said
        return self.arms[0]


class MinimumScore(NamedTuple):
    """A mean score, from 0 to 1, that a category's scenarios must reach, or all (``None``).

    ``required`` says that it falls short where nothing was scored: what the command line asks for
    must be shown, while what the ini file says need not concern every run.
    """

    category: str | None
    score: float
    required: bool


def text(said: Said) -> str:
    """Take it as it is."""
    return said.text


def lines(said: Said) -> tuple[str, ...]:
    """Take all lines as they are."""
    return said.lines


def is_set(_said: Said) -> bool:
    """Read a flag, which is set where it is said."""
    return True


def one_of(*words: str) -> Callable[[Said], str]:
    """Return the reader of an option that is one of some words."""

    def read(said: Said) -> str:
        if said.text not in words:
            raise ValueError(f"expected {' or '.join(words)}, found {said.text!r}")
        return said.text

    return read


def augmentations(said: Said) -> tuple[str, ...]:
    """Read the names of augmentations."""
    from pytest_toolsandbox.language.variants import read_augmentations

    return read_augmentations(said.text)


def feedback(said: Said) -> Feedback:
    """Read ``on``, ``off`` or both."""
    words = [word.strip() for word in said.text.split(",") if word.strip()]
    wrong = [repr(word) for word in words if word not in ("on", "off")]
    if wrong or not words:
        found = wrong[0] if wrong else "nothing"
        raise ValueError(f"expected on, off, or on,off for both, found {found}")
    arms = tuple(dict.fromkeys(word == "on" for word in words))
    return Feedback(arms, is_default=not said.on_command_line)


def minimum_scores(said: Said) -> tuple[MinimumScore, ...]:
    """Read ``SCORE`` and ``CATEGORY=SCORE``."""
    return tuple(_minimum_score(line, required=said.on_command_line) for line in said.lines)


def _minimum_score(line: str, *, required: bool) -> MinimumScore:
    category, separator, score = line.rpartition("=")
    if separator and not category.strip():
        raise ValueError(f"{line!r} names no category before '='")
    return MinimumScore(category.strip() or None, _share(score), required)


def pairs(said: Said) -> dict[str, str]:
    """Read lines ``NAME = VALUE``."""
    found = {}
    for line in said.lines:
        key, separator, value = line.partition("=")
        if not (separator and key.strip() and value.strip()):
            raise ValueError(f"expected NAME = VALUE, found {line!r}")
        found[key.strip()] = value.strip()
    return found


def shares(said: Said) -> dict[str, float]:
    """Read lines ``NAME = NUMBER`` with numbers from 0 to 1."""
    return {name: _share(value) for name, value in pairs(said).items()}


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ValueError(f"{text.strip()!r} is no number from 0 to 1")
    return value


def existing_file(said: Said) -> Path:
    """Read the path of a file that is there."""
    path = Path(said.folder, said.text)
    if not os.path.isfile(path):  # noqa: PTH113  # unlike Path, it takes names that are too long
        raise ValueError(f"there is no file {said.text}")
    return path


def new_file(said: Said) -> Path:
    """Read the path of a file that can be written, with the time in the place of ``{time}``."""
    import time

    name = said.text.replace("{time}", time.strftime("%Y-%m-%dT%H%M%S"))
    path = said.folder / name
    if reason := _why_not_writable(Path(os.path.realpath(path))):
        raise ValueError(f"cannot write to {name}: {reason}")
    return path


def _why_not_writable(path: Path) -> str | None:
    """Return what keeps a file from being written, or from being made with its folders."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        there = next(place for place in path.parents if place.exists())
        if not there.is_dir():
            return f"{there.name} is no folder"
    except OSError as error:
        return error.strerror
    else:
        there = path
        if not path.is_file():
            return "it is no regular file"
    return None if os.access(there, os.W_OK) else "permission denied"
