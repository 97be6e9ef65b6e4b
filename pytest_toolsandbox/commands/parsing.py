"""How commands are registered with their arguments, and the parser of all of them.

``@command`` registers a function that imports what does the work::

    @command("suites", "list the bundled suites", argument("name", "its path alone", nargs="?"))
    def _suites() -> Work:
        from .suites import print_suites

        return print_suites
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.text.formatting import parse_fraction

Work = Callable[..., int]
"""What does the work of a command: takes its arguments as keywords, returns the exit status."""
Argument = tuple[list[str], dict[str, Any]]
"""What ``ArgumentParser.add_argument`` takes: names and options."""


AT_END: Final[list[Callable[[], object]]] = []
"""Functions that :func:`main` calls when the command has ended, the last one first."""
BEFORE_CONFTESTS: Final[list[Callable[[Path], object]]] = []
"""Functions that are called before the first ``conftest.py`` is imported, with its folder."""


class CommandError(Exception):
    """A command cannot do its work; the text is for the user, ``status`` is the exit status."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


class Group(NamedTuple):
    """The first word of several commands, its help, and what the word after it is called."""

    name: str
    text: str
    metavar: str


class Command(NamedTuple):
    """A command with its help; ``load`` imports what does its work, and returns it.

    The work of one that ``reads_ini`` takes a ``project``, too, which has the settings of the ini
    file. Reading it imports ``conftest.py`` files; this and the work happen ``within`` a context.
    """

    name: str
    text: str
    arguments: tuple[Argument, ...]
    group: Group | None
    reads_ini: bool
    within: Callable[[], AbstractContextManager[object]]
    load: Callable[[], Work]


_registered: Final[list[Command]] = []


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
    return names, {**options, "help": text}


def command(
    name: str,
    text: str,
    *arguments: Argument,
    group: Group | None = None,
    reads_ini: bool = False,
    within: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Callable[[Callable[[], Work]], Callable[[], Work]]:
    """Register a command with its help; the help of ``toolsandbox`` has it below earlier ones.

    The function imports what does the work, since these imports take up to 0.6 s, and parsing
    needs none of them.
    """

    def register(load: Callable[[], Work]) -> Callable[[], Work]:
        _registered.append(Command(name, text, arguments, group, reads_ini, within, load))
        return load

    return register


def command_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of all commands; ``command`` is the :class:`Command` that was chosen.

    Only the commands that the first word of ``arguments`` names get their own arguments: those of
    all would take longer than what else ``--help`` needs.
    """
    first = next((word for word in arguments if not word.startswith("-")), None)
    description = "The commands of pytest-toolsandbox beside a test run."
    parser = argparse.ArgumentParser(prog="toolsandbox", description=description)
    top = parser.add_subparsers(metavar="COMMAND")
    groups = {}
    for registered in _registered:
        beside = top
        if group := registered.group:
            if group not in groups:
                of_group = top.add_parser(group.name, help=group.text)
                groups[group] = of_group.add_subparsers(required=True, metavar=group.metavar)
            beside = groups[group]
        of_command = beside.add_parser(registered.name, help=registered.text)
        if first == (group or registered).name:
            of_command.set_defaults(command=registered)
            for names, options in registered.arguments:
                of_command.add_argument(*names, **options)
    names = [*dict.fromkeys((registered.group or registered).name for registered in _registered)]
    if first is not None and first not in names:
        from pytest_toolsandbox.text.nearest_name import unknown

        parser.error(unknown("command", first, names))
    return parser


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> dict[str, Any]:
    """Return the values of the arguments; an unknown option ends with the one that was meant."""
    namespace, further = parser.parse_known_args(arguments)
    values = vars(namespace)
    if further:
        from pytest_toolsandbox.text.nearest_name import did_you_mean

        command: Command | None = values.get("command")
        flags = [name for names, _ in command.arguments for name in names] if command else []
        flag = further[0].partition("=")[0]
        hint = did_you_mean(flag, [name for name in flags if name.startswith("--")])
        parser.error(f"unrecognized arguments: {' '.join(further)}{hint}")
    return values


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


def seed(text: str) -> int:
    """Return a whole number from 0."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def count_or_path(text: str) -> int | Path:
    """Return a whole number from 1 to 9999, or a path."""
    return count(text) if text.isdecimal() else Path(text)


def odd_number(text: str) -> int:
    """Return an odd number from 1 to 999."""
    if not re.fullmatch("[0-9]{0,2}[13579]", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not an odd number from 1 to 999")
    return int(text)


PATHS: Final = argument("paths PATH", "files or folders", nargs="+", type=Path)
"""The argument of commands that read scenarios."""

ASKING: Final = tuple(
    argument(f"--{name} {value}", f"as --sandbox-{name} of pytest", dest=f"sandbox_{dest}")
    for name, dest, value in (
        ("record", "record", "MODE"),
        ("max-cost", "max_cost", "DOLLARS"),
        ("max-tokens", "max_tokens", "N"),
        ("max-time", "max_time", "SECONDS"),
    )
)
"""The arguments of commands that ask models, which the settings of the project have, too."""
