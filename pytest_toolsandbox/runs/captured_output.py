"""What a conversation logs, prints and warns while others are held beside it."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

_OF_A_RECORD: Final = 200
"""Characters that a logged record counts besides its own, since it takes place itself."""


LONGEST: Final = 1_000_000
"""Characters that are kept of what a conversation prints, and of what it logs."""


@dataclass
class Output:
    """What was kept of a conversation, to be shown in its turn.

    ``texts`` are pairs of a stream's name and what was written to it. What goes beyond ``LONGEST``
    is left out, since hundreds of conversations may wait for their turn.
    """

    logged: list[logging.LogRecord] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    warned: dict[tuple[Any, ...], warnings.WarningMessage] = field(default_factory=dict)
    printed: int = 0
    noted: int = 0

    def write(self, name: str, text: str) -> None:
        """Keep what is written to a stream, as far as it is within the limit."""
        if (left := LONGEST - self.printed) > 0:
            self.texts.append((name, text[:left]))
        self.printed += len(text)

    def log(self, record: logging.LogRecord) -> None:
        """Keep what is logged, as far as it is within the limit."""
        text = str(record.msg)
        if (left := LONGEST - self.noted) > 0:
            record.msg = text[:left]
            self.logged.append(record)
        self.noted += len(text) + _OF_A_RECORD

    @property
    def left_out(self) -> str:
        """A line that says what was left out, if anything was."""
        if max(self.printed, self.noted) <= LONGEST:
            return ""
        return f"\n[toolsandbox: of a conversation {LONGEST:,} characters are kept]\n"


_OUTPUT: ContextVar[Output | None] = ContextVar("output", default=None)


@contextmanager
def noted(output: Output | None) -> Iterator[None]:
    """Keep what is logged, printed and warned inside of the block, where :func:`kept_apart`."""
    token = _OUTPUT.set(output)
    try:
        yield
    finally:
        _OUTPUT.reset(token)


@contextmanager
def kept_apart(
    streams: Iterable[tuple[str, TextIO]], handlers: Iterable[logging.Handler]
) -> Iterator[None]:
    """Keep what conversations that are :func:`noted` say from ``streams`` and ``handlers``.

    These belong to whatever else runs meanwhile. Threads that an agent starts by itself are not
    told apart, nor is what a program writes that it starts.
    """
    with ExitStack() as stack:
        for name, stream in {id(one[1]): one for one in streams}.values():
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
    except AttributeError:  # a stream of somebody's own
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
    """Write the text now: what is logged may be changed until it is shown."""
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
    """Have Python show each warning, since it tells a second conversation nothing of the first.

    Where in the code one was given, a conversation keeps it once, as ever.
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
    """Log, print and warn here and now what a conversation did."""
    for name, text in output.texts:
        streams[name].write(text)
    streams["stdout"].write(output.left_out)
    for record in output.logged:
        for handler in handlers:
            if record.levelno >= handler.level:
                handler.handle(record)
    for message in output.warned.values():
        warnings._showwarnmsg(message)  # type: ignore[attr-defined]  # noqa: SLF001  # not warn(), which asks for filters again
