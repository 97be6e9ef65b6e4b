"""The commands beside a test run: ``python -m pytest_toolsandbox``, or ``toolsandbox``."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from pytest_toolsandbox.concurrency.stopping import interrupt, stoppable
from pytest_toolsandbox.text.files import FileError
from pytest_toolsandbox.text.formatting import escape_unprintable

from . import __version__
from .commands import AT_END, BEFORE_CONFTESTS, Command, CommandError, command_parser, parsed

USAGE = 2
"""The exit status without a command, as argparse gives it."""
INTERRUPTED = 130
"""The exit status after Ctrl-C or SIGTERM; shells give it for the first."""


class _Terminal(io.TextIOBase):
    """Prints what commands print, without the control characters of file names and texts."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(escape_unprintable(text))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0, or 1 if it found something wrong.

    SIGTERM ends it as Ctrl-C does, so that no lock and no temporary file is left.
    """
    try:
        with stoppable(interrupt):
            return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def _keep_python_path(folder: Path) -> None:
    from .plugin.project_settings import keep_python_path  # which imports pytest

    keep_python_path(folder)


def _run(arguments: Sequence[str]) -> int:
    parser = command_parser(arguments)
    parser.add_argument("--version", action="version", version=__version__)
    values = parsed(parser, arguments)
    if "command" not in values:
        parser.print_help(sys.stderr)
        return USAGE
    command: Command = values.pop("command")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # not every console has each letter
    try:
        with contextlib.redirect_stdout(_Terminal(sys.stdout)), command.within():
            if command.reads_ini:
                from .plugin.project_settings import read_project  # which imports pytest

                of_run = [name for name in values if name.startswith("sandbox_")]
                pairs = [(name.replace("_", "-"), values.pop(name)) for name in of_run]
                options = [f"--{name}={value}" for name, value in pairs if value is not None]
                values["project"] = read_project(values.get("paths", ()), options)
            BEFORE_CONFTESTS[:] = [_keep_python_path]
            try:
                status = command.load()(**values)
            finally:
                while AT_END:
                    AT_END.pop()()
        sys.stdout.flush()
    except (OSError, CommandError, FileError) as error:
        if isinstance(error, OSError):
            with contextlib.suppress(io.UnsupportedOperation):  # a stream of a caller in Python
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader has read enough, as head does
            return 0
        if text := str(error):
            print(escape_unprintable(text), file=sys.stderr)
        return error.status if isinstance(error, CommandError) else 1
    return status


if __name__ == "__main__":
    sys.exit(main())
