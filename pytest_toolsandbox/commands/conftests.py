"""Imports the ``conftest.py`` files that apply to scenarios, for the worlds they register."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_toolsandbox.wording.error_text import describe_exception
from pytest_toolsandbox.worlds.errors import WorldError

from . import CommandError


class Conftests:
    """Imports the ``conftest.py`` files of scenarios that were found under ``paths``.

    As in a run of pytest, each is imported when the first file below it is read, so that what it
    registers is not yet there for files elsewhere that come before.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self.tops = [Path.cwd(), *(path.resolve() for path in paths)]
        self.imported: dict[Path, ModuleType] = {}

    def import_for(self, file: Path) -> None:
        """Import each ``conftest.py`` in the folder of a file and above it, once.

        Above means up to the current directory or to the path that the file was found under,
        whichever is higher. Raises :class:`CommandError`, a line.
        """
        for folder in _folders(file.resolve(), self.tops):
            conftest = folder / "conftest.py"
            if conftest not in self.imported and conftest.is_file():
                name = f"_toolsandbox_conftest_{len(self.imported)}"
                self.imported[conftest] = _import(conftest, name)

    def fixture(self, name: str, file: Path) -> Callable[..., Any] | None:
        """Return the function of a fixture as a file has it: the nearest ``conftest.py``'s."""
        for folder in reversed(list(_folders(file.resolve(), self.tops))):
            found = getattr(self.imported.get(folder / "conftest.py"), name, None)
            if callable(found):
                plain: Callable[..., Any] = inspect.unwrap(found)  # pytest's refuses to be called
                return plain
        return None


def _folders(file: Path, tops: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders that lead to a file, the topmost first."""
    above = (top for top in tops if top in file.parents)
    top = min(above, key=lambda folder: len(folder.parts), default=file.parent)
    yield from (folder for folder in reversed(file.parents) if folder.is_relative_to(top))


def _import(file: Path, name: str) -> ModuleType:
    sys.path.insert(0, str(file.parent))  # as pytest does
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except WorldError as error:  # which says where
        raise CommandError(str(error)) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # pytest.skip and sys.exit are no ``Exception``
        raise CommandError(f"{file}: {describe_exception(error)}") from error
    return module
