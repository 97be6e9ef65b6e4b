"""Load scenario files: one scenario, or several under ``scenarios:`` with shared defaults.

A query that only rewords its ``base`` takes the answer and the solutions of that query.
"""

from __future__ import annotations

import marshal
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.language.files import scenario_name
from pytest_toolsandbox.language.readers.scenario_reader import InFile, read_scenario
from pytest_toolsandbox.text.files import refuse_devices
from pytest_toolsandbox.text.formatting import describe_value, join_words

from .mistakes import Mistake, Mistakes, Path as FieldPath, Places, ScenarioError
from .scenario import Scenario
from .yaml12 import MAX_BYTES, read_yaml

MAX_MERGED = 400_000
"""How many values a file may have when its defaults are written out."""
_MAX_SCENARIOS = 2_000
_SAME_ANSWER: Final = ("sentences", "irrelevance")
"""The manners of rewording a query that change neither its answer nor its solutions."""
_INHERITED: Final = ("answer", "solutions", "finish")


class ScenarioDocument(NamedTuple):
    """A scenario as it is written, with the defaults of its file, and the places of its values."""

    name: str
    content: dict[str, Any]
    places: Places
    in_file: InFile

    def read(self, content: Mapping[str, Any]) -> Scenario | None:
        """Return the scenario that other content makes; ``None`` if it has mistakes."""
        return read_scenario(self.name, dict(content), Mistakes(self.places), self.in_file)


def scenario_documents(path: Path) -> list[ScenarioDocument]:
    """Return the documents of the scenarios of a file. Raises :class:`ScenarioError`."""
    load_file(path)
    document, places = read_yaml(path.read_bytes(), str(path))
    in_file = InFile({}, path.parent)
    if "scenarios" not in document:
        return [ScenarioDocument(scenario_name(path), document, places, in_file)]
    parts = document["scenarios"]
    keys = {name: {*document, *(part or ())} for name, part in parts.items()}
    documents = []
    for name in parts:
        _inherit_from_base(parts, name, places)
        with_siblings = replace(in_file, siblings=_Siblings(keys, name))
        documents.append(ScenarioDocument(name, *merged(document, places, name), with_siblings))
    return documents


class _Siblings(Mapping[str, Collection[str]]):
    """The keys of a file's scenarios by name, without one; a copy for each would be quadratic."""

    def __init__(self, keys: Mapping[str, Collection[str]], without: str) -> None:
        self._keys, self._without = keys, without

    def __getitem__(self, name: str) -> Collection[str]:
        if name == self._without:
            raise KeyError(name)
        return self._keys[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._keys if name != self._without)

    def __len__(self) -> int:
        return len(self._keys) - 1


def load_file(
    path: Path | str, *, shown: str | None = None, thresholds: Mapping[str, float] | None = None
) -> list[Scenario]:
    """Return the scenarios of a file: one, named after it, or those under ``scenarios:``.

    Messages call the file ``shown``. ``thresholds`` maps matchers to default thresholds. Raises
    :class:`ScenarioError` with every mistake in the file.
    """
    path, shown = Path(path), shown or str(path)
    try:
        refuse_devices(path)
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)  # one more than allowed
    except OSError as error:
        mistake = Mistake(1, 1, "", f"the file cannot be read: {error.strerror}")
        raise ScenarioError(shown, [mistake]) from None
    return read_file(content, scenario_name(path), shown, thresholds, path.parent)


def read_file(
    content: bytes,
    name: str,
    shown: str,
    thresholds: Mapping[str, float] | None = None,
    folder: Path = Path(),
) -> list[Scenario]:
    """Return the scenarios of a file's content; a file with just one gives it ``name``.

    Files that they name are relative to ``folder``.
    """
    document, places = read_yaml(content, shown)
    if not isinstance(document, dict):
        what = "the file is empty" if document is None else f"found {describe_value(document)}"
        text = f"expected a mapping of keys to values; {what}"
        raise ScenarioError(shown, [Mistake(*places.of(()), "", text)])
    in_file = InFile(thresholds or {}, folder)
    if "scenarios" in document:
        return _load_several(document, places, shown, in_file)
    mistakes = Mistakes(places)
    scenario = read_scenario(name, document, mistakes, in_file)
    if scenario is None:
        raise ScenarioError(shown, mistakes.entries)
    return [scenario]


def _load_several(
    document: dict[str, Any], places: Places, shown: str, in_file: InFile
) -> list[Scenario]:
    parts, path = document["scenarios"], ("scenarios",)
    file_mistakes = Mistakes(places)
    if not isinstance(parts, dict) or not parts:
        file_mistakes.expected(path, "names of scenarios, each with its own keys;", parts)
        raise ScenarioError(shown, file_mistakes.entries)
    if len(parts) > _MAX_SCENARIOS:
        file_mistakes.add(
            path, f"the file has {len(parts):,} scenarios; at most {_MAX_SCENARIOS:,} are allowed"
        )
        raise ScenarioError(shown, file_mistakes.entries)
    keys = {
        name: {*document, *(part if isinstance(part, dict) else ())} for name, part in parts.items()
    }
    scenarios, noted, values_left, listed = [], [], MAX_MERGED, 0
    for name, part in parts.items():
        if not isinstance(part, dict | None):
            file_mistakes.expected((*path, name), "a mapping", part)
            continue
        _inherit_from_base(parts, name, places)
        merged_document, merged_places = merged(document, places, name)
        values_left -= len(merged_places.values)
        if values_left < 0:
            text = f"with its defaults written out, the file has more than {MAX_MERGED} values"
            raise ScenarioError(shown, [Mistake(*places.of(path), "scenarios", text)])
        mistakes = Mistakes(merged_places, name if len(parts) > 1 else None, listed)
        with_siblings = replace(in_file, siblings=_Siblings(keys, name))
        scenario = read_scenario(name, merged_document, mistakes, with_siblings)
        noted.append((name, mistakes))
        listed += len(mistakes.entries)
        if scenario is not None:
            scenarios.append(scenario)
    if len(scenarios) < len(parts):
        raise ScenarioError(shown, [*file_mistakes.entries, *_all_mistakes(noted)])
    return scenarios


def _inherit_from_base(parts: dict[str, Any], name: str, places: Places) -> None:
    """Give a scenario the keys that it leaves out and its base has; mistakes point to the base."""
    part = parts[name]
    if not part or part.get("manner") not in _SAME_ANSWER or not isinstance(part.get("base"), str):
        return
    base: Any = parts.get(part["base"])
    for key in _INHERITED if isinstance(base, dict) else ():
        if key in base and key not in part:
            part = parts[name] = {**part, key: base[key]}
            source = ("scenarios", part["base"], key)
            for path in (source, *_paths_in(base[key], source)):
                target = ("scenarios", name, *path[2:])
                for known in (places.values, places.keys):
                    if path in known:
                        known[target] = known[path]


def _paths_in(value: Any, path: FieldPath) -> list[FieldPath]:
    """Return the paths of all values inside a value."""
    paths: list[FieldPath] = []

    def visit(value: dict[str, Any] | list[Any], path: FieldPath) -> None:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            paths.append(inner := (*path, key))
            if isinstance(item, dict | list):
                visit(item, inner)

    if isinstance(value, dict | list):
        visit(value, path)
    return paths


def _all_mistakes(noted: Sequence[tuple[str, Mistakes]]) -> Iterator[Mistake]:
    """Yield the mistakes of all scenarios; one in the defaults once, with the scenarios it hits."""
    affected: dict[Mistake, list[str]] = {}
    for name, mistakes in noted:
        for mistake in dict.fromkeys(mistakes.entries):
            if mistake in mistakes.shared:
                affected.setdefault(mistake, []).append(name)
            else:
                yield mistake
    for mistake, names in affected.items():
        where = "" if len(names) == len(noted) else f" (in {join_words(names, 'and')})"
        yield Mistake(mistake.line, mistake.column, mistake.field, mistake.text + where)


def merged(document: dict[str, Any], places: Places, name: str) -> tuple[dict[str, Any], Places]:
    """Return one scenario with its defaults, and the places of its values."""
    root = ("scenarios", name)
    defaults = {key: value for key, value in document.items() if key != "scenarios"}
    packed = marshal.dumps(_merge(defaults, document["scenarios"][name] or {}))
    value = marshal.loads(packed)  # noqa: S302  # our own; a quarter of deepcopy's time
    merged_places = Places({(): places.of(root, key=True)})
    for path in _paths_in(value, ()):
        scenario_path = (*root, *path)
        source = scenario_path if scenario_path in places.values else path
        merged_places.values[path] = places.values[source]
        if source in places.keys:
            merged_places.keys[path] = places.keys[source]
        if source is path:
            merged_places.shared.add(path)
    return value, merged_places


def _merge(defaults: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """Merge mappings; lists and scalars replace, ``null`` deletes."""
    result = {**defaults, **overrides}
    for key in set(defaults) & set(overrides):
        if overrides[key] is None:
            del result[key]
        elif isinstance(overrides[key], dict) and isinstance(defaults[key], dict):
            result[key] = _merge(defaults[key], overrides[key])
    return result
