"""The published entries of BFCL's multi-turn categories, with their ground truths.

https://github.com/ShishirPatil/gorilla/tree/main/berkeley-function-call-leaderboard
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.formatting import format_value

from .world import parameter_names

CATEGORIES: Final = ("base", "miss_func", "miss_param", "long_context")
"""The categories that are imported."""
_FILE: Final = "BFCL_v4_multi_turn_{}.json"
_ANSWERS: Final = "possible_answer"
DOCUMENTS: Final = "multi_turn_func_doc"
"""The folder with the documents of the methods."""

Calls = list[tuple[str, dict[str, Any]]]
"""Names of tools with their arguments."""


class EntryError(ValueError):
    """An entry is not as it was published; the text is one line."""


@dataclass(frozen=True)
class PublishedEntry:
    """An entry, with the calls of its ground truth for each turn.

    ``turns`` are what the user says, ``None`` if functions are added instead. ``added`` maps turns,
    counted from 0, to the functions that are offered from there on.
    """

    identifier: str
    category: str
    turns: tuple[str | None, ...]
    truth: tuple[Calls, ...]
    classes: tuple[str, ...]
    start: Mapping[str, Any]
    added: Mapping[int, tuple[str, ...]]

    @property
    def number(self) -> str:
        """The number of the entry, which is the same in all categories."""
        return self.identifier.rpartition("_")[2]


def data_folder(path: Path) -> Path:
    """Return the folder of the data below a checkout, a package or the folder itself.

    Raises :class:`EntryError`.
    """
    places = (path, path / "data", path / "bfcl_eval" / "data")
    checkout = path / "berkeley-function-call-leaderboard" / "bfcl_eval" / "data"
    for place in (*places, checkout):
        if (place / _FILE.format(CATEGORIES[0])).is_file():
            return place
    raise EntryError(f"{path}: expected a folder with {_FILE.format(CATEGORIES[0])}, found none")


def published_entries(
    data: Path, category: str, tools: Mapping[str, str], damage: list[str]
) -> Iterator[PublishedEntry]:
    """Yield the entries of a category, and note in ``damage`` those that cannot be read.

    ``tools`` maps the names of methods to their classes. Raises ``OSError``.
    """
    file = data / _FILE.format(category)
    lines = _lines(data / _ANSWERS / file.name, damage)
    answers = {answer.get("id"): answer for _, answer in lines}
    for place, entry in _lines(file, damage):
        try:
            yield _entry(entry, answers[entry["id"]]["ground_truth"], category, tools)
        except (EntryError, LookupError, TypeError, ValueError, AttributeError) as error:
            what = str(error) if isinstance(error, EntryError) else f"not as published: {error!r}"
            damage.append(f"{place}: {what}")


def _lines(file: Path, damage: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            values = json.loads(line)
        except ValueError as error:
            damage.append(f"{file}:{number}: this is not JSON: {error}")
            continue
        if isinstance(values, dict):
            yield f"{file}:{number}", values
        else:
            damage.append(f"{file}:{number}: expected an object, found {format_value(values)}")


def _entry(
    entry: Mapping[str, Any],
    truth: Sequence[Sequence[str]],
    category: str,
    tools: Mapping[str, str],
) -> PublishedEntry:
    classes = tuple(entry["involved_classes"])
    turns = tuple(_user_text(messages) for messages in entry["question"])
    if len(turns) != len(truth):
        raise EntryError(f"it has {len(turns)} turns, and {len(truth)} in its ground truth")
    added = entry.get("missed_function", {}).items()
    return PublishedEntry(
        entry["id"],
        category,
        turns,
        tuple([_call(text, classes, tools) for text in calls] for calls in truth),
        classes,
        {name: entry["initial_config"].get(name, {}) for name in classes},
        {int(turn): tuple(names) for turn, names in added},
    )


def _user_text(messages: Sequence[Mapping[str, str]]) -> str | None:
    if any(message["role"] != "user" for message in messages):
        raise EntryError("a message of a turn is not the user's")
    return "\n".join(message["content"] for message in messages) or None


def _call(
    text: str, classes: Sequence[str], tools: Mapping[str, str]
) -> tuple[str, dict[str, Any]]:
    """Return the tool and the arguments of a call that is written as in Python."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise EntryError(f"a call cannot be read: {text}") from None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise EntryError(f"this is not a call of a function: {text}")
    name = node.func.id
    if tools.get(name) not in classes:
        raise EntryError(f"no class of the entry has {name!r}: {text}")
    names = parameter_names(tools[name], name)
    try:
        positional = dict(zip(names, map(ast.literal_eval, node.args), strict=False))
        named = {str(part.arg): ast.literal_eval(part.value) for part in node.keywords}
    except ValueError:
        raise EntryError(f"an argument is not a plain value: {text}") from None
    return name, {**positional, **named}
