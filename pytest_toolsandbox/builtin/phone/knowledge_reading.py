"""Reading YAML whose values are text unless a field is known to be a number.

So a phone number needs no quotes, and ``no`` stays a text. All mistakes of a file are reported at
once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

Node = yaml.Node

_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_SHOWN = 40


@dataclass(frozen=True)
class FieldKind:
    """The kind of a value: its name, and a function that reads it or raises ``ValueError``."""

    expected: str
    read: Callable[[Node], Any]
    optional: bool = False


@dataclass(frozen=True)
class File:
    """A file that is being read, and the list of its mistakes."""

    path: Path
    mistakes: list[str]

    def note(self, node: Node | None, where: str, expected: str, actual: str) -> None:
        """Note what was found at a node, or at the start of the file, instead of the expected."""
        line = node.start_mark.line + 1 if node else 1
        self._note(line, f"{where}: expected {expected}, found {actual}")

    def document(self) -> Node | None:
        """Return what is in the file; None if there is no file, or nothing or no YAML in it."""
        if not self.path.exists():
            return None
        try:
            node: Node | None = yaml.compose(self.path.read_text("utf-8-sig"), Loader=_Loader)
        except UnicodeDecodeError:
            self._note(1, "expected text in UTF-8, found other bytes")
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self._note(mark.line + 1 if mark else 1, f"expected YAML, found none: {error.problem}")
        except yaml.YAMLError:
            self._note(1, "expected YAML, found a character that it does not allow")
        else:
            return node
        return None

    def items(self, node: Node, where: str, count: int | None = None) -> Sequence[Node]:
        """Return the items of a list; a mistake if it is no list, or has not that many."""
        if not isinstance(node, yaml.SequenceNode):
            self.note(node, where, "a list", described(node))
            return ()
        items: Sequence[Node] = node.value
        if count is not None and len(items) != count:
            self.note(node, where, f"{count} items", str(len(items)))
        return items

    def fields(self, node: Node, where: str) -> dict[str, Node]:
        """Return the fields of a mapping; none, and a mistake, if it is no mapping."""
        fields: dict[str, Node] = {}
        if not isinstance(node, yaml.MappingNode):
            self.note(node, where, "fields", described(node))
            return fields
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.note(key, where, "the name of a field", described(key))
            elif key.value in fields:
                self.note(key, where, f"{key.value!r} once", "it twice")
            else:
                fields[key.value] = value
        return fields

    def parts(
        self, node: Node, needed: Iterable[str], allowed: Collection[str], where: str
    ) -> dict[str, Node]:
        """Return the fields of a mapping; a mistake for each that is missing or unknown."""
        fields = self.fields(node, where)
        for name in fields:
            if name not in allowed:
                self.note(fields[name], where, f"one of {', '.join(allowed)}", repr(name))
        for name in needed:
            if name not in fields and isinstance(node, yaml.MappingNode):
                self.note(node, where, f"a field {name!r}", "none")
        return {name: fields[name] for name in allowed if name in fields}

    def record(self, node: Node, kinds: Mapping[str, FieldKind], where: str) -> dict[str, Any]:
        """Return the fields of a mapping, each of its kind, in the order of ``kinds``."""
        needed = [name for name, kind in kinds.items() if not kind.optional]
        parts = self.parts(node, needed, kinds.keys(), where)
        return {name: self.value(parts[name], kinds[name], f"{where}.{name}") for name in parts}

    def value(self, node: Node, kind: FieldKind, where: str) -> Any:
        """Return a value; None, and a mistake, if it is of another kind."""
        try:
            return kind.read(node)
        except ValueError:
            self.note(node, where, kind.expected, described(node))
            return None

    def _note(self, line: int, text: str) -> None:
        self.mistakes.append(f"{self.path}:{line}: {text}")


def described(node: Node) -> str:
    """Describe in a few words what a file has."""
    if isinstance(node, yaml.MappingNode):
        return "fields"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    text = str(node.value)
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…") if text else "nothing"


def optional(kind: FieldKind) -> FieldKind:
    """Return the kind of a field that may be absent."""
    return replace(kind, optional=True)


def number_in(minimum: float, maximum: float = math.inf) -> FieldKind:
    """Return the kind of a number in a range, written with digits and at most one point."""
    in_words = "a number" + f" of {_digits(minimum)} or more" * (minimum > -math.inf)
    if maximum < math.inf:
        in_words = f"a number from {_digits(minimum)} to {_digits(maximum)}"

    def read(node: Node) -> float:
        written = _text(node)
        if not re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", written):
            raise ValueError
        number = float(written) if "." in written else int(written)
        if not minimum <= number <= maximum:
            raise ValueError
        return number

    return FieldKind(in_words, read)


def matching(pattern: str, in_words: str) -> FieldKind:
    """Return the kind of a text that matches a regular expression as a whole."""
    return among(re.compile(pattern, re.ASCII).fullmatch, in_words)


def among(allowed: Callable[[str], object], in_words: str) -> FieldKind:
    """Return the kind of a text of which ``allowed`` is true. It may raise ``ValueError``."""

    def read(node: Node) -> str:
        written = _text(node)
        if not allowed(written):
            raise ValueError
        return written

    return FieldKind(in_words, read)


def _digits(limit: float) -> str:
    return f"{limit:f}".rstrip("0").rstrip(".")


def _text(node: Node) -> str:
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise ValueError
    return str(node.value)


def _texts(node: Node) -> list[str]:
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise ValueError
    return [_text(item) for item in node.value]


TEXT = FieldKind("text", _text)
TEXTS = FieldKind("a list of texts", _texts)
