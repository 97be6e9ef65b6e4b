"""What an exception says, in one line and without keys."""

from __future__ import annotations

import os
import sysconfig
import traceback
from pathlib import Path

from .redaction import shown

_PACKAGE = str(Path(__file__).parent.parent) + os.sep


def describe_exception(error: BaseException) -> str:
    """Return type and text of an exception and the place that it comes from.

    The place is ``file:line``: of a syntax error its own, else of the last line that belongs to
    the user.
    """
    text, place = message_of(error), _place(error)
    return type(error).__name__ + (f": {text}" if text else "") + (f" ({place})" if place else "")


def message_of(error: BaseException) -> str:
    """Return the text of an exception in one line, also of one that raises when it is written."""
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception as another:  # noqa: BLE001  # a user's own exception may do anything
        return f"its text cannot be read: __str__ raised {type(another).__name__}"
    return shown(text)


def _place(error: BaseException) -> str | None:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_relative(error.filename)}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    foreign = (_PACKAGE, "<frozen ", *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))
    own = [frame for frame in frames if not frame.filename.startswith(foreign)]
    if not own:
        return None
    return f"{_relative(own[-1].filename)}:{own[-1].lineno}"


def _relative(filename: str) -> str:
    inside = Path(filename).is_relative_to(Path.cwd())
    return os.path.relpath(filename) if inside else filename
