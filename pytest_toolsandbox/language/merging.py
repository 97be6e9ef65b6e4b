"""One scenario out of a file's: its own part over the defaults that stand beside ``scenarios:``."""

from __future__ import annotations

from typing import Any

from .mistakes import Path, Places


def merged(document: dict[str, Any], places: Places, name: str) -> tuple[dict[str, Any], Places]:
    """Return the scenario ``name`` with its defaults, and the places where its parts stand.

    Mappings merge, lists and scalars replace, ``null`` deletes.
    """
    defaults = {key: value for key, value in document.items() if key != "scenarios"}
    own = document["scenarios"][name] or {}
    merging = _Merging(places)
    value = merging.merge(defaults, (), own, ("scenarios", name), ())
    merging.places.values[()] = places.of(("scenarios", name), key=True)
    return value, merging.places


class _Merging:
    def __init__(self, source: Places) -> None:
        self.source = source
        self.places = Places()

    def merge(
        self,
        default: dict[str, Any],
        default_path: Path,
        own: dict[str, Any],
        own_path: Path,
        path: Path,
    ) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key in (*default, *(key for key in own if key not in default)):
            here = (*path, key)
            if key not in own:
                result[key] = self.copy(default[key], (*default_path, key), here)
            elif isinstance(own[key], dict) and isinstance(default.get(key), dict):
                self._note((*own_path, key), here)
                result[key] = self.merge(
                    default[key], (*default_path, key), own[key], (*own_path, key), here
                )
            elif own[key] is not None or key not in default:
                result[key] = self.copy(own[key], (*own_path, key), here)
        return result

    def copy(self, value: Any, source: Path, path: Path) -> Any:
        self._note(source, path)
        if isinstance(value, dict):
            return {key: self.copy(v, (*source, key), (*path, key)) for key, v in value.items()}
        if isinstance(value, list):
            return [self.copy(v, (*source, i), (*path, i)) for i, v in enumerate(value)]
        return value

    def _note(self, source: Path, path: Path) -> None:
        self.places.values[path] = self.source.values[source]
        if source in self.source.keys:
            self.places.keys[path] = self.source.keys[source]
