"""Loads the scenarios of a file.

What a query has from the one that it was made from.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.language.files import scenario_name
from pytest_toolsandbox.language.readers.scenario_reader import read_scenario
from pytest_toolsandbox.text.files import refuse_devices
from pytest_toolsandbox.text.formatting import describe_value, join_words

from .mistakes import Mistake, Mistakes, Path as FieldPath, Places, ScenarioError
from .scenario import Scenario
from .yaml12 import MAX_BYTES, read_yaml

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


def _show_at(places: Places, value: Any, source: FieldPath, target: FieldPath) -> None:
    """Let a value and all in it be found at another path, too."""
    for path in (source, *paths_in(value, source)):
        for known in (places.values, places.keys):
            if path in known:
                known[*target, *path[len(source) :]] = known[path]


def paths_in(value: Any, path: FieldPath) -> Iterator[FieldPath]:
    """Yield the paths of all that is inside a value."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from paths_in(item, (*path, key))


MOST_SCENARIOS = 2_000
MAX_MERGED = 400_000
"""How many values a file may have when its defaults are written out."""


def load_file(
    path: Path | str, *, shown: str | None = None, thresholds: Mapping[str, float] | None = None
) -> list[Scenario]:
    """Return the scenarios of a file: one, named after it, or those under ``scenarios:``.

    ``shown`` is how messages name the file. ``thresholds`` maps matchers to what they must reach
    where a scenario says nothing. Raises :class:`ScenarioError` with every mistake in the file.
    """
    path, shown = Path(path), shown or str(path)
    try:
        refuse_devices(path)
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)  # one more than allowed
    except OSError as error:
        mistake = Mistake(1, 1, "", f"the file cannot be read: {error.strerror}")
        raise ScenarioError(shown, [mistake]) from None
    return read_file(content, scenario_name(path), shown, thresholds)


def read_file(
    content: bytes, name: str, shown: str, thresholds: Mapping[str, float] | None = None
) -> list[Scenario]:
    """Return the scenarios of a file's content; ``name`` is that of one that stands alone."""
    document, places = read_yaml(content, shown)
    if not isinstance(document, dict):
        what = "the file is empty" if document is None else f"found {describe_value(document)}"
        text = f"expected a mapping of keys to values; {what}"
        raise ScenarioError(shown, [Mistake(*places.of(()), "", text)])
    if "scenarios" in document:
        return _load_several(document, places, shown, thresholds or {})
    mistakes = Mistakes(places)
    scenario = read_scenario(name, document, mistakes, thresholds or {})
    if scenario is None:
        raise ScenarioError(shown, mistakes.found)
    return [scenario]


def _load_several(
    document: dict[str, Any], places: Places, shown: str, thresholds: Mapping[str, float]
) -> list[Scenario]:
    parts = document["scenarios"]
    around = Mistakes(places)
    if not isinstance(parts, dict) or not parts:
        around.expected(("scenarios",), "names of scenarios, each with its own keys;", parts)
        raise ScenarioError(shown, around.found)
    if len(parts) > MOST_SCENARIOS:
        text = f"{len(parts):,} scenarios are too many for one file; {MOST_SCENARIOS:,} is the most"
        raise ScenarioError(shown, [Mistake(*places.of(("scenarios",)), "scenarios", text)])
    scenarios, noted = [], []
    left = MAX_MERGED
    keys = {
        name: {*document, *(own if isinstance(own, dict) else ())} for name, own in parts.items()
    }
    for name, own in parts.items():
        if not isinstance(own, dict | None):
            around.expected(("scenarios", name), "a mapping", own)
            continue
        take_from_base(parts, name, places)
        value, its_places = merged(document, places, name)
        left -= len(its_places.values)
        if left < 0:
            text = f"with its defaults written out, the file has more than {MAX_MERGED} values"
            raise ScenarioError(shown, [Mistake(*places.of(("scenarios",)), "scenarios", text)])
        mistakes = Mistakes(its_places, name if len(parts) > 1 else None)
        scenario = read_scenario(name, value, mistakes, thresholds, _Others(keys, name))
        noted.append((name, mistakes))
        if scenario is not None:
            scenarios.append(scenario)
    if len(scenarios) < len(parts):
        raise ScenarioError(shown, [*around.found, *_together(noted)])
    return scenarios


@dataclass(frozen=True)
class _Others(Mapping[str, Collection[str]]):
    """The keys of all scenarios but one; a copy for each would be slow."""

    keys_of: Mapping[str, Collection[str]]
    name: str

    def __getitem__(self, other: str) -> Collection[str]:
        if other == self.name:
            raise KeyError(other)
        return self.keys_of[other]

    def __iter__(self) -> Iterator[str]:
        return (other for other in self.keys_of if other != self.name)

    def __len__(self) -> int:
        return len(self.keys_of) - 1


def _together(noted: Sequence[tuple[str, Mistakes]]) -> Iterator[Mistake]:
    """Yield the mistakes of all scenarios, those in shared defaults once, with who has them."""
    sharing: dict[Mistake, list[str]] = {}
    for name, mistakes in noted:
        for mistake in dict.fromkeys(mistakes.found):
            if mistake in mistakes.shared:
                sharing.setdefault(mistake, []).append(name)
            else:
                yield mistake
    for mistake, names in sharing.items():
        where = "" if len(names) == len(noted) else f" (in {join_words(names, 'and')})"
        yield Mistake(mistake.line, mistake.column, mistake.field, mistake.text + where)


def merged(document: dict[str, Any], places: Places, name: str) -> tuple[dict[str, Any], Places]:
    """Return one scenario with its defaults, and the places where its parts stand."""
    root = ("scenarios", name)
    defaults = {key: value for key, value in document.items() if key != "scenarios"}
    value = copy.deepcopy(_merge(defaults, document["scenarios"][name] or {}))
    found = Places({(): places.of(root, key=True)})
    for path in paths_in(value, ()):
        own = (*root, *path)
        source = own if own in places.values else path
        found.values[path] = places.values[source]
        if source in places.keys:
            found.keys[path] = places.keys[source]
        if source is path:
            found.shared.add(path)
    return value, found


def _merge(defaults: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Merge mappings; lists and scalars replace, ``null`` deletes."""
    result = {**defaults, **own}
    for key in set(defaults) & set(own):
        if own[key] is None:
            del result[key]
        elif isinstance(own[key], dict) and isinstance(defaults[key], dict):
            result[key] = _merge(defaults[key], own[key])
    return result
