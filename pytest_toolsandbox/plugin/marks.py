"""The categories of scenarios as marks of pytest.

Imported in every run of pytest, and so light; PYTEST_DONT_REWRITE spares it the rewriting.
"""

from __future__ import annotations

import pytest

from pytest_toolsandbox.language.categories import CATEGORIES

FREE_MARKS = pytest.StashKey[set[str]]()
"""The marks that scenarios may use as categories and tags: those of the ini file, and ours."""


def add_marks(config: pytest.Config) -> None:
    """Register the categories as marks; must run before plugins register theirs."""
    config.stash[FREE_MARKS] = registered_marks(config)
    for name, text in CATEGORIES.items():
        add_mark(config, name, text)


def add_mark(config: pytest.Config, name: str, text: str) -> None:
    """Register a mark for scenarios."""
    config.stash[FREE_MARKS].add(name)
    config.addinivalue_line("markers", f"{name}: {text}")


def registered_marks(config: pytest.Config) -> set[str]:
    """Return the names of all marks that are registered."""
    lines = config.getini("markers")
    return {line.split(":")[0].split("(")[0].strip() for line in lines}
