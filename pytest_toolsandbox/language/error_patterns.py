"""The table of error patterns, after SpecTool (Kokane et al. 2024, section 3): names and texts.

A pattern is a row here and a function that finds it: in ``calls/faults.py`` if a call shows it by
itself, else in ``scoring/error_patterns/find.py``. All tables, pages and messages follow the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Pattern = Literal["IFE", "IFN", "IAN", "IAT", "RAC", "IAV", "IAC"]


class PatternDefinition(NamedTuple):
    """The texts of a pattern; those with braces are formats.

    ``column`` is the place in the table of a run, from 0. ``on_page`` is the line of a finding on a
    page: ``words`` names pattern, argument and function, ``meant`` and ``found`` are empty if there
    is nothing to say, ``made`` says whether a call was made.

    ``expected`` says what a finding's ``expected`` holds, so that scrambled names in it can be
    replaced by the world's: text without names, the names of all tools, those of the arguments of
    the called tool, or a call. With ``solutions_only``, only a comparison with solutions finds it.

    A pattern that keeps a call from being executed has two more texts: ``feedback`` is the answer
    to the agent, and ``advice`` is what ``try-agent`` prints.
    """

    name: str
    column: int
    on_page: str
    expected: Literal["text", "tools", "arguments", "call"] = "text"
    solutions_only: bool = False
    feedback: str = ""
    advice: str = ""


PATTERNS: Final[Mapping[Pattern, PatternDefinition]] = {
    "IFE": PatternDefinition(
        "invalid format error",
        column=3,
        on_page="{words}: expected {expected}",
        feedback="Invalid format{of_function}: expected {expected}",
        advice="the arguments are not {expected}",
    ),
    "IFN": PatternDefinition(
        "incorrect function name",
        column=6,
        on_page="{words}: there is no such tool{meant}",
        expected="tools",
        feedback="Invalid function name {function}, valid functions are {valid}",
        advice="there is no tool {found}; the tools are {expected}",
    ),
    "IAN": PatternDefinition(
        "incorrect argument name",
        column=5,
        on_page="{words}: the arguments are {expected}{meant}",
        expected="arguments",
        feedback="Invalid argument name {argument}{for_function}, valid arguments are {valid}",
        advice="there is no argument {found}; there are {expected}",
    ),
    "IAT": PatternDefinition(
        "incorrect argument type",
        column=4,
        on_page="{words}: expected {expected}{found}",
        feedback="Invalid argument type for {argument}{for_function}, "
        "valid argument type is '{expected}'",
        advice="the argument {argument} must be of type {expected}",
    ),
    "RAC": PatternDefinition(
        "repeated API call",
        column=1,
        on_page="{words}: the same call was made before, and this one tells or changes nothing "
        "more",
    ),
    "IAV": PatternDefinition(
        "incorrect argument value",
        column=2,
        on_page="{words}: expected {expected}{found}",
        solutions_only=True,
    ),
    "IAC": PatternDefinition(
        "insufficient API calls",
        column=0,
        on_page="IAC {made}: {expected}",  # the expected call names the tool
        expected="call",
        solutions_only=True,
    ),
}
"""The patterns in the order in which calls are checked; the columns are those of table 4."""
