"""The suites that come with the package: where they lie, and ids that do not depend on it."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = "scenarios"
"""The folder of the suites, and what every id of theirs begins with."""


def suites_folder() -> Path:
    """Return the folder of the suites: in the installed package, or in a checkout beside it."""
    package = Path(__file__).parent
    installed = package / FOLDER
    return installed if installed.is_dir() else package.parent / FOLDER


def suites() -> dict[str, Path]:
    """Return name → folder of each suite, in the order of the names."""
    folders = sorted(suites_folder().glob("[!._]*"))
    return {path.name: path for path in folders if path.is_dir()}


def bundled_id(file: Path) -> str | None:
    """Return the id of a suite's file, such as ``scenarios/phone/…``; of other files, ``None``.

    What pytest makes up leads from its rootdir to the file, so that a scenario would have another
    id in every environment, and records of two machines could not be compared.
    """
    folder = suites_folder().resolve()
    path = file.resolve()
    return f"{FOLDER}/{path.relative_to(folder).as_posix()}" if folder in path.parents else None


def placed(argument: str, start: Path, root: Path) -> str:
    """Return an argument of pytest with the true path, where it is the id of a suite or in one.

    It is one as seen from the folder ``start`` or, as pytest prints ids elsewhere, from there to
    the folder ``root``. What lies there comes first.
    """
    text, separator, name = argument.partition("::")
    path = Path(os.path.normpath(start / text))
    if path.exists():
        return argument
    for top in (start / FOLDER, root / FOLDER):
        if path.is_relative_to(top):
            place = suites_folder() / path.relative_to(top)
            return f"{place}{separator}{name}" if place.exists() else argument
    return argument
