"""What pytest gets from this plugin by its own means: marks for categories, and outcomes.

Imported in every run of pytest, and so light; PYTEST_DONT_REWRITE spares it the rewriting.
"""

from __future__ import annotations

from typing import Never

import _pytest.outcomes
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


class Failed(_pytest.outcomes.Failed):
    """What is wrong with an option or a fixture: the short summary shows the text alone."""

    __module__ = "builtins"


class Skipped(_pytest.outcomes.Skipped):
    """An item is not played; ``why`` is counted: ``without agent`` or ``without record``."""

    __module__ = "builtins"
    why = ""


def skip(why: str, text: str) -> Never:
    """Skip an item, or all that need a fixture; reports carry the reason, so that it is counted."""
    __tracebackhide__ = True
    skipped = Skipped(text)
    skipped.why = why
    raise skipped
