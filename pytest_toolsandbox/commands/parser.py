"""What the commands read: their names, arguments and options, in the order of the help."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_toolsandbox.text.formatting import parse_fraction

AUGMENT = "what --sandbox-augment is to pytest: none, all, or names with commas between"
EMBEDDER = "what compares meanings: module:attribute, provider/model or sentence-transformers/NAME"
JUDGE = "who reads words that nothing else tells apart: a model, or module:attribute"
SCORE = "the share of mutants, from 0 to 1, that must die (default: 0.95)"
BASELINE = "the file of the baseline (default: baseline.jsonl)"
MARGIN = "the drop that is tolerated (default: 0.05, and 0.03 from 200 scenarios on)"
API_SIMILARITY = "print how alike the names of the tools are, and nothing else"
QUARANTINE = "say which scenarios may leave their quarantine; PATH is a file of records then"
PASSES = "so many trials in a row that pass let a scenario leave its quarantine (default: 20)"

_PATHS: dict[str, Any] = {"nargs": "+", "type": Path, "metavar": "PATH"}
_RESULTS: dict[str, Any] = {"nargs": "+", "type": Path, "metavar": "RESULTS"}
_FILES: dict[str, Any] = _RESULTS | {"help": "files that --sandbox-results wrote"}

_MODULES = {
    **dict.fromkeys(("report", "tables", "user-tables", "export", "merge"), "reports"),
    **dict.fromkeys(("stats", "schema"), "suites"),
    "compare": "gate",
}
"""Commands that share the module of another one."""

Command = Callable[[str, str, str], argparse.ArgumentParser]
"""Adds a command: its name, the function in its module, and what it does."""


def command_parser() -> argparse.ArgumentParser:
    """Return the parser; what it reads are the arguments of the function that it names."""
    description = "The commands of pytest-toolsandbox beside a test run."
    parser = argparse.ArgumentParser(prog="toolsandbox", description=description)
    commands = parser.add_subparsers(metavar="COMMAND")

    def command(name: str, function: str, text: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=text)
        module = _MODULES.get(name, name)
        one.set_defaults(function=f"commands.{module}:{function}")
        return one

    _add_of_scenarios(command)
    _add_of_results(command)
    command("suites", "print_suites", "list the suites that come with the package").add_argument(
        "name", nargs="?", help="print nothing but the path of this one"
    )
    _add_init(command)
    _add_try_agent(command)
    _add_calibrate(command)
    _add_reports(command)
    _add_cassettes(command)
    _add_baseline(commands)
    _add_compare(command)
    _add_gate(command)
    _add_import(commands)
    return parser


def _add_of_scenarios(command: Command) -> None:
    """Add ``toolsandbox check``, ``schema`` and ``stats``."""
    text = "prove that solutions pass, and that counterexamples and mutants do not"
    check = command("check", "check_paths", text)
    check.add_argument("paths", help="files or folders", **_PATHS)
    check.add_argument("--embedder", help=EMBEDDER)
    check.add_argument("--judge", metavar="JUDGE", help=JUDGE)
    check.add_argument("--mutation-score", type=_share, default=0.95, metavar="SHARE", help=SCORE)

    schema = command("schema", "print_schema", "print the JSON Schema of scenario files or records")
    schema.add_argument("--record", action="store_true", help="print the schema of records")

    stats = command("stats", "print_statistics", "count what scenarios are made of")
    stats.add_argument("paths", help="files or folders", **_PATHS)
    stats.add_argument("--augment", default="none", metavar="NAMES", help=AUGMENT)
    stats.add_argument("--quarantine", action="store_true", help=QUARANTINE)
    stats.add_argument("--passes", type=_count, default=20, metavar="N", help=PASSES)
    stats.add_argument("--api-similarity", action="store_true", help=API_SIMILARITY)


def _add_of_results(command: Command) -> None:
    """Add ``toolsandbox user-tables`` and ``merge``."""
    text = "print how often users were at fault that a model played (ToolSandbox, Tables 2 and 3)"
    command("user-tables", "print_user_tables", text).add_argument("files", **_FILES)
    text = "put the records of shards together, if they are parts of one run"
    merged = command("merge", "merge_records", text)
    merged.add_argument("files", **_FILES)
    merged.add_argument("-o", "--out", type=_file, required=True, metavar="FILE", help="a new file")


def _add_try_agent(command: Command) -> None:
    """Add ``toolsandbox try-agent``."""
    tried = command("try-agent", "try_agent", "show what an agent is sent, and what comes back")
    tried.set_defaults(function="plugin.commands:try_agent")  # which reads the ini file
    tried.add_argument("agent", metavar="AGENT", help="what --agent is to pytest")
    formats: dict[str, Any] = {"choices": ("native", "text", "react"), "default": "native"}
    tried.add_argument("--call-format", help="how the agent calls tools", **formats)


def _add_calibrate(command: Command) -> None:
    """Add ``toolsandbox calibrate``."""
    text = "say how often a judge is wrong about wordings that people have labelled"
    one = command("calibrate", "calibrate", text)
    one.set_defaults(function="plugin.commands:calibrate")  # which reads the ini file
    told = "what --sandbox-judge is to pytest, or none: exact facts alone decide"
    one.add_argument("judge", nargs="?", metavar="JUDGE", help=told)
    told = "a file of labels, one JSON object a line"
    one.add_argument("labels", nargs="?", type=Path, metavar="LABELS", help=told)
    told = "write the labels of a run's conversations instead, to be judged by hand"
    one.add_argument("--from", dest="results", type=Path, metavar="RESULTS", help=told)
    told = "where --from writes them (default: print them)"
    one.add_argument("-o", "--out", type=_file, metavar="FILE", help=told)
    folders: dict[str, Any] = {"type": Path, "action": "append", "default": [], "metavar": "DIR"}
    told = "where the scenarios are (repeatable; default: the suites, and below here)"
    one.add_argument("--scenarios", help=told, **folders)
    told = "how often the judge is asked of each, an odd number (default: 1)"
    one.add_argument("--votes", type=_odd, metavar="N", help=told)
    told = "wordings that are judged at a time (default: 8)"
    one.add_argument("--concurrency", type=_count, default=8, metavar="N", help=told)
    one.add_argument("--show", action="store_true", help="print the lines that are misjudged")


def _add_import(commands: Any) -> None:
    """Add ``toolsandbox import tooltalk``."""
    published = commands.add_parser("import", help="turn published data into scenario files")
    kinds = published.add_subparsers(required=True, metavar="FORMAT")
    tooltalk = kinds.add_parser("tooltalk", help="ToolTalk's conversations and databases")
    tooltalk.set_defaults(function="commands.import_tooltalk:import_tooltalk")
    text = "has easy/ or tooltalk/, or both, and databases/"
    tooltalk.add_argument("data", type=Path, metavar="DIR", help=text)
    tooltalk.add_argument("out", type=Path, metavar="OUT", help="a folder that is new, or empty")


def _add_cassettes(command: Command) -> None:
    """Add ``toolsandbox cassettes``."""
    text = "list recorded conversations with their sizes, and what is stale or missing"
    cassettes = command("cassettes", "list_cassettes", text)
    cassettes.set_defaults(function="plugin.commands:list_cassettes")  # which reads the ini file
    cassettes.add_argument("paths", help="files or folders", **_PATHS)
    text = "what sandbox_cassettes is to pytest (default: as the ini file says)"
    cassettes.add_argument("--folder", type=Path, metavar="DIR", help=text)
    text = "what --sandbox-trials is to pytest (default: as the ini file and the scenario say)"
    cassettes.add_argument("--trials", type=_count, metavar="N", help=text)
    text = "remove stale cassettes, with --trials stale trials, and what killed runs left behind"
    cassettes.add_argument("--prune", action="store_true", help=text)
    text = "exit with status 1 where something is missing, stale or broken"
    cassettes.add_argument("--check", action="store_true", help=text)


def _add_init(command: Command) -> None:
    """Add ``toolsandbox init``."""
    init = command("init", "write_template", "write a first scenario, an agent and a workflow")
    folder: dict[str, Any] = {"nargs": "?", "type": Path, "default": Path(), "metavar": "DIR"}
    init.add_argument("folder", help="default: here", **folder)
    text = "write a workflow that says on GitHub whether a change makes the agent worse"
    init.add_argument("--ci", action="store_true", help=text)


def _add_reports(command: Command) -> None:
    """Add what shows records."""
    report = command("report", "write_report", "write an HTML page of the records of runs")
    report.add_argument("files", **_FILES)
    page: dict[str, Any] = {"type": _file, "default": Path("report.html"), "metavar": "FILE"}
    report.add_argument("-o", "--out", help="default: report.html", **page)

    text = "say what a file of records has, or print a conversation, or two beside each other"
    shown = command("show", "show_item", text)
    shown.add_argument("results", type=Path, metavar="RESULTS", help="what --sandbox-results wrote")
    item = "its id, or the name of its scenario (default: say which there are)"
    shown.add_argument("item", metavar="ITEM", nargs="?", help=item)
    shown.add_argument("--trial", type=int, metavar="N", help="only this trial (default: all)")
    other = "another trial's number, another item, or another file that has it: where they part"
    shown.add_argument("--beside", metavar="WHAT", help=other)
    width = "columns (default: those of the terminal, at least 60)"
    shown.add_argument("--width", type=int, metavar="N", help=width)

    tables = command("tables", "print_tables", "print the papers' tables, a column for each agent")
    tables.add_argument("files", **_FILES)
    forms: dict[str, Any] = {"choices": ("text", "markdown", "csv", "latex"), "default": "text"}
    tables.add_argument("--format", dest="form", help="how they are written", **forms)

    exported = command("export", "export", "write records in the formats of other tools")
    exported.add_argument("files", **_FILES)
    formats: dict[str, Any] = {"choices": ("inspect", "otlp-json", "chat-jsonl"), "required": True}
    exported.add_argument("--format", dest="form", help="whose", **formats)
    outcomes: dict[str, Any] = {"choices": ("passed", "failed", "error", "inconclusive")}
    exported.add_argument("--outcome", help="only conversations that ended so", **outcomes)
    where = "where to write (default: print it); of a log for Inspect also a folder"
    exported.add_argument("-o", "--out", metavar="FILE", help=where)


def _add_compare(command: Command) -> None:
    """Add ``toolsandbox compare``."""
    text = "say what later runs are beside the first: worse, no worse, better, and where"
    compared = command("compare", "compare", text)
    told = "a baseline, or what --sandbox-results wrote; the first is what others are held against"
    compared.add_argument("files", nargs="+", type=Path, metavar="FILE", help=told)
    forms: dict[str, Any] = {"choices": ("text", "markdown", "json"), "default": "text"}
    compared.add_argument("--format", dest="form", help="how it is written", **forms)
    compared.add_argument("--margin", type=_share, metavar="SHARE", help=MARGIN)
    limit: dict[str, Any] = {"type": int, "default": 65_536, "metavar": "N"}
    compared.add_argument("--limit", help="characters of Markdown (default: 65536)", **limit)
    told = "leave out scenarios that are not in all files, which else are missing"
    compared.add_argument("--common", action="store_true", help=told)
    told = "what becomes of the exit status where the trials are too few (default: pass)"
    choices: dict[str, Any] = {"choices": ("fail", "pass"), "default": "pass", "help": told}
    compared.add_argument("--inconclusive", **choices)


def _add_gate(command: Command) -> None:
    """Add ``toolsandbox gate --self-test``."""
    text = "try the gate on trials of your own, between which nothing changed"
    gate = command("gate", "print_self_test", text)
    records: dict[str, Any] = {"nargs": "+", "type": Path, "metavar": "FILE", "dest": "files"}
    told = "split the trials of these records or baselines at random, a thousand times"
    gate.add_argument("--self-test", required=True, help=told, **records)
    gate.add_argument("--margin", type=_share, metavar="SHARE", help=MARGIN)


def _add_baseline(commands: Any) -> None:
    """Add ``toolsandbox baseline add|accept|show``."""
    text = "keep the results that later runs are compared with"
    kinds = commands.add_parser("baseline", help=text).add_subparsers(required=True, metavar="WHAT")
    for name, function, told in (
        ("add", "add_to_baseline", "add the trials of a run"),
        ("accept", "accept_level", "begin anew with these results, since the new level is meant"),
        ("show", "show_baseline", "print the runs that a baseline has"),
    ):
        one = kinds.add_parser(name, help=told)
        one.set_defaults(function=f"commands.gate:{function}")
        if name != "show":
            one.add_argument("results", **_FILES)
            day = "the day of the run, such as 2025-03-14 (default: when its file was written)"
            one.add_argument("--date", help=day)
        one.add_argument("--file", type=_file, default=Path("baseline.jsonl"), help=BASELINE)
        if name == "accept":
            one.add_argument("--reason", required=True, help="why the new level is accepted")


def _file(text: str) -> Path:
    """Return the path of a file; a path has no slash at its end, and would be another one."""
    if text.endswith("/"):
        raise argparse.ArgumentTypeError(f"{text} is a folder; name a file in it")
    return Path(text)


def _share(text: str) -> float:
    try:
        return parse_fraction(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _odd(text: str) -> int:
    if not re.fullmatch("[0-9]{0,2}[13579]", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not an odd number from 1 to 999")
    return int(text)


def _count(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,3}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 9999")
    return int(text)
