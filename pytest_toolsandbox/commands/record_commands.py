"""The commands for what runs and other programs wrote, with their arguments and their help.

Each function imports what does the work of its command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .parsing import (
    ASKING,
    PATHS,
    Group,
    Work,
    argument,
    command,
    count,
    count_or_path,
    file_path,
    odd_number,
    share_of_one,
)

_BASELINE: Final = Group("baseline", "keep the results that later runs are compared with", "WHAT")
_IMPORT: Final = Group(
    "import", "turn published data into scenarios, and conversations into records", "FORMAT"
)

_FILES: Final = argument(
    "files RESULTS", "files that --sandbox-results wrote", nargs="+", type=Path
)
_MARGIN: Final = argument(
    "--margin SHARE",
    "the drop that is tolerated (default: 0.05; 0.03 with 200 scenarios or more)",
    type=share_of_one,
)
_BASELINE_FILE: Final = argument(
    "--file FILE",
    "the file of the baseline (default: baseline.jsonl)",
    type=file_path,
    default=Path("baseline.jsonl"),
)
_DATE: Final = argument(
    "--date DATE", "the day of the run, such as 2025-03-14 (default: when its file was written)"
)


@command(
    "show",
    "list the records of a file, or print a conversation, or two beside each other",
    argument("results RESULTS", "what --sandbox-results wrote", type=Path),
    argument(
        "item ITEM", "its id, or the name of its scenario (default: list the items)", nargs="?"
    ),
    argument("--trial N", "only this trial (default: all)", type=int),
    argument(
        "--beside WHAT",
        "another trial's number, another item, or another file that has it: where they part",
    ),
    argument("--width N", "columns (default: those of the terminal, at least 60)", type=int),
)
def _show() -> Work:
    from .show import show_item

    return show_item


_PLAYED_BY: Final = (
    argument("--agent AGENT", "as --agent of pytest (default: that of the record)"),
    argument("--user USER", "as --sandbox-user of pytest (default: that of the record)"),
    argument("--judge JUDGE", "as --sandbox-judge of pytest"),
    argument("--embedder EMBEDDER", "compares meanings, as sandbox_embedder of pytest"),
    argument(
        "--scenarios DIR",
        "where the scenarios are (repeatable; default: where the ids of the records say)",
        type=Path,
        action="append",
        default=[],
    ),
    argument(
        "-o --out FILE",
        "the records of what is played (default: RESULTS with the ending .forks.jsonl)",
        type=file_path,
    ),
    *ASKING,
)


@command(
    "blame",
    "find the step that decided a failed conversation: mend one at a time, and play on",
    argument("results RESULTS", "what --sandbox-results wrote", type=Path),
    argument("items ITEM", "its id or name (default: all that failed)", nargs="*"),
    argument("--trial N", "only this trial of each item (default: all that failed)", type=int),
    argument(
        "--times N",
        "how often the agent must succeed after a step is mended, and fail without (default: 3)",
        type=count,
        default=3,
    ),
    argument(
        "--continuations N",
        "the most conversations that are played on of each (default: 12)",
        type=count,
        default=12,
    ),
    *_PLAYED_BY,
    reads_ini=True,
)
def _blame() -> Work:
    from .blame import blame_items

    return blame_items


@command(
    "fork",
    "go back to a message of a recorded conversation, change it, and play on",
    argument("results RESULTS", "what --sandbox-results wrote", type=Path),
    argument("item ITEM", "its id, or the name of its scenario"),
    argument(
        "--at N",
        "the number of the message, as toolsandbox show prints it",
        type=int,
        required=True,
    ),
    argument("--say TEXT", "what its speaker says instead"),
    argument(
        "--call CALL",
        "the call that is made instead, as show prints it (repeatable: calls at once)",
        action="append",
        default=[],
    ),
    argument("--prompt FILE", "the agent's system prompt from there on", type=Path),
    argument("--trial N", "the trial of the item (default: the first in the file)", type=int),
    argument("--trials N", "how often it is played (default: 1)", type=count, default=1),
    *_PLAYED_BY,
    reads_ini=True,
)
def _fork() -> Work:
    from .fork import fork_item

    return fork_item


@command(
    "propose",
    "write scenarios from conversations that went well, and prove them",
    argument("results RESULTS", "what --sandbox-results or import chat wrote", type=Path),
    argument(
        "items ITEM", "ids, or names of scenarios (default: all in the file)", nargs="*", default=[]
    ),
    argument(
        "--scenarios PATH",
        "where the scenarios are that were played (repeatable; default: as the ids say)",
        type=Path,
        action="append",
        default=[],
    ),
    argument("--all-good", "take failed conversations for good ones, too"),
    argument("-o --out FILE", "a new file, or a folder for several (default: print it)"),
    reads_ini=True,
)
def _propose() -> Work:
    from .propose import propose_scenarios

    return propose_scenarios


@command(
    "report",
    "write an HTML report of the records of runs",
    _FILES,
    argument("-o --out FILE", "default: report.html", type=file_path, default=Path("report.html")),
    argument(
        "--baseline FILE",
        "a baseline or records, beside which the report says whether each run is worse (default: "
        "the first of several files, or of several agents in one)",
        type=Path,
    ),
    _MARGIN,
    argument("--trend", "show how runs develop over time, and the last two of them in full"),
)
def _report() -> Work:
    from .reports import write_report

    return write_report


@command(
    "compare",
    "compare later runs with the first: worse, no worse, better, and where",
    argument(
        "files FILE",
        "baselines, or what --sandbox-results wrote; others are compared with the first, and if it "
        "is alone, the other agents or prompts in it with the first of them",
        nargs="+",
        type=Path,
    ),
    argument(
        "--format",
        "how it is written",
        dest="form",
        choices=("text", "markdown", "json"),
        default="text",
    ),
    _MARGIN,
    argument("--limit N", "characters of Markdown (default: 65536)", type=int, default=65_536),
    argument(
        "--common", "leave out scenarios that are not in all files; otherwise they count as missing"
    ),
    argument(
        "--inconclusive",
        "the exit status if there are too few trials to tell (default: pass)",
        choices=("fail", "pass"),
        default="pass",
    ),
)
def _compare() -> Work:
    from .gate import compare

    return compare


@command(
    "add",
    "add the trials of a run",
    _FILES,
    _DATE,
    _BASELINE_FILE,
    group=_BASELINE,
)
def _baseline_add() -> Work:
    from .gate import add_to_baseline

    return add_to_baseline


@command(
    "accept",
    "begin anew with these results, since the new level is intended",
    _FILES,
    _DATE,
    _BASELINE_FILE,
    argument("--reason TEXT", "why the new level is accepted", required=True),
    group=_BASELINE,
)
def _baseline_accept() -> Work:
    from .gate import accept_level

    return accept_level


@command(
    "show",
    "print the runs that a baseline has",
    _BASELINE_FILE,
    group=_BASELINE,
)
def _baseline_show() -> Work:
    from .gate import show_baseline

    return show_baseline


@command(
    "gate",
    "plan a gate, or try it on trials between which nothing changed",
    argument(
        "--self-test FILE",
        "split the trials of these records or baselines at random, a thousand times",
        dest="files",
        nargs="+",
        type=Path,
    ),
    argument(
        "--plan SUITE",
        "what can be told with 1 to 10 trials: numbers of scenarios, scenario files, or records",
        dest="suites",
        nargs="+",
        type=count_or_path,
    ),
    _MARGIN,
)
def _gate() -> Work:
    from .gate import try_gate

    return try_gate


@command(
    "pick",
    "print the items that tell agents apart best, of results that are stored",
    argument("--budget N", "how many items", type=count, required=True),
    argument(
        "files RESULTS",
        "files that --sandbox-results wrote, or baselines, of several agents or prompts",
        nargs="+",
        type=Path,
    ),
)
def _pick() -> Work:
    from .pick import pick_items

    return pick_items


@command(
    "merge",
    "merge the records of shards, if they are parts of one run",
    _FILES,
    argument("-o --out FILE", "a new file", type=file_path, required=True),
)
def _merge() -> Work:
    from .reports import merge_records

    return merge_records


@command(
    "cassettes",
    "list recorded conversations with their sizes, and what is stale or missing",
    PATHS,
    argument(
        "--folder DIR", "as sandbox_cassettes of pytest (default: as the ini file says)", type=Path
    ),
    argument(
        "--trials N",
        "as --sandbox-trials of pytest (default: as the ini file and the scenario say)",
        type=count,
    ),
    argument(
        "--prune",
        "remove stale cassettes, with --trials stale trials, and what killed runs left behind",
    ),
    argument("--check", "exit with status 1 if something is missing, stale or broken"),
    reads_ini=True,
)
def _cassettes() -> Work:
    from .cassettes import list_cassettes

    return list_cassettes


@command(
    "calibrate",
    "count how often a judge is wrong about wordings that people have labelled",
    argument(
        "judge JUDGE", "as --sandbox-judge of pytest, or none: exact facts alone decide", nargs="?"
    ),
    argument("labels LABELS", "a file of labels, one JSON object a line", nargs="?", type=Path),
    argument(
        "--from RESULTS",
        "write the labels of a run's conversations instead, for people to judge",
        dest="results",
        type=Path,
    ),
    argument("-o --out FILE", "where --from writes them (default: print them)", type=file_path),
    argument(
        "--scenarios DIR",
        "where the scenarios are (repeatable; default: the suites, and below here)",
        type=Path,
        action="append",
        default=[],
    ),
    argument(
        "--votes N",
        "how often the judge is asked about each, an odd number (default: 1)",
        type=odd_number,
    ),
    argument(
        "--concurrency N",
        "wordings that are judged at the same time (default: 8)",
        type=count,
        default=8,
    ),
    argument("--show", "print the lines that are misjudged"),
    reads_ini=True,
)
def _calibrate() -> Work:
    from .calibrate import calibrate

    return calibrate


@command(
    "tables",
    "print the papers' tables, a column for each agent",
    _FILES,
    argument(
        "--format",
        "how they are written",
        dest="form",
        choices=("text", "markdown", "csv", "latex"),
        default="text",
    ),
    argument(
        "--rows",
        "what the rows are: figures, with a column for each agent, or agents, as in the papers",
        choices=("figures", "agents"),
        default="figures",
    ),
)
def _tables() -> Work:
    from .reports import print_tables

    return print_tables


@command(
    "user-tables",
    "print how often users that a model played made mistakes (ToolSandbox, Tables 2 and 3)",
    _FILES,
)
def _user_tables() -> Work:
    from .reports import print_user_tables

    return print_user_tables


@command(
    "export",
    "write records in the formats of other tools",
    _FILES,
    argument(
        "--format",
        "the tool's format",
        dest="form",
        choices=("inspect", "otlp-json", "chat-jsonl"),
        required=True,
    ),
    argument(
        "--outcome",
        "only conversations with this outcome",
        choices=("passed", "failed", "error", "user_fault"),
    ),
    argument(
        "-o --out FILE", "where to write (default: print it); of a log for Inspect also a folder"
    ),
)
def _export() -> Work:
    from .reports import export

    return export


@command(
    "tooltalk",
    "ToolTalk's conversations and databases",
    argument("data DIR", "has easy/ or tooltalk/, or both, and databases/", type=Path),
    argument("out OUT", "a folder that is new, or empty", type=Path),
    group=_IMPORT,
)
def _import_tooltalk() -> Work:
    from .importers import import_tooltalk

    return import_tooltalk


@command(
    "bfcl",
    "the multi-turn categories of BFCL (v3, v4)",
    argument("data PATH", "a checkout, the installed bfcl_eval, or its folder data", type=Path),
    argument("out OUT", "a folder that is new, or empty", type=Path),
    group=_IMPORT,
)
def _import_bfcl() -> Work:
    from .importers import import_bfcl

    return import_bfcl


@command(
    "tau2",
    "the tasks of tau2-bench: mock, airline, retail, telecom",
    argument("data PATH", "a checkout, or its folder data", type=Path),
    argument("out OUT", "a folder that is new, or empty", type=Path),
    group=_IMPORT,
)
def _import_tau2() -> Work:
    from .importers import import_tau2

    return import_tau2


@command(
    "chat",
    "conversations of other programs, as records that scenarios judge",
    argument("file FILE", "chat completions, OpenTelemetry spans or ATIF trajectories", type=Path),
    argument("paths PATH", "files or folders of the scenarios (default: .)", nargs="*", type=Path),
    argument("--scenario NAME", "the scenario of all of them, by its name or id"),
    argument(
        "-o --out FILE",
        "the records (default: FILE with the ending .records.jsonl)",
        type=file_path,
    ),
    reads_ini=True,
    group=_IMPORT,
)
def _import_chat() -> Work:
    from .traces import import_chat

    return import_chat
