"""``toolsandbox report``: an HTML page of the records of one run or several.

``toolsandbox tables``: the papers' tables for several agents and runs.

``toolsandbox user-tables``: how often users were at fault that a model played.

``toolsandbox export``: records in the formats of other tools.

``toolsandbox merge``: the records of the shards of a run, as one run writes them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.output.exports import chat_lines, inspect_log, log_file_name, otlp_trace
from pytest_toolsandbox.output.html.report import HtmlReport
from pytest_toolsandbox.output.paper_tables import (
    arm_names,
    arms_of,
    paper_tables,
    player_of,
)
from pytest_toolsandbox.output.tables import written_tables
from pytest_toolsandbox.output.user_tables import played_users, table_of_agents, table_of_prompts
from pytest_toolsandbox.records.merging import Merged, MergeError, merge
from pytest_toolsandbox.records.reading import StoredError, usable_records
from pytest_toolsandbox.records.record import Record, UserTrialRecord, read_record
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.text.files import why_not_writable
from pytest_toolsandbox.text.formatting import pluralize

from . import CommandError
from .show import IS_FOLDER, StoredRun, check_output, holding_together, stored_runs, write_output


def write_report(files: Sequence[Path], out: Path) -> int:
    """Write the page; return 1 for lines that cannot be used, which the page names too."""
    check_output(out, files)
    runs = stored_runs(files)
    told = [(text, run.path) for run in runs for text in (run.not_run, run.unusable) if text]
    # The page goes to others, whom the folders of this machine are nothing to.
    report = HtmlReport(remarks=[text.replace(str(path), path.name) for text, path in told])
    count = 0
    for run in runs:
        for line in run.lines:
            with run.whole(line):
                report.add(line.record, run.name)
            count += 1
    with holding_together(*files):
        text = report.text()
    write_output(out, text)
    print(f"{out}: {pluralize(count, 'record')}", *(text for text, _ in told), sep="\n")
    return 1 if any(run.unusable for run in runs) else 0


def print_tables(files: Sequence[Path], form: str) -> int:
    """Print the tables that there are figures for; return 1 for lines that cannot be used."""
    runs = stored_runs(files, whole=False)
    played = [(player_of(line.read, run.name), line.read) for run in runs for line in run.lines]
    with holding_together(*files):
        tables = paper_tables(arms_of(played))
    if not tables:
        raise CommandError("there are no figures: no conversation in these records was scored")
    told = [text for run in runs for text in (run.not_run, run.unusable) if text]
    print(written_tables(tables, form), *told, sep="\n")
    return 1 if any(run.unusable for run in runs) else 0


def print_user_tables(files: Sequence[Path]) -> int:
    """Print Tables 2 and 3 of ToolSandbox from files of records; return 1 for unusable lines."""
    played, unusable = [], []
    try:
        for file in dict.fromkeys(files):
            records, told = usable_records(file, UserTrialRecord)
            latest = {(record["id"], record["trial"]): record for record in records}
            with holding_together(file):
                played += played_users(str(file), latest.values())
            unusable += [told] if told else []
    except StoredError as error:
        raise CommandError(str(error)) from None
    if not played:
        text = "no user was played by a model in these records; play with --sandbox-user=MODEL"
        raise CommandError(text)
    print(*table_of_prompts(played), "", *table_of_agents(played), *unusable, sep="\n")
    return 1 if unusable else 0


def export(files: Sequence[Path], form: str, outcome: str | None, out: str | None) -> int:
    """Write the records, or those of an outcome; return 1 for lines that cannot be used.

    A log for Inspect is given a name in ``out`` where that is a folder, or has no ending or a slash
    at its end.
    """
    is_folder = out is not None and form == "inspect" and _is_folder(out)
    if out is not None:
        _check(out, files, is_folder=is_folder)
    runs = stored_runs(files)
    lines = [line for run in runs for line in run.lines]
    chosen = [line for line in lines if outcome in (None, line.read["outcome"])]
    if not chosen:
        raise CommandError(f"there is no conversation whose outcome is {outcome}")
    with holding_together(*files):
        text = _written([read_record(line.record) for line in chosen], form, runs)
    if out is None:
        print(text, end="")
    else:
        path = Path(out, log_file_name(json.loads(text))) if is_folder else Path(out)
        write_output(path, text)
        print(f"{path}: {pluralize(len(chosen), 'conversation')}")
    unusable = [run.unusable for run in runs if run.unusable]
    if unusable:
        raise CommandError("\n".join(unusable))
    return 0


def _is_folder(out: str) -> bool:
    path = Path(out)
    return out.endswith("/") or path.is_dir() or not path.suffix


def _check(out: str, files: Sequence[Path], *, is_folder: bool) -> None:
    """Raise ``CommandError`` where nothing can be written, or something would be lost."""
    if not is_folder and not out.endswith("/"):
        check_output(Path(out), files)
    elif reason := why_not_writable(Path(out, "log.json")) if is_folder else IS_FOLDER:
        raise CommandError(f"cannot write to {out}: {reason}")


def _written(records: Sequence[Record], form: str, runs: Sequence[StoredRun]) -> str:
    if form == "chat-jsonl":
        return "".join(f"{line}\n" for line in chat_lines(records))
    if form == "otlp-json":
        return f"{json.dumps(otlp_trace(records), ensure_ascii=False)}\n"
    players = [player_of(line.read, run.name) for run in runs for line in run.lines]
    if len(names := arm_names(players)) > 1:
        several = ", ".join(names.values())
        text = f"a log of Inspect is of one model, and there are {several}; export each by itself"
        raise CommandError(text)
    return f"{json.dumps(inspect_log(records, runs[0].name), indent=1, ensure_ascii=False)}\n"


def merge_records(files: Sequence[Path], out: Path) -> int:
    """Write the records of all files to one; return 1 where it is not whole."""
    if reason := why_not_writable(out):
        raise CommandError(f"cannot write to {out}: {reason}")
    if out.exists() and out.stat().st_size:
        raise CommandError(f"{out} is there and not empty; name another file")
    try:
        merged = merge(dict.fromkeys(files))
    except (MergeError, StoredError) as error:
        raise CommandError(str(error)) from None
    text = "".join(f"{as_line(record)}\n" for record in merged.records)
    write_output(out, text)
    print(_summary(merged, out), *merged.lacks, *merged.unusable, sep="\n")
    return 1 if merged.lacks or merged.unusable else 0


def _summary(merged: Merged, out: Path) -> str:
    items = pluralize(len({record["id"] for record in merged.records}), "scenario")
    outcomes = Counter(record["outcome"] for record in merged.records)
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    return f"{out}: {pluralize(len(merged.records), 'record')} of {items}: {told}"
