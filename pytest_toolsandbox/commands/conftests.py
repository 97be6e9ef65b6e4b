"""Imports the ``conftest.py`` files that apply to scenarios, for the worlds they register."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_toolsandbox.wording.error_text import describe_exception
from pytest_toolsandbox.worlds.errors import WorldError


class ConftestError(Exception):
    """A ``conftest.py`` that cannot be imported, and why, in one line."""


class Conftests:
    """Imports the ``conftest.py`` files of scenarios that were found under ``paths``.

    As in a run of pytest, each is imported when the first file below it is read, so that what it
    registers is not yet there for files elsewhere that come before.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self.tops = [Path.cwd(), *(path.resolve() for path in paths)]
        self.imported: set[Path] = set()

    def import_for(self, file: Path) -> None:
        """Import each ``conftest.py`` in the folder of a file and above it, once.

        Above means up to the current directory or to the path that the file was found under,
        whichever is higher. Raises :class:`ConftestError`.
        """
        for folder in _folders(file.resolve(), self.tops):
            conftest = folder / "conftest.py"
            if conftest not in self.imported and conftest.is_file():
                _import(conftest, f"_toolsandbox_conftest_{len(self.imported)}")
                self.imported.add(conftest)


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
    except WorldError as error:  # which says where
        raise ConftestError(str(error)) from error
    except Exception as error:
        raise ConftestError(f"{file}: {describe_exception(error)}") from error
