"""Registers the commands, builds the parser of ``toolsandbox``, and checks arguments' types.

A command is a function below a decorator that names it and its arguments::

    @command("suites", "list the bundled suites", argument("name", "of one suite", nargs="?"))
    def print_suites(name: str | None) -> int: ...
"""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from pytest_toolsandbox import commands
from pytest_toolsandbox.text.formatting import parse_fraction

Function = TypeVar("Function", bound=Callable[..., int])


class Argument(NamedTuple):
    """What ``ArgumentParser.add_argument`` takes."""

    names: list[str]
    options: dict[str, Any]


class Command(NamedTuple):
    """A function that takes its arguments as keywords and returns the exit status.

    One that ``reads_ini`` takes a ``project``, too, which has the settings of the ini file.
    """

    function: Callable[..., int]
    help: str
    arguments: tuple[Argument, ...]
    reads_ini: bool


_ORDER: Final = (
    *("check", "schema", "stats", "user-tables", "merge", "suites", "init", "try-agent"),
    *("calibrate", "report", "show", "tables", "export", "cassettes", "baseline", "compare"),
    *("gate", "import"),
)
"""The order of the help. Other commands follow."""
_commands: dict[str, Command] = {}
_groups: dict[str, dict[str, str]] = {}


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
    name: str, text: str, *arguments: Argument, reads_ini: bool = False
) -> Callable[[Function], Function]:
    """Register a function as the command ``name``, or ``GROUP NAME``; ``text`` is its help."""

    def registered(function: Function) -> Function:
        _commands[name] = Command(function, text, arguments, reads_ini)
        return function

    return registered


def group(name: str, text: str, metavar: str) -> None:
    """Register the name that several commands begin with, such as ``baseline``."""
    _groups[name] = {"help": text, "metavar": metavar}


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; ``command`` is the :class:`Command` that was chosen."""
    for file in Path(*commands.__path__).glob("[!_]*.py"):  # pkgutil would import inspect
        importlib.import_module(f"{commands.__name__}.{file.stem}")
    description = "The commands of pytest-toolsandbox beside a test run."
    parser = argparse.ArgumentParser(prog="toolsandbox", description=description)
    subparsers = {"": parser.add_subparsers(metavar="COMMAND")}
    for name in sorted(_commands, key=_place):
        first, _, last = name.rpartition(" ")
        if first not in subparsers:
            text, metavar = _groups[first]["help"], _groups[first]["metavar"]
            parent = subparsers[""].add_parser(first, help=text)
            subparsers[first] = parent.add_subparsers(required=True, metavar=metavar)
        added = subparsers[first].add_parser(last, help=_commands[name].help)
        added.set_defaults(command=_commands[name])
        for names, options in _commands[name].arguments:
            added.add_argument(*names, **options)
    return parser


def _place(name: str) -> int:
    first = name.partition(" ")[0]
    return _ORDER.index(first) if first in _ORDER else len(_ORDER)


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
