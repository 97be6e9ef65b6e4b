"""Marks whose arguments pytest cannot read, which it would find out where a scenario is played."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import pytest
from _pytest.config import parse_warning_filter  # private to pytest; public only as the mark
from _pytest.skipping import evaluate_skip_marks, evaluate_xfail_marks  # private, as above

from pytest_toolsandbox.language.scenario import Mark
from pytest_toolsandbox.wording.error_text import message_of
from pytest_toolsandbox.wording.nearest_name import unknown
from pytest_toolsandbox.wording.phrases import found

_KEYWORDS: Final[Mapping[str, Collection[str]]] = {
    "skip": ("reason",),
    "skipif": ("condition", "reason"),
    "xfail": ("condition", "reason", "run", "strict"),
    "usefixtures": (),
    "filterwarnings": (),
}
"""Mark of pytest's → the keywords that it knows, of those that a file can give."""

NO_PARAMETERS: Final = "pytest cannot read 'parametrize', which takes names and values"


def argument_problem(mark: Mark) -> str | None:
    """Return what is wrong with the arguments of a mark of pytest's, whatever the item."""
    for keyword in mark.keywords:
        if keyword not in _KEYWORDS.get(mark.name, mark.keywords):
            return f"{mark.name}: {unknown('argument', keyword, _KEYWORDS[mark.name])}"
    if mark.name == "skipif" and not (mark.arguments or "condition" in mark.keywords):
        return "skipif: there is no condition; skip takes none"
    if mark.name == "parametrize" and not (mark.arguments[1:] or mark.keywords):
        return NO_PARAMETERS
    if mark.name == "usefixtures":
        odd = [one for one in mark.arguments if not isinstance(one, str)]
        if odd or not mark.arguments:
            return f"usefixtures: expected names of fixtures, found {found((odd or [None])[0])}"
    if mark.name == "filterwarnings":  # which pytest reads where an error ends the run
        for one in mark.arguments:
            try:
                parse_warning_filter(one, escape=False)
            except Exception:  # noqa: BLE001  # pytest.UsageError, and what else no text raises
                return f"filterwarnings: {one!r} is no filter of warnings"
    return None


def item_problem(item: pytest.Function) -> str | None:
    """Return what is wrong with marks of an item: pytest itself is asked what they come to."""
    known = {*item._fixtureinfo.name2fixturedefs, "request"}  # noqa: SLF001  # private to pytest
    for mark in item.iter_markers("usefixtures"):
        for name in mark.args:
            if name not in known:
                return f"usefixtures: there is no fixture {name!r}; define it in a conftest.py"
    try:
        ends = evaluate_skip_marks(item), evaluate_xfail_marks(item)
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  # a condition is any code
        return message_of(error)
    reasons = [end.reason for end in ends if end is not None]
    odd = [reason for reason in reasons if not isinstance(reason, str)]
    return f"a reason must be text, found {found(odd[0])}" if odd else None
