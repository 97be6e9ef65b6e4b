"""Options that name the same file, where one of them would destroy what another needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .settings import Settings

_FIELDS: Final = ("html", "brief", "results", "resume", "rejudge", "baseline")
"""Files of a run; of two that are the same, the one that stands first here is to be another."""
_OF_RECORDS: Final = {"results", "resume", "rejudge"}
"""What two of these are to each other is a question of its own."""


def same_files(given: Settings, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with options of the same file; field → name, as the user gives it."""
    named = {field: path for field in _FIELDS if field in names and (path := _path(given, field))}
    for one, other in combinations(named, 2):
        if {one, other} <= _OF_RECORDS or not _is_same(named[one], named[other]):
            continue
        yield f"{names[one]}: it is the file of {names[other]} too; name another one"


def _is_same(one: Path, other: Path) -> bool:
    from pytest_toolsandbox.wording.whole_files import is_same_file

    return is_same_file(one, other)


def _path(given: Settings, field: str) -> Path | None:
    path: Path | None = getattr(given, field)
    return path
