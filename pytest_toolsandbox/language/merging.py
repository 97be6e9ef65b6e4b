"""One scenario out of a file's: its own part over the defaults that stand beside ``scenarios:``."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from .mistakes import Path, Places


def merged(document: dict[str, Any], places: Places, name: str) -> tuple[dict[str, Any], Places]:
    """Return the scenario ``name`` with its defaults, and the places where its parts stand.

    Mappings merge, lists and scalars replace, ``null`` deletes.
    """
    root = ("scenarios", name)
    defaults = {key: value for key, value in document.items() if key != "scenarios"}
    value = copy.deepcopy(_merge(defaults, document["scenarios"][name] or {}))
    found = Places({(): places.of(root, key=True)})
    for path in _paths(value, ()):
        own = (*root, *path)
        source = own if own in places.values else path
        found.values[path] = places.values[source]
        if source in places.keys:
            found.keys[path] = places.keys[source]
        if source is path:
            found.shared.add(path)
    return value, found


def _merge(defaults: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    result = {**defaults, **own}
    for key in set(defaults) & set(own):
        if own[key] is None:
            del result[key]
        elif isinstance(own[key], dict) and isinstance(defaults[key], dict):
            result[key] = _merge(defaults[key], own[key])
    return result


def _paths(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from _paths(item, (*path, key))
