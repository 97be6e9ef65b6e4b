"""Describes exceptions in one line without secrets, and finds the user's line in them."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from .formatting import TEXT_LIMIT, one_line
from .redaction import redacted_line

REASON_LIMIT: Final = 1000
"""How many characters of an error message are reported."""
PACKAGE = str(Path(__file__).parent.parent) + os.sep
"""The prefix of the paths of this package's files."""
_PLACE: Final = re.compile(r"(\S+:\d+(?::\d+)?): (?=\S)")


@contextmanager
def blamed(
    convert: Callable[[BaseException], BaseException], *passed: type[BaseException]
) -> Iterator[None]:
    """Convert every exception of the user's code in this block, except those ``passed``.

    This includes ``SystemExit``, the exceptions of ``pytest.skip``, and the user's own subclasses
    of ``BaseException``. ``KeyboardInterrupt`` is raised, also if an event loop put it in a group.
    """
    try:
        yield
    except BaseException as raised:
        error = tamed(raised)
        if isinstance(error, (KeyboardInterrupt, *passed)):
            raise
        if isinstance(error, BaseExceptionGroup) and error.subgroup(KeyboardInterrupt):
            raise KeyboardInterrupt().with_traceback(error.__traceback__) from None
        if (converted := convert(error)) is raised:
            raise
        raise converted from (error if converted is not error else None)


def tamed(error: BaseException) -> BaseException:
    """Return an error, or a replacement if inspecting it raises, as Python and pytest do."""
    try:
        traceback.format_exception_only(error)
        is_tame = error.with_traceback(error.__traceback__) is error
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # such as from a property named __cause__
        is_tame = False
    if is_tame:
        return error
    text = f"{type(error).__name__}, which raises when it is inspected"
    trace = BaseException.__dict__["__traceback__"].__get__(error)
    return RuntimeError(text).with_traceback(trace)


def describe_exception(error: BaseException) -> str:
    """Return type, text and place of an exception."""
    place = place_of(error)
    return type_and_text(error) + (f" ({without_folders(place)})" if place else "")


def type_and_text(error: BaseException) -> str:
    """Return type and text of an exception."""
    text = message_of(error)
    return one_line(type(error).__name__, 100) + (f": {text}" if text else "")


def message_of(error: BaseException, limit: int = 200) -> str:
    """Return the text of an exception in one line, also if its ``__str__`` raises."""
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
    except KeyboardInterrupt:
        raise
    except BaseException as another:  # noqa: BLE001  # __str__ is the user's code
        return f"its text cannot be read: __str__ raised {type(another).__name__}"
    return redacted_line(without_folders(text), limit)


def without_folders(text: str) -> str:
    """Return a text with paths relative to the current directory or to ``~``.

    Reports are read on other machines, where the folders of this one mean nothing.
    """
    with suppress(OSError):  # the current directory was deleted
        text = _shorter(text, str(Path.cwd()), "")
    return _shorter(text, os.path.expanduser("~"), "~/")  # noqa: PTH111  # Path.home() may raise


def _shorter(text: str, folder: str, short: str) -> str:
    if folder == Path(folder).anchor or folder not in text.replace("\\\\", "\\"):
        return text
    path = r"[/\\]+".join(map(re.escape, re.split(r"[/\\]", folder)))
    return re.sub(rf"(?<![\w.~/\\-]){path}[/\\]+", lambda _: short, text)


def place_of(error: BaseException, *, in_package: bool = False) -> str | None:
    """Return ``file:line`` of a syntax error, else of the last line in the user's files.

    With ``in_package``, the last line in this package's files.
    """
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):
        return place_in(error.filename, error.lineno)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if (frame.filename, frame.name) == ("<string>", "__init__"):  # which dataclasses write
            continue
        is_ours = frame.filename.startswith(PACKAGE)
        if is_ours if in_package else not is_foreign(frame.filename):
            return place_in(frame.filename, frame.lineno)
    return None


def cause_first(line: str) -> str:
    """Return a line with the ``file:line`` that it begins with, if any, at its end instead."""
    place = _PLACE.match(line)
    return f"{line[place.end() :]} ({place[1]})" if place else line


def place_of_caller() -> str:
    """Return ``file:line`` of the innermost caller in the user's files."""
    frame = sys._getframe(1)  # noqa: SLF001  # never None, as inspect.currentframe() may be
    while is_foreign(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return place_in(frame.f_code.co_filename, frame.f_lineno)


def folder_of_caller() -> Path:
    """Return the folder of the innermost caller in the user's files."""
    frame = sys._getframe(1)  # noqa: SLF001  # as above
    while is_foreign(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return Path(frame.f_code.co_filename).parent.absolute()


def place_in(filename: str, line: int | None) -> str:
    """Format ``file:line``, relative to the current directory if the file is below it."""
    try:
        inside = Path(filename).is_relative_to(Path.cwd())
        shown = os.path.relpath(filename) if inside else filename
    except OSError:  # the current directory was deleted
        shown = filename
    return f"{one_line(shown, TEXT_LIMIT * 5)}:{line}"


def is_foreign(filename: str) -> bool:
    """Whether a file belongs to this package, to Python or to an installed package."""
    paths = map(sysconfig.get_path, ("stdlib", "purelib", "platlib"))
    return filename.startswith((PACKAGE, "<frozen ", *paths))
