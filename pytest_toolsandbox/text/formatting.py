"""The words in which values and mistakes are put: in one line, cut, without what terminals obey.

What is read of a text that is too long: an agent may write megabytes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

VALUE_LIMIT: Final = 80
"""Characters of a value that a report or a message repeats."""

_COLOUR: Final = re.compile("\x1b\\[[0-9;:]*m")
_CONTROL: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def one_line(text: str, limit: int = 200, mark: str = "…") -> str:
    r"""Return ``text`` in one line, cut as :func:`cut` does and escaped.

    Control characters, half characters (lone surrogates) and what else cannot be printed stand
    there as Python escapes them: ``\x1b``, ``\ud83d``.
    """
    line = " ".join(text.split())[: limit + 1]
    return truncate(line if line.isprintable() else "".join(map(_escaped, line)), limit, mark)


def truncate(text: str, limit: int = VALUE_LIMIT, mark: str = "…") -> str:
    """Return at most ``limit`` characters of a text; ``mark`` stands where it was cut."""
    return text if len(text) <= limit else text[: limit - len(mark)] + mark


def escape_control(text: str) -> str:
    """Escape control and half characters, but no line ends and tabs; leave colours out."""
    if _CONTROL.search(text) is None:
        return text
    return _CONTROL.sub(lambda found: _escaped(found[0]), _COLOUR.sub("", text))


def escape_unprintable(text: str) -> str:
    """Escape all that cannot be printed, but no line ends and tabs."""
    return "".join(char if char in "\n\t" else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")


def format_value(value: Any) -> str:
    """Write a value the way a scenario might: ``'blue pot'``, ``null``, ``{name: 'Ada'}``."""
    if isinstance(value, str):
        return _quoted(truncate(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)}: {format_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(format_value, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}[str(value)]
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def with_threshold(text: str, threshold: float, usual: float) -> str:
    """Add a threshold to a description where it is not the usual one."""
    return text if threshold == usual else f"{text} (at least {threshold:g})"


def with_tolerance(to: float, tolerance: float) -> str:
    """Write a number with its tolerance, if it has any."""
    return f"{format_value(to)} ± {format_value(tolerance)}" if tolerance else format_value(to)


def _quoted(text: str) -> str:
    if "'" in text or not text.isprintable():
        return json.dumps(text, ensure_ascii=False)
    return f"'{text}'"


def _key(key: Any) -> str:
    return key if isinstance(key, str) and re.fullmatch(r"[^\W\d]\w*", key) else format_value(key)


TEXT_LIMIT = 60
"""Characters of a text that a message about a document repeats."""

JSON_TYPE_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
TYPE_NAMES = dict(zip((str, int, float, bool, list, dict), JSON_TYPE_NAMES.values(), strict=False))


def describe_value(value: Any) -> str:
    """Describe a value of a document by its type and, where it is short, itself."""
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {truncate(format_value(value), TEXT_LIMIT)}"
        case str():
            return f"the text {quote(value)}" if value else "an empty text"
        case list() | tuple() | Mapping():
            return _of_several(value)
        case _:
            return type_name(value)


def join_words(words: Sequence[str], conjunction: str = "or") -> str:
    """Write ``a, b or c``."""
    *most, last = words or ["none"]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def quote(text: str) -> str:
    """Write a text in quotes and in one line, cut where it is too long for a message."""
    return repr(truncate(text, TEXT_LIMIT))


def _of_several(values: Mapping[Any, Any] | Sequence[Any]) -> str:
    kind = "mapping" if isinstance(values, Mapping) else "list"
    if not values:
        return f"an empty {kind}"
    if kind == "list":
        return f"a list of {len(values)}"
    keys = [key if key.isprintable() else repr(key) for key in map(str, values)]
    return f"a mapping of {truncate(', '.join(keys), TEXT_LIMIT)}"


def pluralize(count: int, noun: str) -> str:
    """Write a number of things, such as ``1 file`` or ``2 files``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def type_name(value: object) -> str:
    """Write a value's type with its article, such as ``a list`` or ``an int``."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def replace_surrogates(text: str) -> str:
    """Return a plain text that can be written to a file: a mark stands for half of a character."""
    return str.encode(text, "utf-16", "surrogatepass").decode("utf-16", "replace")


def parse_fraction(text: str) -> float:
    """Read a number from 0 to 1. Raises ``ValueError``."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ValueError(f"{text.strip()!r} is no number from 0 to 1")
    return value


READ_LIMIT: Final = 20_000
"""Characters of a text that are read: some eight pages, which take all readers half a second."""
_HALF: Final = READ_LIMIT // 2
_NEAR: Final = 1000
"""How many of them may be left out so that no sentence, or at least no word, is read in part."""
_EDGES: Final = (re.compile(r"[.!?…][\"')\]*_]*\s|[。\uff01\uff1f]|\n"), re.compile(r"\s"))


def beginning_and_end(text: str) -> str:
    """Return a text of at most ``READ_LIMIT`` characters, else its beginning and its end.

    Both halves are cut at the end of a sentence, if there is one near.
    """
    if len(text) <= READ_LIMIT:
        return text
    start = len(text) - _HALF
    stop, start = _edge(text, _HALF - _NEAR, _HALF, -1), _edge(text, start, start + _NEAR, 0)
    return f"{text[:stop]}\n\n{text[start:]}"


def _edge(text: str, begin: int, end: int, which: int) -> int:
    """Return the last edge (-1), or the first one (0), between two places of a text."""
    for edge in _EDGES:
        if found := [match.end() for match in edge.finditer(text, begin, end)]:
            return found[which]
    return (begin, end)[which]
