"""The commands that are no test run: ``python -m pytest_toolsandbox``, or ``toolsandbox``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from . import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0, or 1 where it found something wrong."""
    description = "The commands of pytest-toolsandbox that are no test run."
    parser = argparse.ArgumentParser(prog="toolsandbox", description=description)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser(
        "check", help="prove that solutions pass and that counterexamples do not"
    )
    check.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files or folders")
    check.add_argument(
        "--embedder",
        help="what compares meanings: module:attribute, provider/model or "
        "sentence-transformers/NAME",
    )
    commands.add_parser("schema", help="print the JSON Schema of scenario files")
    given = parser.parse_args(arguments)
    try:
        status = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has read enough, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _run(given: argparse.Namespace) -> int:
    if given.command == "check":
        from .commands.check import check_paths

        return check_paths(given.paths, given.embedder)
    from .commands.schema import print_schema

    return print_schema()


if __name__ == "__main__":
    sys.exit(main())
