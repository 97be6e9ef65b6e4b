"""The command line of ``toolsandbox``: its help, and what the work of each command is given."""

from __future__ import annotations

import argparse
import inspect
import re
import subprocess

import pytest
from command_line import Run
from warm import COLD

from pytest_toolsandbox.commands import parsing

COMMANDS = [*parsing._registered]
STATEMENT = """
import sys
from pytest_toolsandbox.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize("command", [(), ("check",), ("baseline", "add")])
def test_help_imports_only_what_parsing_needs(command: tuple[str, ...]) -> None:
    printed = subprocess.run(
        [COLD, "-c", STATEMENT, *command, "--help"], capture_output=True, text=True, check=True
    )
    modules = [name.partition(".") for name in printed.stderr.split()]
    rooms = {rest.partition(".")[0] for top, _, rest in modules if top == "pytest_toolsandbox"}
    assert rooms == {"", "__main__", "commands", "concurrency", "text"}
    assert not {top for top, _, _ in modules} & {"httpx", "numpy", "pydantic", "scipy", "yaml"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.load.__name__)
def test_the_work_of_a_command_takes_its_arguments(command: parsing.Command) -> None:
    parser = argparse.ArgumentParser(add_help=False)
    for names, options in command.arguments:
        parser.add_argument(*names, **options)
    names = [action.dest for action in parser._actions]
    names_of_values = [name for name in names if not name.startswith("sandbox_")]  # for pytest
    from_ini_file = ["project"] if command.reads_ini else []
    parameters = inspect.signature(command.load()).parameters
    assert sorted(parameters) == sorted([*names_of_values, *from_ini_file])


def test_help_lists_commands_and_groups_in_their_order(run: Run) -> None:
    first_words = dict.fromkeys((command.group or command).name for command in COMMANDS)
    assert re.findall(r"^    ([a-z-]+)", run("--help").out, re.MULTILINE) == [*first_words]
    for group in filter(None, {command.group for command in COMMANDS}):
        names = [command.name for command in COMMANDS if command.group == group]
        help_text = run(group.name, "--help").out
        assert re.findall(r"^    ([a-z0-9-]+)", help_text, re.MULTILINE) == names
