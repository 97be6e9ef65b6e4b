"""Read the conversations of a file: JSON Lines, or one JSON value, of any of the three formats."""

from __future__ import annotations

import json
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
            if is_otlp(document):
                spans += spans_of(document, place)
            else:
                read.traces.append(_trace(document, place))
        except TraceError as error:
            read.problems.append(Problem(place, str(error)))
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
    """Yield each JSON value of a file with its place."""
    try:
        refuse_devices(path)
        lines = path.read_bytes().decode("utf-8-sig", "backslashreplace").split("\n")
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise FileError(f"{path}: it is empty")
    whole = _whole("\n".join(lines)) if len(numbered) > 1 and not _is_json(numbered[0][1]) else None
    if whole is not None:
        yield f"{path}", whole
        return
    for number, line in numbered:
        yield f"{path}:{number}", line


def _whole(text: str) -> str | None:
    """Return the text if it is one JSON value over several lines."""
    return text if _is_json(text) else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


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
