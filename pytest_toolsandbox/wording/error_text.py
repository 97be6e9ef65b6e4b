"""What a user's own code raised, in one line."""

from __future__ import annotations

import os
import sysconfig
import traceback
from pathlib import Path

from .redaction import one_line, redacted

_PACKAGE = str(Path(__file__).parent.parent)


def raised(error: BaseException) -> str:
    """Return type and text of an exception, without keys, and the place that it comes from.

    The place is ``file:line``: of a syntax error its own, else of the last line that belongs to
    the user.
    """
    text = one_line(redacted(error.msg if isinstance(error, SyntaxError) else str(error)))
    place = _place(error)
    return type(error).__name__ + (f": {text}" if text else "") + (f" ({place})" if place else "")


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
