"""What a report says to be on or off, and is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.clauses import clauses
from pytest_toolsandbox.matchers.statements.stems import stem

from .effects import Effects
from .things import stems

_ON: Final = ("on", "enabled", "active", "running")
_VALUES: Final = {**dict.fromkeys(_ON, True), "off": False, "disabled": False, "inactive": False}
_IS: Final = re.compile(
    r"^(?:(?:and|also|only|just|now|so|then) )*(?P<what>[^,;:]{2,50}?) "
    r"(?P<verb>is|are|stays?|remains?) "
    r"(?P<adverbs>(?:now|still|already|back|both|all|again|currently|switched|turned) )*"
    rf"(?P<value>{'|'.join(_VALUES)})"
    r"(?: (?:now|again|already|still|too|also|as well|at the moment|right now))*\W*$"
)
_LEFT: Final = re.compile(
    r"\b(?:left|kept|leave|keep)(?: (?P<value>on|off) (?P<after>.{2,40}?)"
    r"| (?P<what>[^,;:]{2,40}?) (?P<last>on|off))(?= so\b| as\b| too\b|\W*$)"
)
_OF_ANY: Final = frozenset(
    map(stem, split("service services mode status setting settings connection saving saver low"))
)
_NOW: Final = re.compile(r"\bnow\b(?! on\b)")


def other_settings(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses that say of a setting that it is on or off, and it never was until then.

    A setting is a column of a table of one row that is true or false. What was left on or off, or
    is so now, has to be so in the end of what was ``done``.
    """
    for clause in clauses(text):
        found = _IS.search(clause.text) or _LEFT.search(clause.text)
        if found and clause.is_stated and not clause.has_negation() and not clause.has_modality():
            told = found.groupdict()
            what = told["what"] or told["after"]
            is_new = bool(told.get("last") or told.get("after") or _NOW.search(clause.text))
            value = _VALUES[told.get("last") or told["value"]]
            if any(value not in states for states in _states_of(what, done, is_new=is_new)):
                yield clause.text


def _states_of(what: str, done: Effects, *, is_new: bool) -> Iterator[list[bool]]:
    """Yield what each setting that is meant was, from the first on or in the end alone."""
    named = stems([what])
    keys = {
        (name, column): stems([column]) - _OF_ANY
        for name, table in done.trajectory.start.items()
        for row in (table if len(table) == 1 else ())
        for column, value in row.items()
        if isinstance(value, bool)
    }
    if not named <= frozenset().union(*keys.values(), _OF_ANY):
        return
    states = (done.trajectory.start, *done.trajectory.states)
    for (name, column), own in keys.items():
        if own & named:
            told = states[-1:] if is_new else states
            yield [row[column] for state in told for row in state[name]]
