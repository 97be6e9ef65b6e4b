"""Reads docstrings in Google's style: what a tool does, its arguments, its result, its errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Literal

_Kind = Literal["arguments", "returns", "raises"]
_SECTIONS: Final[Mapping[str, _Kind]] = {
    **dict.fromkeys(("Args", "Arguments", "Parameters", "Params", "Other Parameters"), "arguments"),
    **dict.fromkeys(("Keyword Args", "Keyword Arguments"), "arguments"),
    **dict.fromkeys(("Returns", "Return"), "returns"),
    **dict.fromkeys(("Raises", "Raise", "Exceptions", "Except"), "raises"),
}
"""The sections that are read. Others, such as ``Example:``, are part of the description."""
_SECTION: Final = re.compile(
    rf"^(?P<title>{'|'.join(_SECTIONS)}):[ \t]*\n(?P<body>(?:[ \t]*\n|[ \t]+\S.*\n)*)", re.MULTILINE
)
_ENTRY: Final = re.compile(r"(?P<name>(?::\w+:`[^`]*`|[^:])*):(?P<text>.*)", re.DOTALL)
"""``name: text``, in which the name may be a role of Sphinx."""
_TYPED: Final = re.compile(r"\s*(.+?)\s*\(.*\)\s*", re.DOTALL)
"""``name (type)``."""
_RESULT_TYPE: Final = re.compile(r"\A[\w.]+(?:\[[^:]*\])?:\s+")
_NOTHING: Final = re.compile(r"none\.?|-|n/a", re.IGNORECASE)
"""The only entry of a section by which many say that there is none."""
_ROLE: Final = re.compile(r":\w+:")
_REMEDY: Final[Mapping[_Kind, str]] = {
    "arguments": "write name: text for each argument",
    "returns": "say what the result is",
    "raises": "write ValueError: when, for each exception",
}


@dataclass(frozen=True)
class Docstring:
    """The parts of a docstring, each text as one paragraph.

    ``description`` is all text outside the sections that are read. ``raises`` are the names of
    exceptions, without their modules. ``problems`` say what cannot be read, and what to do.
    """

    description: str
    arguments: Mapping[str, str]
    returns: str
    raises: frozenset[str]
    problems: tuple[str, ...]


def read_docstring(function: Callable[..., Any]) -> Docstring:
    """Return the parts of a function's docstring."""
    text = inspect.cleandoc(function.__doc__ or "") + "\n"
    sections = [(match["title"], match["body"]) for match in _SECTION.finditer(text)]
    bodies: dict[_Kind, list[str]] = {"arguments": [], "returns": [], "raises": []}
    for title, body in sections:
        bodies[_SECTIONS[title]].append(body)
    arguments = [entry for body in bodies["arguments"] for entry in _entries(body)]
    raises = chain.from_iterable(map(_entries, bodies["raises"]))
    names = re.findall(r"[\w.]+", " ".join(_ROLE.sub("", name) for name, _ in raises))
    returns = (_RESULT_TYPE.sub("", _paragraph(body), count=1) for body in bodies["returns"])
    return Docstring(
        description=_paragraph(_SECTION.sub("\n", text)),
        arguments={_TYPED.sub(r"\1", name): text for name, text in arguments},
        returns=" ".join(filter(None, returns)),
        raises=frozenset(name.rpartition(".")[2] for name in names),
        problems=tuple(_problems(sections)),
    )


def _entries(body: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of each entry of a section; the text of one without a name is empty."""
    for entry in _split(body):
        match = _ENTRY.match(entry)
        yield (_paragraph(match["name"]), _paragraph(match["text"])) if match else (entry, "")


def _split(body: str) -> list[str]:
    """Return the entries of a section: each begins at the indentation of the first."""
    lines = body.strip("\n")
    indentation = re.match(r"[ \t]*", lines)
    start = indentation[0] if indentation else ""
    entries = [part for part in re.split(rf"^{start}(?=\S)", lines, flags=re.MULTILINE) if part]
    return [] if len(entries) == 1 and _NOTHING.fullmatch(entries[0].strip()) else entries


def _problems(sections: list[tuple[str, str]]) -> Iterator[str]:
    for title, body in sections:
        remedy = f"{_REMEDY[_SECTIONS[title]]}, or leave {title}: out"
        if not body.strip():
            yield f"its docstring has nothing below {title}: that is indented; {remedy}"
        for entry in [] if _SECTIONS[title] == "returns" else _split(body):
            if not _ENTRY.match(entry):
                yield f"its docstring has {_paragraph(entry)!r} below {title}:; {remedy}"


def _paragraph(text: str) -> str:
    return " ".join(text.split())
