"""Tests LLM agents that use tools: YAML scenarios as pytest items.

The public names are listed once, with the modules that define them, in ``__init__.pyi``. Each is
imported when it is first asked for, since pytest imports this package in every run.

Nothing here is asserted: PYTEST_DONT_REWRITE spares every start the rewriting.
"""

from functools import cache
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    homes = _homes()
    if name == "__all__":
        return list(homes)
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from .plain_imports import import_plainly

    import_plainly()
    return getattr(importlib.import_module(f"{__name__}.{homes[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_homes()]


@cache
def _homes() -> dict[str, str]:
    """Return name → module of what the stub imports."""
    import ast
    from pathlib import Path

    nodes = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}
