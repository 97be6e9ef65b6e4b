"""Capture the logs, output and warnings of a conversation while others run at the same time."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

_OF_A_RECORD: Final = 200
"""The characters that a log record counts in addition to its text, for its memory."""


LONGEST: Final = 1_000_000
"""The limit of characters that are kept of a conversation's output, and of its logs."""


@dataclass
class Output:
    """The captured output of a conversation, which is shown when pytest reports its item.

    ``texts`` are pairs of a stream's name and what was written to it. Text beyond ``LONGEST`` is
    dropped, since hundreds of conversations may wait for their reports.
    """

    logged: list[logging.LogRecord] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    warned: dict[tuple[Any, ...], warnings.WarningMessage] = field(default_factory=dict)
    printed: int = 0
    noted: int = 0

    def write(self, name: str, text: str) -> None:
        """Keep what is written to a stream, within the limit."""
        if (room := LONGEST - self.printed) > 0:
            self.texts.append((name, text[:room]))
        self.printed += len(text)

    def log(self, record: logging.LogRecord) -> None:
        """Keep what is logged, within the limit."""
        text = str(record.msg)
        if (room := LONGEST - self.noted) > 0:
            record.msg = text[:room]
            self.logged.append(record)
        self.noted += len(text) + _OF_A_RECORD

    @property
    def left_out(self) -> str:
        """A line that says that output was dropped, or an empty text."""
        if max(self.printed, self.noted) <= LONGEST:
            return ""
        return f"\n[toolsandbox: of a conversation {LONGEST:,} characters are kept]\n"


_OUTPUT: ContextVar[Output | None] = ContextVar("output", default=None)


@contextmanager
def noted(output: Output | None) -> Iterator[None]:
    """Capture logs, output and warnings inside of the block, within :func:`kept_apart`."""
    token = _OUTPUT.set(output)
    try:
        yield
    finally:
        _OUTPUT.reset(token)


@contextmanager
def kept_apart(
    streams: Iterable[tuple[str, TextIO]], handlers: Iterable[logging.Handler]
) -> Iterator[None]:
    """Keep the output of conversations in :func:`noted` from ``streams`` and ``handlers``.

    These belong to the test that pytest runs meanwhile. Threads that an agent starts itself and
    child processes cannot be separated.
    """
    with ExitStack() as stack:
        # Two names may stand for one stream, which must be replaced only once.
        distinct = {id(stream): (name, stream) for name, stream in streams}
        for name, stream in distinct.values():
            stack.enter_context(_stream_apart(name, stream))
        stack.enter_context(_logs_apart(list(handlers)))
        stack.enter_context(_warnings_apart())
        yield


@contextmanager
def _stream_apart(name: str, stream: TextIO) -> Iterator[None]:
    before = stream.write

    def write(text: str) -> int:
        output = _OUTPUT.get()
        if output is None or not isinstance(text, str):
            return before(text)
        output.write(name, text)
        return len(text)

    try:
        stream.write = write  # type: ignore[method-assign]  # print asks the object, not its class
    except AttributeError:  # a custom stream, whose attributes cannot be set
        yield
        return
    try:
        yield
    finally:
        if vars(stream).get("write") is write:
            del stream.write


class _Keeping(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        output = _OUTPUT.get()
        if output is not None:
            _freeze(record)
            output.log(record)


def _freeze(record: logging.LogRecord) -> None:
    """Format the text now: the logged objects may change before it is shown."""
    try:
        record.msg, record.args = record.getMessage(), None
    except Exception:  # noqa: BLE001  # the handler that shows it shows the mistake
        return


def _is_outside(_: logging.LogRecord) -> bool:
    return _OUTPUT.get() is None


@contextmanager
def _logs_apart(handlers: list[logging.Handler]) -> Iterator[None]:
    keeping, root = _Keeping(), logging.getLogger()
    for handler in handlers:
        handler.addFilter(_is_outside)
    root.addHandler(keeping)
    try:
        yield
    finally:
        root.removeHandler(keeping)
        for handler in handlers:
            handler.removeFilter(_is_outside)


@contextmanager
def _warnings_apart() -> Iterator[None]:
    """Make Python report every warning, even if another conversation had the same one.

    A conversation keeps each warning once per place in the code, as Python does by default.
    """
    shown, action = warnings._showwarnmsg, warnings.defaultaction  # type: ignore[attr-defined]  # noqa: SLF001  # asked by warn()

    def show(message: warnings.WarningMessage) -> None:
        output = _OUTPUT.get()
        if output is None:
            shown(message)
            return
        place = (message.category, str(message.message), message.filename, message.lineno)
        output.warned.setdefault(place, message)

    warnings._showwarnmsg, warnings.defaultaction = show, "always"  # type: ignore[attr-defined]  # noqa: SLF001
    try:
        yield
    finally:
        if warnings._showwarnmsg is show:  # type: ignore[attr-defined]  # noqa: SLF001
            warnings._showwarnmsg = shown  # type: ignore[attr-defined]  # noqa: SLF001
        warnings.defaultaction = action  # type: ignore[attr-defined]


def show_again(output: Output, streams: dict[str, TextIO], handlers: list[logging.Handler]) -> None:
    """Log, print and warn again what a conversation did."""
    for name, text in output.texts:
        streams[name].write(text)
    streams["stdout"].write(output.left_out)
    for record in output.logged:
        for handler in handlers:
            if record.levelno >= handler.level:
                handler.handle(record)
    for message in output.warned.values():
        warnings._showwarnmsg(message)  # type: ignore[attr-defined]  # noqa: SLF001  # not warn(), which asks for filters again
