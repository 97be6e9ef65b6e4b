"""Import this package's modules from the byte code that pip has written.

Pytest rewrites the assertions of all modules of a plugin. Nothing is asserted here, but pytest
parses and compiles each module at its first import: a second of a run in a new environment, as
in CI, and of every run with ``PYTHONDONTWRITEBYTECODE``. PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_PACKAGE = f"{__package__}."
_REWRITING = "_pytest.assertion.rewrite"


class PlainFinder(MetaPathFinder):
    """Finds the modules of this package as Python does, before pytest's finder is asked."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module of this package is; ``None`` for all others."""
        return (
            PathFinder.find_spec(fullname, path, target) if fullname.startswith(_PACKAGE) else None
        )


def import_plainly() -> None:
    """Import what follows of this package plainly, to the end of the process, if pytest runs."""
    for place, finder in enumerate(sys.meta_path):
        if isinstance(finder, PlainFinder):
            return
        if type(finder).__module__ == _REWRITING:  # other finders before it keep their turn
            sys.meta_path.insert(place, PlainFinder())
            return
