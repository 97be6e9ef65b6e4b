"""Imports the ``conftest.py`` files that apply to scenarios, for the worlds they register."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_toolsandbox.agents.raising import raised


class ConftestError(Exception):
    """A ``conftest.py`` that cannot be imported, and why, in one line."""


def import_conftests(paths: Iterable[Path], files: Iterable[Path]) -> None:
    """Import each ``conftest.py`` in the folders of ``files`` and above them.

    Above means up to the current directory or to the one of ``paths`` that a file was found under,
    whichever is higher. Raises :class:`ConftestError`.
    """
    tops = [Path.cwd(), *(path.resolve() for path in paths)]
    folders = dict.fromkeys(folder for file in files for folder in _folders(file.resolve(), tops))
    for index, folder in enumerate(folders):
        file = folder / "conftest.py"
        if file.is_file():
            _import(file, f"_toolsandbox_conftest_{index}")


def _folders(file: Path, tops: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders that lead to a file, the topmost first."""
    above = (top for top in tops if top in file.parents)
    top = min(above, key=lambda folder: len(folder.parts), default=file.parent)
    yield from (folder for folder in reversed(file.parents) if folder.is_relative_to(top))


def _import(file: Path, name: str) -> None:
    sys.path.insert(0, str(file.parent))  # as pytest does
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise ConftestError(f"{file}: {raised(error)}") from error
