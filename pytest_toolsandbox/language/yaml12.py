"""Reads YAML 1.2 safely, with limits and the place of every value; writes YAML for both versions.

PyYAML implements YAML 1.1, in which the argument ``on: true`` becomes the key ``True``, ``12:30``
the number 750 and ``+34600`` an integer. Here, plain scalars are text unless YAML 1.2's core schema
makes them null, a boolean or a decimal number. Numbers with a plus sign or leading zeros are text
too, since they are telephone numbers or codes.

The writer quotes every text that YAML 1.1 or YAML 1.2 would not read as text.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import yaml

from pytest_toolsandbox.text.formatting import TEXT_LIMIT, quote, truncate

from .mistakes import Mistake, Path, Places, ScenarioError, dotted

MAX_BYTES = 1_000_000
MAX_NESTING = 50
MAX_ENTRIES = 5_000
"""The largest number of values in a list, and of keys in a mapping."""
MAX_VALUES = 100_000
"""The largest number of values in a document with its aliases expanded."""

_DEEP = f"nested deeper than {MAX_NESTING} levels"

_MAY_BE_DEEP = 500
"""With fewer brackets or blanks, a document cannot be nested too deeply."""
_DEEPEST = "exceeded maximum nesting depth"
"""libyaml's error for a thousand levels."""
_INDENTED = re.compile(rf"^[ \t?:-]{{{_MAY_BE_DEEP}}}", re.MULTILINE)

_TAG = "tag:yaml.org,2002:"
_PLAIN: dict[str, tuple[str, str]] = {
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": (r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
    "float": (r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", "-.0123456789"),
    "null": (r"~|null|Null|NULL|", "~nN"),
}
"""Tag → the pattern of its plain scalars, and their first characters."""
_READ: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": lambda text: text.lower() == "true",
    "null": lambda _: None,
}
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


class _Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]  # whichever PyYAML was built with
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  # PyYAML's


# PyYAML selects resolvers by the first character. Only null may be empty.
for _name, (_pattern, _first) in _PLAIN.items():
    _Loader.add_implicit_resolver(
        _TAG + _name, re.compile(rf"^(?:{_pattern})$"), [*_first, *([""] * (_name == "null"))]
    )


def read_yaml(content: bytes, path: str) -> tuple[Any, Places]:
    """Return the document as JSON values, with the places of its values and keys.

    Raises :class:`ScenarioError` if it is not UTF-8 or YAML, is too large or too deep, or contains
    tags, several documents, duplicate keys or keys that are not text.
    """
    text = _decoded(content, path)
    try:
        _measure(text, path)
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text, path) from None
    builder = _Builder(path)
    value = builder.value(node, ()) if node else None
    if builder.mistakes:
        raise ScenarioError(path, builder.mistakes)
    return value, builder.places


class LimitError(yaml.MarkedYAMLError):
    """YAML that this program would not write: deeply nested, or with aliases."""


class _Once(dict[Any, Any]):
    """Refuses aliases: PyYAML looks up the values of nodes here only for them."""

    def __getitem__(self, node: yaml.Node) -> Any:
        problem = "an alias refers to this value; write it out"
        raise LimitError(problem=problem, problem_mark=node.start_mark)


class _PlainLoader(_Loader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.constructed_objects = _Once()


def load_yaml(text: str) -> Any:
    """Read a document that this program wrote, ten times as fast as with places.

    Raises ``yaml.YAMLError``, :class:`LimitError` for what it would not write, and ``ValueError``
    for invalid values.
    """
    try:
        if text.count("[") + text.count("{") > _MAY_BE_DEEP or _INDENTED.search(text):
            _refuse_deep(text)
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506  # it is a safe one
    except yaml.MarkedYAMLError as error:
        if _DEEPEST not in str(error.problem):
            raise
        raise _too_deep(error.problem_mark) from None


def _refuse_deep(text: str) -> None:
    """Refuse deep nesting before the composer recurses, which would crash the process."""
    depth = 0
    event: Any
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAY_BE_DEEP:
            raise _too_deep(event.start_mark)


def _too_deep(mark: yaml.Mark | None) -> LimitError:
    return LimitError(problem=f"nested deeper than {_MAY_BE_DEEP} levels", problem_mark=mark)


class _Builder:
    """Converts nodes to values, with aliases expanded."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.places = Places()
        self.mistakes: list[Mistake] = []
        self.values = 0
        self.enclosing: set[int] = set()

    def value(self, node: yaml.Node, path: Path) -> Any:
        self.values += 1
        # Nested aliases grow exponentially ("billion laughs"), so expanded values are counted.
        if self.values > MAX_VALUES:
            text = f"with its aliases written out, the file has more than {MAX_VALUES} values"
            raise self._error(node, path, text)
        self.places.values[path] = _place(node.start_mark)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        # libyaml accepts an alias to an enclosing node, which would recurse for ever.
        if id(node) in self.enclosing:
            text = "an alias refers to a value that contains it"
            raise self._error(node, path, text)
        # ``_measure`` sees the nesting of the text only; aliases can add levels to it.
        if len(path) > MAX_NESTING:
            raise self._error(node, path, f"{_DEEP} by its aliases")
        self.enclosing.add(id(node))
        is_mapping = isinstance(node, yaml.MappingNode)
        if node.tag != _TAG + ("map" if is_mapping else "seq"):
            self._note(node, path, _no_tag(node))
        value: dict[str, Any] | list[Any]
        if is_mapping:
            value = self._mapping(node, path)
        else:
            value = [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        self.enclosing.remove(id(node))
        return value

    def _mapping(self, node: yaml.Node, path: Path) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != _TAG + "str":
                self._note(key_node, path, _no_key(key_node))
                continue
            key = key_node.value
            here = (*path, key)
            # A quoted "<<" is an ordinary key.
            if key == "<<" and not key_node.style:
                self._note(key_node, here, "YAML 1.2 has no merge keys; write the keys out")
            elif key in mapping:
                first = self.places.keys[here][0]
                self._note(key_node, here, f"duplicate key (the first one is on line {first})")
            else:
                self.places.keys[here] = _place(key_node.start_mark)
                mapping[key] = self.value(value_node, here)
        return mapping

    def _scalar(self, node: yaml.ScalarNode, path: Path) -> Any:
        tag = node.tag.removeprefix(_TAG)
        if tag not in _READ:
            text = _no_tag(node)
        elif tag in _PLAIN and not re.fullmatch(_PLAIN[tag][0], node.value):
            text = f"{quote(node.value)} is not a valid !!{tag}"
        else:
            text = f"the number {truncate(node.value, TEXT_LIMIT)} is out of range"
            # ValueError: more digits than Python converts. OverflowError: beyond all floats.
            with contextlib.suppress(ValueError, OverflowError):
                value = _READ[tag](node.value)
                if not isinstance(value, int | float) or math.isfinite(value):
                    return value
        return self._note(node, path, text)

    def _note(self, node: yaml.Node, path: Path, text: str) -> None:
        self.mistakes.append(Mistake(*_place(node.start_mark), dotted(path), text))

    def _error(self, node: yaml.Node, path: Path, text: str) -> ScenarioError:
        return ScenarioError(self.path, [Mistake(*_place(node.start_mark), dotted(path), text)])


def _no_tag(node: yaml.Node) -> str:
    return f"the tag {truncate(node.tag.replace(_TAG, '!!'), TEXT_LIMIT)} is not allowed"


def _no_key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        what = "a mapping" if isinstance(node, yaml.MappingNode) else "a list"
        return f"a key must be text, found {what}"
    tag = node.tag.removeprefix(_TAG)
    if tag not in _READ:
        return _no_tag(node)
    what = {"bool": "a boolean", "null": "null"}.get(tag, "a number")
    return (
        f'a key must be text, found {what}; put it in quotes: "{truncate(node.value, TEXT_LIMIT)}"'
    )


def _decoded(content: bytes, path: str) -> str:
    if len(content) > MAX_BYTES:
        raise ScenarioError(path, [Mistake(1, 1, "", f"the file has more than {MAX_BYTES} bytes")])
    try:
        # Editors on Windows write a byte order mark, which is not part of the first key.
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        problem = f"the byte 0x{content[error.start]:02x} is not UTF-8; is this a text file?"
        raise _error_after(before, path, problem) from None
    if unprintable := _UNPRINTABLE.search(text):
        problem = f"the character U+{ord(unprintable[0]):04X} is not allowed in YAML"
        raise _error_after(text[: unprintable.start()], path, problem)
    return text


def _measure(text: str, path: str) -> None:
    """Refuse too deep and too long documents before the recursive composer reads them."""
    room = [MAX_ENTRIES]  # in each enclosing collection
    for event in yaml.parse(text, Loader=_Loader):
        # Aliases are node events, too. A mapping has two nodes per entry, hence the factor below.
        if isinstance(event, yaml.NodeEvent):
            room[-1] -= 1
        if isinstance(event, yaml.CollectionStartEvent):
            room.append(MAX_ENTRIES * (1 + isinstance(event, yaml.MappingStartEvent)))
        elif isinstance(event, yaml.CollectionEndEvent):
            room.pop()
        is_deep = len(room) > MAX_NESTING + 1
        if is_deep or room[-1] < 0:
            much = f"more than {MAX_ENTRIES:,} entries in one list or mapping"
            problem = _DEEP if is_deep else much
            raise ScenarioError(path, [Mistake(*_place(event.start_mark), "", problem)])


def _syntax_error(error: yaml.MarkedYAMLError, text: str, path: str) -> ScenarioError:
    mark = error.problem_mark or error.context_mark
    line, column = _place(mark) if mark else (1, 1)
    problem = error.problem or "syntax error"
    if _DEEPEST in problem:
        return ScenarioError(path, [Mistake(line, column, "", _DEEP)])
    if error.context:
        start = error.context_mark.line + 1 if error.context_mark else line
        where = f" (from line {start})" if start != line else ""
        problem = f"{error.context}{where}, {problem}"
    hint = _hint(problem, text, line, column)
    return ScenarioError(path, [Mistake(line, column, "", f"invalid YAML: {problem}{hint}")])


_SHORT_RESULT: Final = re.compile(r"\$[A-Za-z_][\w.]*\Z")


def _hint(problem: str, text: str, line: int, column: int) -> str:
    if "cannot start any token" in problem:
        at_mistake = "".join(text.splitlines()[line - 1 : line])[column - 1 :]
        return "; indent with spaces" if at_mistake.startswith("\t") else "; put the text in quotes"
    before = "".join(text.splitlines()[line - 1 : line])[: column - 1]
    if "expected ','" in problem and _SHORT_RESULT.search(before):
        # A flow sequence ends a plain scalar at "[", as in ``[$tool[0].name]``.
        return '; put what is taken from a result in quotes: "$tool[0].name"'
    return next((hint for sign, hint in _HINTS.items() if sign in problem), "")


_HINTS: Final = {
    "while scanning a quoted scalar": "; close the quotes",
    "expected ','": "; close the brackets, and put commas between what is in them",
    "while parsing a block": "; look at the indentation, and at quotes and brackets above",
    "could not find expected ':'": "; put ': ' behind a key",
    "a tab character": "; indent with spaces",
    "undefined alias": "; put the text in quotes, or &NAME where it stands first",
    "while scanning an alias": "; put the text in quotes",
    "unknown escape character": "; write \\\\ for a backslash, or put the text in single quotes",
    "mapping values are not": (
        "; look at the indentation, and put a text with ': ' in it in quotes"
    ),
    "but found another document": "; write several scenarios in one file below scenarios:",
}
"""Part of a message of PyYAML or libyaml → how to correct it."""


def _error_after(before: str, path: str, text: str) -> ScenarioError:
    *lines, last = before.split("\n")
    return ScenarioError(path, [Mistake(len(lines) + 1, len(last) + 1, "", text)])


def _place(mark: Any) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


_LINE_WIDTH = 100
"""The line length at which texts are folded."""

_LIKE_A_NUMBER = re.compile(r"[-+]?\.?[0-9]")
_OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")
"""Line breaks of YAML 1.1 that YAML 1.2 does not have, or that this writer does not use."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        """Write repeated values in full."""
        del data
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists below their keys."""
        del indentless
        super().increase_indent(flow, indentless=False)


def _text_node(dumper: Any, text: str) -> yaml.Node:
    longest = _LINE_WIDTH if dumper.best_width == math.inf else math.inf
    return dumper.represent_scalar(_TAG + "str", text, style=_style(text, longest))  # type: ignore[no-any-return]


_Dumper.add_representer(str, _text_node)


def write_yaml(
    document: Mapping[str, Any], *, folded: bool = True, width: float = _LINE_WIDTH
) -> str:
    """Return a document of JSON values as YAML, with its keys in order.

    Long lines of texts are ``folded`` to a ``width``, or else kept in literal blocks if possible.
    Texts must not contain lone surrogates.
    """
    width = width if folded else math.inf
    text: str = yaml.dump(
        dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width
    )
    return text


def write_scalar(value: Any, *, in_brackets: bool) -> str:
    """Return a JSON value that is no list or mapping as a line of YAML, quoted where needed."""
    width = 20 * len(value) if isinstance(value, str) else math.inf
    text: str = yaml.dump(
        [value], Dumper=_Dumper, default_flow_style=in_brackets, allow_unicode=True, width=width
    )
    return text[1:-2] if in_brackets else text.removeprefix("- ").removesuffix("\n")


def _style(text: str, longest: float) -> str | None:
    """Return the required style of a text, ``None`` if PyYAML may choose.

    Texts of more than ``longest`` characters get a block.
    """
    is_long = "\n" in text or len(text) > longest
    # PyYAML decides by the rules of YAML 1.1, so numbers of YAML 1.2 need explicit quotes.
    if _OTHER_BREAKS.search(text) or (_LIKE_A_NUMBER.match(text) and not is_long):
        return '"'
    if not is_long:
        return None
    block = text if longest == math.inf else text.rstrip("\n")
    return "|" if block and block == text.strip() else '"'
