"""Finds scenario files by name, folder and first lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

_SUFFIXES = (".yaml", ".yml")
_FILE_NAMES = ("*.scenario.yaml", "*.scenario.yml")
CASSETTE_SUFFIX = ".cassette.yaml"
"""The suffix of recorded conversations, which are not scenarios."""
_SCENARIO_FOLDER = "scenarios"
"""Below a folder of this name, every YAML file with a key ``world:`` is a scenario file."""

_WORLD = re.compile(rb"^(?:\xef\xbb\xbf)?[\"']?world[\"']?[ \t]*:", re.MULTILINE)


def is_scenario_file(path: Path, patterns: Iterable[str] = ()) -> bool:
    """Whether a file holds scenarios, by its name, folder and first lines, or by ``patterns``.

    A pattern is a file name or the end of a path, in the syntax of ``fnmatch``.
    """
    if path.name.endswith(CASSETTE_SUFFIX):
        return False
    if patterns:
        return any(fnmatch(path.name, p) or fnmatch(path.as_posix(), f"*/{p}") for p in patterns)
    if path.suffix not in _SUFFIXES:
        return False
    if any(fnmatch(path.name, pattern) for pattern in _FILE_NAMES):
        return True
    return _SCENARIO_FOLDER in path.parent.parts and _has_world(path)


def find_files(paths: Iterable[Path], patterns: Iterable[str] = ()) -> Iterator[Path]:
    """Yield the given files, and the scenario files below the given folders, sorted."""
    for path in paths:
        if path.is_dir():
            files = (file for file in sorted(path.rglob("*")) if file.is_file())
            yield from (file for file in files if is_scenario_file(file.absolute(), patterns))
        else:
            yield path


def scenario_name(path: Path) -> str:
    """Return the name of a file's only scenario: the file name without suffixes."""
    return re.sub(r"(?:\.scenario)?\.ya?ml$", "", path.name)


def _has_world(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return bool(_WORLD.search(file.read(1_000_000)))
    except OSError:
        return False
