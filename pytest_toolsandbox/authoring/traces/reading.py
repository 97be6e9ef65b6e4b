"""Read the conversations of a file: JSON Lines, or one JSON value, of any of the three formats."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.files import FileError, refuse_devices
from pytest_toolsandbox.text.formatting import format_value

from .atif import atif_trace, is_atif
from .chat import chat_trace, is_chat
from .otlp import Span, is_otlp, otlp_traces, spans_of
from .trace import Problem, Trace, TraceError

_DECODER: Final = json.JSONDecoder()
_VISIBLE: Final = re.compile(r"\S")
_NEXT_VALUE: Final = re.compile(r"^[{\[]", re.MULTILINE)
_KNOWN: Final = "expected messages of a chat, OTLP's resourceSpans, or steps of an ATIF trajectory"


@dataclass
class TraceFile:
    """What was read of a file: its conversations in their order, and what cannot be read."""

    traces: list[Trace] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_traces(path: Path) -> TraceFile:
    """Read a file. A line that cannot be read is a problem, and the others are read.

    Raises ``FileError`` if the file itself cannot be read.
    """
    read, spans = TraceFile(), list[Span]()
    for place, text in _texts(path):
        try:
            document = _parsed(text)
        except TraceError as error:
            read.problems.append(Problem(place, str(error)))
            continue
        are_several = isinstance(document, list) and not is_chat(document)
        for index, each in enumerate(document if are_several else [document]):
            where = f"{place}[{index}]" if are_several else place
            try:
                if is_otlp(each):
                    spans += spans_of(each, where)
                else:
                    read.traces.append(_trace(each, where))
            except TraceError as error:
                read.problems.append(Problem(where, str(error)))
    for trace in otlp_traces(spans):
        if isinstance(trace, Trace):
            read.traces.append(trace)
        else:
            read.problems.append(trace)
    if spans and not any(trace.form == "otlp" for trace in read.traces) and not read.problems:
        text = "its spans have no messages; is their content captured?"
        read.problems.append(Problem(spans[0].place, text))
    return read


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each JSON value of a file with its place.

    There is one in each line, unless the first one has several lines.
    """
    try:
        refuse_devices(path)
        text = path.read_bytes().decode("utf-8-sig", "backslashreplace")
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    if not text.strip():
        raise FileError(f"{path}: it is empty")
    start = len(text) - len(text.lstrip())
    first = _end_of_value(text, start)
    if first is not None and "\n" in text[start:first]:
        yield from _long_values(path, text, start)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", line


def _long_values(path: Path, text: str, start: int) -> Iterator[tuple[str, str]]:
    """Yield values over several lines each, one after the other; an only one is the whole file."""
    line, counted, is_first = 1, 0, True
    while start < len(text):
        end = _end_of_value(text, start)
        if end is None:  # a damaged value: the next one begins in a line of its own
            next_value = _NEXT_VALUE.search(text, start + 1)
            end = next_value.start() if next_value else len(text)
        line, counted = line + text.count("\n", counted, start), start
        following = _VISIBLE.search(text, end)
        is_whole = is_first and following is None
        yield f"{path}" if is_whole else f"{path}:{line}", text[start:end]
        start, is_first = following.start() if following else len(text), False


def _end_of_value(text: str, start: int) -> int | None:
    """Return where the JSON value ends that begins there, if one does."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise TraceError("this is nested too deeply") from None
    except ValueError as error:
        raise TraceError(f"this is not JSON: {error}") from None


def _trace(document: Any, place: str) -> Trace:
    if is_atif(document):
        return atif_trace(document, place)
    if is_chat(document):
        return chat_trace(document, place)
    raise TraceError(f"this is not a conversation: {format_value(document)}; {_KNOWN}")
