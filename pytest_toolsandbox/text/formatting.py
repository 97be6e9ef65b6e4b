"""Formats values and texts for messages: truncated, escaped, quoted, listed, counted.

Also limits what is read of a long text, since an agent may write megabytes.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

VALUE_LIMIT: Final = 80
"""How many characters of a value a message repeats."""

_COLOUR: Final = re.compile("\x1b\\[[0-9;:]*m")
_CONTROL: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def one_line(text: str, limit: int = 200, mark: str = "…") -> str:
    r"""Return ``text`` in one line, truncated, with Python's escapes of unprintable characters.

    These include control characters and lone surrogates: ``\x1b``, ``\ud83d``.
    """
    line = " ".join(text.split())[: limit + 1]
    return truncate(line if line.isprintable() else "".join(map(_escaped, line)), limit, mark)


def wrap_line(line: str, width: int = 80) -> list[str]:
    """Return a line in parts of at most ``width`` columns, the later ones indented.

    A command, which is indented, stays whole, so that it can be copied; so does a long word.
    """
    if len(line) <= width or line.startswith(" "):
        return [line]
    return textwrap.wrap(
        line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def truncate(text: str, limit: int = VALUE_LIMIT, mark: str = "…") -> str:
    """Return at most ``limit`` characters of a text; a truncated one ends with ``mark``."""
    return text if len(text) <= limit else text[: limit - len(mark)] + mark


def escape_control(text: str) -> str:
    """Escape control characters and lone surrogates, except line ends and tabs; remove colours."""
    if _CONTROL.search(text) is None:
        return text
    return _CONTROL.sub(lambda match: _escaped(match[0]), _COLOUR.sub("", text))


def escape_unprintable(text: str) -> str:
    """Escape unprintable characters, except line ends and tabs."""
    return "".join(char if char in "\n\t" else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")


def format_value(value: Any) -> str:
    """Format a value as a scenario would write it: ``'blue pot'``, ``null``, ``{name: 'Ada'}``."""
    if isinstance(value, str):
        return _quoted(truncate(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)}: {format_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(format_value, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}[str(value)]
    return _json(value) if value is None or isinstance(value, bool) else str(value)


def with_threshold(text: str, threshold: float, default: float) -> str:
    """Add a threshold to a description unless it is the default."""
    return text if threshold == default else f"{text} (at least {threshold:g})"


def with_tolerance(to: float, tolerance: float) -> str:
    """Format a number with its tolerance, if it has one."""
    return f"{format_value(to)} ± {format_value(tolerance)}" if tolerance else format_value(to)


def _quoted(text: str) -> str:
    if "'" in text or not text.isprintable():
        return _json(text)
    return f"'{text}'"


def _json(value: str | bool | None) -> str:
    import json  # as slow to import as this module, which each command imports

    return json.dumps(value, ensure_ascii=False)


def _key(key: Any) -> str:
    return key if isinstance(key, str) and re.fullmatch(r"[^\W\d]\w*", key) else format_value(key)


TEXT_LIMIT = 60
"""How many characters of a text a message repeats."""

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
    """Describe a value of a document by its type and, if it is short, its content."""
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
            return _describe_collection(value)
        case _:
            return type_name(value)


def join_words(words: Sequence[str], conjunction: str = "or") -> str:
    """Join words as ``a, b or c``."""
    *most, last = words or ["none"]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def quote(text: str) -> str:
    """Quote a text in one line, truncated to ``TEXT_LIMIT`` characters."""
    return repr(truncate(text, TEXT_LIMIT))


def _describe_collection(values: Mapping[Any, Any] | Sequence[Any]) -> str:
    kind = "mapping" if isinstance(values, Mapping) else "list"
    if not values:
        return f"an empty {kind}"
    if kind == "list":
        return f"a list of {len(values)}"
    keys = [key if key.isprintable() else repr(key) for key in map(str, values)]
    return f"a mapping of {truncate(', '.join(keys), TEXT_LIMIT)}"


def pluralize(count: int, noun: str) -> str:
    """Return a count with its noun, such as ``1 file`` or ``2 files``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


_TIMES: Final = ((86_400, "days"), (3600, "h"), (60, "min"), (1, "s"))
"""Seconds → the name of a unit, the longest first."""
_FAR: Final = 3e9
"""Seconds from which on their number says nothing any more."""


def format_seconds(seconds: float) -> str:
    """Return a time, rounded up, in the longest unit of which it has two: ``90 s``, ``60 min``."""
    if seconds >= _FAR:
        return "more than 90 years"
    size, unit = next((row for row in _TIMES if seconds >= 2 * row[0]), _TIMES[-1])
    return f"{math.ceil(seconds / size):,} {unit}"


def type_name(value: object) -> str:
    """Return the name of a value's type with its article, such as ``a list`` or ``an int``."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode; the result is a plain ``str``."""
    return str.encode(text, "utf-16", "surrogatepass").decode("utf-16", "replace")


def parse_fraction(text: str) -> float:
    """Parse a number from 0 to 1. Raises ``ValueError``."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ValueError(f"{text.strip()!r} is not a number from 0 to 1")
    return value


READ_LIMIT: Final = 20_000
"""How many characters of a text are read: about eight pages, which take half a second."""
_HALF: Final = READ_LIMIT // 2
_NEAR: Final = 1000
"""How many of these may be dropped to end at a sentence, or at least at a word."""
_EDGES: Final = (r"[.!?…][\"')\]*_]*\s|[。\uff01\uff1f]|\n", r"\s")
"""Where sentences end, and words. Compiling these takes 2 ms, which no start needs to wait for."""


def beginning_and_end(text: str) -> str:
    """Return a text; of more than ``READ_LIMIT`` characters, only its beginning and its end.

    Both halves are cut at the end of a sentence, if one is near.
    """
    if len(text) <= READ_LIMIT:
        return text
    start = len(text) - _HALF
    stop, start = _edge(text, _HALF - _NEAR, _HALF, -1), _edge(text, start, start + _NEAR, 0)
    return f"{text[:stop]}\n\n{text[start:]}"


def _edge(text: str, begin: int, end: int, which: int) -> int:
    """Return the last edge (-1), or the first one (0), between two places in a text."""
    for edge in _EDGES:
        if edges := [match.end() for match in re.compile(edge).finditer(text, begin, end)]:
            return edges[which]
    return (begin, end)[which]
