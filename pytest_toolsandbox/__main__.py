"""The commands beside a test run: ``python -m pytest_toolsandbox``, or ``toolsandbox``."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from pytest_toolsandbox.commands.parser import command_parser
from pytest_toolsandbox.text.formatting import escape_unprintable

from . import __version__
from .commands import CommandError

USAGE = 2
"""The exit status without a command, as argparse gives it."""
INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells give it."""


class _Terminal(io.TextIOBase):
    """What commands print to: no name of a file or in it controls a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(escape_unprintable(text))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0, or 1 where it found something wrong."""
    parser = command_parser()
    parser.add_argument("--version", action="version", version=__version__)
    given = vars(parser.parse_args(arguments))
    if "function" not in given:
        parser.print_help(sys.stderr)
        return USAGE
    module, _, name = given.pop("function").partition(":")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # not every console knows each letter
    try:
        function = getattr(importlib.import_module(f"{__package__}.{module}"), name)
        with contextlib.redirect_stdout(_Terminal(sys.stdout)):
            status: int = function(**given)
        sys.stdout.flush()
    except (OSError, CommandError) as error:
        if isinstance(error, OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader has read enough, as head does
            return 0
        print(escape_unprintable(str(error)), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    return status


if __name__ == "__main__":
    sys.exit(main())
