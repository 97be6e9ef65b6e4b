"""Writes YAML as people do: what fits into a line is in braces or brackets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .yaml12 import write_scalar, write_yaml

_WIDTH: Final = 100
_MOST_LINES: Final = 3
"""The most lines of a value in braces or brackets."""
_DEEP: Final = 6
"""From this indentation on, values in braces may take several lines."""


def write_compact_yaml(document: Mapping[str, Any], in_blocks: Mapping[str, int]) -> str:
    """Return a document of JSON values, with its keys in order.

    ``in_blocks`` maps keys at the top to how many levels below them have a line for each entry.
    """
    lines: list[str] = []
    for key, value in document.items():
        lines += _entry(key, value, 0, in_blocks.get(key, 0))
    return "".join(f"{line}\n" for line in lines)


def _entry(key: str, value: Any, indent: int, blocks: int) -> list[str]:
    """Return the lines of a key and its value."""
    if not isinstance(value, (dict, list)) or not value:
        lines = write_yaml({key: value}, width=_WIDTH - indent).splitlines()
        return [" " * indent + line if line else line for line in lines]
    head = " " * indent + write_scalar(key, in_brackets=True) + ":"
    in_block = [head, *_block(value, indent + 2, blocks - 1)]
    if blocks > 0:
        return in_block
    short = f"{head} {_flow(value)}"
    if len(short) <= _WIDTH:
        return [short]
    return min([in_block, *_wrapped(head, value, indent)], key=len)


def _block(value: Any, indent: int, blocks: int) -> Iterator[str]:
    """Yield the lines of a value with a line for each entry."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _entry(key, item, indent, blocks)
        return
    for item in value:
        head = " " * indent + "- "
        if isinstance(item, (dict, list)) and item:
            short = head + _flow(item)
            is_short = blocks <= 0 and len(short) <= _WIDTH
            first, *further = [short] if is_short else _block(item, indent + 2, blocks - 1)
            yield head + first[indent + 2 :] if not is_short else first
            yield from further
        else:
            yield head + write_scalar(item, in_brackets=False)


def _wrapped(head: str, value: Any, indent: int) -> Iterator[list[str]]:
    """Yield a value in braces or brackets over a few lines, behind its key and below it."""
    if indent < _DEEP and not _has_words_alone(value):
        return
    for first, column in ((f"{head} ", len(head) + 1), (" " * (indent + 2), indent + 2)):
        # A list of words goes on near the margin, where more of them fit.
        lines = _filled(first, value, column + 1 if indent else 2)
        if max(map(len, lines)) <= _WIDTH and len(lines) <= _MOST_LINES:
            yield lines if column > indent + 2 else [head, *lines]


def _filled(first: str, value: Any, column: int) -> list[str]:
    """Return the entries of a value in lines, of which the later ones begin at a column."""
    start, end = ("{", "}") if isinstance(value, dict) else ("[", "]")
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value, start, end, column = value[0], "[{", "}]", column + 1
    entries = [f"{entry}," for entry in _entries(value)]
    entries[-1] = entries[-1].removesuffix(",") + end
    lines = [first + start + entries[0]]
    for entry in entries[1:]:
        joined = f"{lines[-1]} {entry}"
        if len(joined) <= _WIDTH:
            lines[-1] = joined
        else:
            lines.append(" " * column + entry)
    return lines


def _entries(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [
            f"{write_scalar(key, in_brackets=True)}: {_flow(item)}" for key, item in value.items()
        ]
    return [*map(_flow, value)]


def _flow(value: Any) -> str:
    """Return a value in one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(_entries(value))}}}"
    if isinstance(value, list):
        return f"[{', '.join(_entries(value))}]"
    return write_scalar(value, in_brackets=True)


def _has_words_alone(value: Any) -> bool:
    """Return whether a list or mapping has only values without spaces."""
    values = value.values() if isinstance(value, dict) else value
    return not any(isinstance(item, (dict, list)) or " " in str(item) for item in values)
