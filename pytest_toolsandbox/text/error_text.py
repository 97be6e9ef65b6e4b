"""What an exception says, in one line and without keys."""

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
"""Characters of what a report says of an error."""
PACKAGE = str(Path(__file__).parent.parent) + os.sep
"""What the paths of our own files begin with, and those of a folder of a longer name do not."""


@contextmanager
def blamed(
    told: Callable[[BaseException], BaseException], *passed: type[BaseException]
) -> Iterator[None]:
    """Raise what ``told`` says of whatever a user's code raises, but for what is ``passed``.

    That includes what is no ``Exception``: ``SystemExit``, a class of the user's own, what
    pytest.skip raises. Ctrl-C alone stops the run, also where an event loop put it in a group.
    """
    try:
        yield
    except BaseException as raised:
        error = tamed(raised)
        if isinstance(error, (KeyboardInterrupt, *passed)):
            raise
        if isinstance(error, BaseExceptionGroup) and error.subgroup(KeyboardInterrupt):
            raise KeyboardInterrupt().with_traceback(error.__traceback__) from None
        if (shown := told(error)) is raised:
            raise
        raise shown from (error if shown is not error else None)


def tamed(error: BaseException) -> BaseException:
    """Return an error, or what stands for one that raises where Python or pytest look at it."""
    try:
        traceback.format_exception_only(error)
        is_tame = error.with_traceback(error.__traceback__) is error
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # such as of a property named __class__ or __cause__
        is_tame = False
    if is_tame:
        return error
    text = f"{type(error).__name__}, which raises where anybody looks at it"
    trace = BaseException.__dict__["__traceback__"].__get__(error)
    return RuntimeError(text).with_traceback(trace)


def describe_exception(error: BaseException) -> str:
    """Return type and text of an exception, and its place as :func:`place_of` has it."""
    place = place_of(error)
    return type_and_text(error) + (f" ({without_folders(place)})" if place else "")


def type_and_text(error: BaseException) -> str:
    """Return type and text of an exception."""
    text = message_of(error)
    return one_line(type(error).__name__, 100) + (f": {text}" if text else "")


def message_of(error: BaseException, limit: int = 200) -> str:
    """Return the text of an exception in one line, also of one that raises when it is written."""
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
    except KeyboardInterrupt:
        raise
    except BaseException as another:  # noqa: BLE001  # a user's own may do anything
        return f"its text cannot be read: __str__ raised {type(another).__name__}"
    return redacted_line(without_folders(text), limit)


def without_folders(text: str) -> str:
    """Return a text with paths as seen from the current directory, and ``~`` for that of the user.

    It goes into reports that others read, whom the folders of this machine are nothing to.
    """
    with suppress(OSError):  # where there is no current directory any more
        text = _shorter(text, str(Path.cwd()), "")
    return _shorter(text, os.path.expanduser("~"), "~/")  # noqa: PTH111  # Path.home() may raise


def _shorter(text: str, folder: str, short: str) -> str:
    if folder == Path(folder).anchor or folder not in text.replace("\\\\", "\\"):
        return text
    path = r"[/\\]+".join(map(re.escape, re.split(r"[/\\]", folder)))
    return re.sub(rf"(?<![\w.~/\\-]){path}[/\\]+", lambda _: short, text)


def place_of(error: BaseException, *, in_package: bool = False) -> str | None:
    """Return ``file:line`` of a syntax error, else of the last line of the user's, or of ours."""
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):
        return place_in(error.filename, error.lineno)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if (frame.filename, frame.name) == ("<string>", "__init__"):  # which dataclasses write
            continue
        is_ours = frame.filename.startswith(PACKAGE)
        if is_ours if in_package else not is_foreign(frame.filename):
            return place_in(frame.filename, frame.lineno)
    return None


def place_of_caller() -> str:
    """Return ``file:line`` of the line of the user's that led to this call."""
    frame = sys._getframe(1)  # noqa: SLF001  # what inspect.currentframe returns, or more
    while is_foreign(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return place_in(frame.f_code.co_filename, frame.f_lineno)


def place_in(filename: str, line: int | None) -> str:
    """Write ``file:line`` in one line, below the current directory without what leads there."""
    try:
        inside = Path(filename).is_relative_to(Path.cwd())
        shown = os.path.relpath(filename) if inside else filename
    except OSError:  # there is no current directory any more
        shown = filename
    return f"{one_line(shown, TEXT_LIMIT * 5)}:{line}"


def is_foreign(filename: str) -> bool:
    """Whether a file is ours, Python's or an installed package's, and no code of the user's."""
    paths = map(sysconfig.get_path, ("stdlib", "purelib", "platlib"))
    return filename.startswith((PACKAGE, "<frozen ", *paths))
