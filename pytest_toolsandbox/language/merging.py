"""One scenario out of a file's: its own part over the defaults that stand beside ``scenarios:``."""

from __future__ import annotations

from typing import Any

from .mistakes import Path, Places


def merged(document: dict[str, Any], places: Places, name: str) -> tuple[dict[str, Any], Places]:
    """Return the scenario ``name`` with its defaults, and the places where its parts stand.

    Mappings merge, lists and scalars replace, ``null`` deletes.
    """
    defaults = {key: value for key, value in document.items() if key != "scenarios"}
    path = ("scenarios", name)
    merging = _Merging(places)
    merging.places.values[()] = places.of(path, key=True)
    value = merging.merge(defaults, (), document["scenarios"][name] or {}, path, ())
    return value, merging.places


class _Merging:
    """Merges values. Paths say where they stand: in the defaults, the scenario and the result."""

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
            theirs, mine, here = (*default_path, key), (*own_path, key), (*path, key)
            if key not in own:
                result[key] = self.copy(default[key], theirs, here, shared=True)
            elif isinstance(own[key], dict) and isinstance(default.get(key), dict):
                self._note(mine, here)
                result[key] = self.merge(default[key], theirs, own[key], mine, here)
            elif own[key] is not None or key not in default:
                result[key] = self.copy(own[key], mine, here)
        return result

    def copy(self, value: Any, source: Path, path: Path, *, shared: bool = False) -> Any:
        self._note(source, path, shared=shared)
        if isinstance(value, dict):
            return {
                key: self.copy(item, (*source, key), (*path, key), shared=shared)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [
                self.copy(item, (*source, index), (*path, index), shared=shared)
                for index, item in enumerate(value)
            ]
        return value

    def _note(self, source: Path, path: Path, *, shared: bool = False) -> None:
        self.places.values[path] = self.source.values[source]
        if source in self.source.keys:
            self.places.keys[path] = self.source.keys[source]
        if shared:
            self.places.shared.add(path)
