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
        "check", help="prove that solutions pass, and that counterexamples and mutants do not"
    )
    check.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files or folders")
    check.add_argument(
        "--embedder",
        help="what compares meanings: module:attribute, provider/model or "
        "sentence-transformers/NAME",
    )
    check.add_argument(
        "--mutation-score",
        type=_share,
        default=0.95,
        metavar="SHARE",
        help="the share of mutants, from 0 to 1, that must die (default: 0.95)",
    )
    schema = commands.add_parser("schema", help="print the JSON Schema of scenario files")
    schema.add_argument("--record", action="store_true", help="that of records instead")
    stats = commands.add_parser("stats", help="count what scenarios are made of")
    stats.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files or folders")
    stats.add_argument(
        "--augment",
        default="none",
        metavar="NAMES",
        help="what --sandbox-augment is to pytest: none, all, or names with commas between",
    )
    stats.add_argument(
        "--api-similarity",
        action="store_true",
        help="print how alike the names of the tools are, and nothing else",
    )
    suites = commands.add_parser("suites", help="list the suites that come with the package")
    suites.add_argument("name", nargs="?", help="print nothing but the path of this one")
    init = commands.add_parser("init", help="write a first scenario, an agent and a workflow")
    init.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="default: here"
    )
    published = commands.add_parser("import", help="turn published data into scenario files")
    formats = published.add_subparsers(dest="format", required=True, metavar="FORMAT")
    tooltalk = formats.add_parser("tooltalk", help="ToolTalk's conversations and databases")
    tooltalk.add_argument(
        "data", type=Path, metavar="DIR", help="has easy/ or tooltalk/, or both, and databases/"
    )
    tooltalk.add_argument("out", type=Path, metavar="OUT", help="a folder that is new, or empty")
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

        return check_paths(given.paths, given.embedder, given.mutation_score)
    if given.command == "stats":
        from .commands.stats import print_similarity, print_statistics

        similarity = given.api_similarity
        return (
            print_similarity(given.paths)
            if similarity
            else print_statistics(given.paths, given.augment)
        )
    if given.command == "suites":
        from .commands.suites import print_path, print_suites

        return print_suites() if given.name is None else print_path(given.name)
    if given.command == "init":
        from .commands.init import write_template

        return write_template(given.folder)
    if given.command == "import":
        from .importers.tooltalk import import_tooltalk

        return import_tooltalk(given.data, given.out)
    from .commands.schema import print_record_schema, print_schema

    return print_record_schema() if given.record else print_schema()


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return value


if __name__ == "__main__":
    sys.exit(main())
