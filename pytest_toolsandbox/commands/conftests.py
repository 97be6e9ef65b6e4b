"""Imports the ``conftest.py`` files that apply to scenarios, for the worlds they register."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path


def import_conftests(paths: Iterable[Path]) -> None:
    """Import each ``conftest.py`` above (up to the current directory) and below ``paths``."""
    found: dict[Path, None] = {}
    for path in map(Path.resolve, paths):
        folder = path if path.is_dir() else path.parent
        above = [parent for parent in (folder, *folder.parents) if _is_within(parent, Path.cwd())]
        for parent in reversed(above):
            found[parent / "conftest.py"] = None
        found.update(dict.fromkeys(sorted(folder.rglob("conftest.py"))))
    for index, file in enumerate(file for file in found if file.is_file()):
        _import(file, f"_toolsandbox_conftest_{index}")


def _is_within(folder: Path, top: Path) -> bool:
    return folder == top or top in folder.parents


def _import(file: Path, name: str) -> None:
    sys.path.insert(0, str(file.parent))  # as pytest does
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
