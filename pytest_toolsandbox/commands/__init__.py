"""The ``toolsandbox`` commands, their registration and their parser.

:data:`COMMANDS` lists them. Each is a function in a module of this room, which ``@command``
registers together with its arguments::

    @command("suites", argument("name", "print only the path of this suite", nargs="?"))
    def print_suites(name: str | None) -> int: ...

Commands do not know pytest: what its ini file says is handed to them as a ``Project``.
"""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from pytest_toolsandbox.text.formatting import parse_fraction

Function = TypeVar("Function", bound=Callable[..., int])

COMMANDS: Final = {
    "init": ("init", "write a first scenario, an agent and a workflow"),
    "try-agent": ("try_agent", "show what an agent is sent, and what it returns"),
    "check": ("check", "prove that solutions pass, and that counterexamples and mutants do not"),
    "suites": ("suites", "list the bundled suites"),
    "stats": ("suites", "count what scenarios are made of"),
    "schema": ("suites", "print the JSON Schema of scenario files or records"),
    "show": (
        "show",
        "list the records of a file, or print a conversation, or two beside each other",
    ),
    "report": ("reports", "write an HTML report of the records of runs"),
    "compare": ("gate", "compare later runs with the first: worse, no worse, better, and where"),
    "baseline add": ("gate", "add the trials of a run"),
    "baseline accept": ("gate", "begin anew with these results, since the new level is intended"),
    "baseline show": ("gate", "print the runs that a baseline has"),
    "gate": ("gate", "plan a gate, or try it on trials between which nothing changed"),
    "merge": ("reports", "merge the records of shards, if they are parts of one run"),
    "cassettes": (
        "cassettes",
        "list recorded conversations with their sizes, and what is stale or missing",
    ),
    "calibrate": (
        "calibrate",
        "count how often a judge is wrong about wordings that people have labelled",
    ),
    "tables": ("reports", "print the papers' tables, a column for each agent"),
    "user-tables": (
        "reports",
        "print how often users that a model played made mistakes (ToolSandbox, Tables 2 and 3)",
    ),
    "export": ("reports", "write records in the formats of other tools"),
    "import tooltalk": ("importers", "ToolTalk's conversations and databases"),
}
"""The commands in the order of the help → the module of each, and the text of its help.

Modules are named here because importing all of them takes 0.6 s, and ``--help`` needs none.
"""
_GROUPS: Final = {
    "baseline": ("keep the results that later runs are compared with", "WHAT"),
    "import": ("turn published data into scenario files", "FORMAT"),
}
"""What several commands begin with → the help, and what the rest of their names is called."""
_registered: dict[str, Command] = {}


class CommandError(Exception):
    """A command cannot do its work; the text is for the user, ``status`` is the exit status."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


class Argument(NamedTuple):
    """What ``ArgumentParser.add_argument`` takes."""

    names: list[str]
    options: dict[str, Any]


class Command(NamedTuple):
    """A function that takes its arguments as keywords and returns the exit status.

    One that ``reads_ini`` takes a ``project``, too, which has the settings of the ini file.
    """

    function: Callable[..., int]
    arguments: tuple[Argument, ...]
    reads_ini: bool


def argument(spec: str, text: str, **options: Any) -> Argument:
    """Return an argument of a command, with options of ``ArgumentParser.add_argument``.

    ``spec`` has its names and what its value is called: ``-o --out FILE``. An option without a
    value and ``choices`` is a flag.
    """
    *names, last = spec.split()
    if last.isupper():
        options["metavar"] = last
    else:
        names.append(last)
        if last.startswith("-") and "choices" not in options:
            options["action"] = "store_true"
    return Argument(names, {**options, "help": text})


def command(
    name: str, *arguments: Argument, reads_ini: bool = False
) -> Callable[[Function], Function]:
    """Register a function as the command ``name`` of :data:`COMMANDS`."""

    def registered(function: Function) -> Function:
        _registered[name] = Command(function, arguments, reads_ini)
        return function

    return registered


def command_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of all commands; ``command`` is the :class:`Command` that was chosen.

    Only the module of the command that ``arguments`` name is imported: some take a while.
    """
    chosen = next((text for text in arguments if not text.startswith("-")), None)
    description = "The commands of pytest-toolsandbox beside a test run."
    parser = argparse.ArgumentParser(prog="toolsandbox", description=description)
    subparsers = {"": parser.add_subparsers(metavar="COMMAND")}
    for name, (module, text) in COMMANDS.items():
        first, _, last = name.rpartition(" ")
        if first not in subparsers:
            group_text, metavar = _GROUPS[first]
            group = subparsers[""].add_parser(first, help=group_text)
            subparsers[first] = group.add_subparsers(required=True, metavar=metavar)
        added = subparsers[first].add_parser(last, help=text)
        if name.partition(" ")[0] == chosen:
            importlib.import_module(f"{__name__}.{module}")
            added.set_defaults(command=_registered[name])
            for names, options in _registered[name].arguments:
                added.add_argument(*names, **options)
    return parser


def file_path(text: str) -> Path:
    """Return the path of a file: a ``Path`` would lose the slash that a folder ends with."""
    if text.endswith("/"):
        raise argparse.ArgumentTypeError(f"{text} is a folder; name a file in it")
    return Path(text)


def share_of_one(text: str) -> float:
    """Return a number from 0 to 1."""
    try:
        return parse_fraction(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def count(text: str) -> int:
    """Return a whole number from 1 to 9999."""
    if not re.fullmatch("[1-9][0-9]{0,3}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 9999")
    return int(text)


PATHS: Final = argument("paths PATH", "files or folders", nargs="+", type=Path)
FILES: Final = argument("files RESULTS", "files that --sandbox-results wrote", nargs="+", type=Path)
MARGIN: Final = argument(
    "--margin SHARE",
    "the drop that is tolerated (default: 0.05; 0.03 with 200 scenarios or more)",
    type=share_of_one,
)
