"""What a query has from the one that it was made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .mistakes import Path, Places

SAME_ANSWER: Final = ("sentences", "irrelevance")
"""The manners that change neither the answer nor the ways to it."""
TAKEN: Final = ("answer", "solutions", "finish")


def take_from_base(parts: dict[str, Any], name: str, places: Places) -> None:
    """Give a scenario what is left out in it, since it is that of its base.

    Mistakes in it are shown where it stands.
    """
    own = parts[name]
    if not own or own.get("manner") not in SAME_ANSWER or not isinstance(own.get("base"), str):
        return
    base = own["base"]
    given: Any = parts.get(base)
    for key in TAKEN if isinstance(given, dict) else ():
        if key in given and key not in own:
            own = parts[name] = {**own, key: given[key]}
            _show_at(places, given[key], ("scenarios", base, key), ("scenarios", name, key))


def _show_at(places: Places, value: Any, source: Path, target: Path) -> None:
    """Let a value and all in it be found at another path, too."""
    for path in (source, *paths_in(value, source)):
        for known in (places.values, places.keys):
            if path in known:
                known[*target, *path[len(source) :]] = known[path]


def paths_in(value: Any, path: Path) -> Iterator[Path]:
    """Yield the paths of all that is inside a value."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from paths_in(item, (*path, key))
