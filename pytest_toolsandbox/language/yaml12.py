"""YAML 1.2, read safely and within limits, with the place of every value.

PyYAML follows YAML 1.1, under which the argument ``on: true`` becomes the key ``True``, ``12:30``
the number 750 and ``+34600`` an integer. Here plain scalars are text unless YAML 1.2's core schema
makes them null, a boolean or a decimal number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import yaml

from .mistakes import Mistake, Path, Places, ScenarioError

MAX_BYTES = 1_000_000
MAX_DEPTH = 50
MAX_VALUES = 100_000
"""How many values a document may have when its aliases are written out."""


class _Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]  # whichever PyYAML was built with
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  # PyYAML's


for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^-?(?:0|[1-9][0-9]*)$", list("-0123456789")),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def read_yaml(content: bytes, path: str) -> tuple[Any, Places]:
    """Return the document as JSON values, with the places of its values and keys.

    Raises :class:`ScenarioError` for what is no UTF-8, no YAML, more than one document, tagged,
    too large, too deep, or has keys that are no text or stand twice.
    """
    text = _decoded(content, path)
    try:
        _measure_depth(text, path)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        parts = (error.context, error.problem)
        raise _error(path, mark, ", ".join(filter(None, parts)) or "this is no YAML") from None
    except yaml.reader.ReaderError as error:
        raise _unreadable(path, text, error) from None
    return _Builder(path).build(node)


class _Builder:
    """Turns nodes into values; an alias is written out each time that it stands."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.places = Places()
        self.mistakes: list[Mistake] = []
        self.values = 0

    def build(self, node: yaml.Node | None) -> tuple[Any, Places]:
        value = self._value(node, ()) if node else None
        if self.mistakes:
            raise ScenarioError(self.path, self.mistakes)
        return value, self.places

    def _value(self, node: yaml.Node, path: Path) -> Any:
        self.values += 1
        if self.values > MAX_VALUES or len(path) > MAX_DEPTH:
            raise _error(self.path, node.start_mark, "aliases make the document too large")
        self.places.values[path] = _place(node.start_mark)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            self._check_tag(node, "seq")
            return [self._value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        self._check_tag(node, "map")
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != _TAG + "str":
                self._note(key_node, f"a key must be text; write {_quoted(key)}")
            elif key in mapping:
                first = self.places.keys[*path, key][0]
                self._note(key_node, f"duplicate key {key!r} (first on line {first})")
            else:
                self.places.keys[*path, key] = _place(key_node.start_mark)
                mapping[key] = self._value(value_node, (*path, key))
        return mapping

    def _scalar(self, node: yaml.Node) -> Any:
        read = _SCALARS.get(node.tag.removeprefix(_TAG))
        if read is None:
            self._note(node, f"the tag {node.tag.replace(_TAG, '!!')} is not allowed")
            return None
        try:
            value = read(node.value)
        except ValueError:
            self._note(node, f"{node.value[:40]!r} is no value of its tag, or out of range")
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self._note(node, f"{node.value[:40]!r} is out of range")
        return value

    def _check_tag(self, node: yaml.Node, tag: str) -> None:
        if node.tag != _TAG + tag:
            self._note(node, f"the tag {node.tag.replace(_TAG, '!!')} is not allowed")

    def _note(self, node: yaml.Node, text: str) -> None:
        self.mistakes.append(Mistake(*_place(node.start_mark), "", text))


_TAG = "tag:yaml.org,2002:"
_SCALARS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": lambda text: text.lower() == "true",
    "null": lambda _: None,
}


def _decoded(content: bytes, path: str) -> str:
    if len(content) > MAX_BYTES:
        text = f"the file has {len(content)} bytes; at most {MAX_BYTES} are allowed"
        raise ScenarioError(path, [Mistake(1, 1, "", text)])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        text = f"the byte 0x{content[error.start]:02x} is not UTF-8; is this a text file?"
        raise ScenarioError(path, [Mistake(line, column, "", text)]) from None


def _measure_depth(text: str, path: str) -> None:
    """Refuse deep nesting before the composer, which is recursive, meets it."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise _error(path, event.start_mark, f"nested deeper than {MAX_DEPTH} levels")


def _unreadable(path: str, text: str, error: yaml.reader.ReaderError) -> ScenarioError:
    position = error.position
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    character = error.character  # an int under libyaml, text otherwise
    code = character if isinstance(character, int) else ord(character[0])
    problem = f"the character #x{code:04x} is not allowed in YAML"
    return ScenarioError(path, [Mistake(line, column, "", problem)])


def _error(path: str, mark: Any, text: str) -> ScenarioError:
    line, column = _place(mark) if mark else (1, 1)
    return ScenarioError(path, [Mistake(line, column, "", text)])


def _place(mark: Any) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


def _quoted(key: Any) -> str:
    return f'"{key}" in quotes' if isinstance(key, str) else "a plain name"
