"""How pytest shows an item that failed or broke: the page, or where the user's own code raised."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any

import _pytest.outcomes
import pluggy
import pytest

from pytest_toolsandbox.text.error_text import PACKAGE

_TESTING = (_pytest.__file__, pluggy.__file__)
_FOREIGN = (PACKAGE, *(str(Path(file).parent) + os.sep for file in _TESTING))


class Failed(_pytest.outcomes.Failed):
    """What is wrong with an option or a fixture: the text alone stands in the short summary."""

    __module__ = "builtins"


def failure_repr(
    item: pytest.Item,
    excinfo: pytest.ExceptionInfo[BaseException],
    page: str,
    *,
    in_setup: bool = False,
) -> Any:
    """Return what pytest shows: the page, below the user's frames where options ask for them."""
    option = item.config.option
    wanted = option.fulltrace or option.showlocals or option.tbstyle in ("short", "long", "native")
    own: TracebackType | None = excinfo.tb if wanted else None
    while own is not None and own.tb_frame.f_code.co_filename.startswith(_FOREIGN):
        own = own.tb_next
    first = page.partition("\n")[0]
    if own is not None or (in_setup and option.fulltrace):
        shown = _frames(option, excinfo, own)
        shown.addsection("scenario", page)
    else:
        text = first if option.tbstyle == "line" else page
        told = pytest.fail.Exception(text, pytrace=False)
        info = pytest.ExceptionInfo.from_exc_info((type(told), told, excinfo.tb))
        shown = info.getrepr(style="value")
        if option.tbstyle == "line" and not in_setup:
            shown.reprtraceback.reprentries = []  # pytest adds a line of its own here
    if shown.reprcrash is not None:
        path, line, _ = item.reportinfo()
        shown.reprcrash.path, shown.reprcrash.lineno = str(path), (line or 0) + 1
        shown.reprcrash.message = first
    return shown


def _frames(
    option: Any, excinfo: pytest.ExceptionInfo[BaseException], own: TracebackType | None
) -> Any:
    """Return the user's frames, or all of them where a defect of ours raised."""
    if own is None:
        return excinfo.getrepr(style="long", tbfilter=False)
    is_long = option.fulltrace or option.tbstyle not in ("short", "native")
    return pytest.ExceptionInfo.from_exc_info((excinfo.type, excinfo.value, own)).getrepr(
        style="long" if is_long else option.tbstyle,
        showlocals=option.showlocals,
        tbfilter=lambda part: part.traceback.filter(
            lambda entry: not str(entry.path).startswith(_FOREIGN)
        ),
    )
