"""``toolsandbox report``, ``tables``, ``user-tables``, ``export`` and ``merge``: records of runs.

They write an HTML report, the papers' tables, records in other tools' formats, and the records of
shards as one run writes them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from pytest_toolsandbox.output.exports import chat_lines, inspect_log, log_file_name, otlp_trace
from pytest_toolsandbox.output.html.figures import Night
from pytest_toolsandbox.output.html.report import HtmlReport
from pytest_toolsandbox.output.paper_tables import (
    Rows,
    arm_names,
    arms_of,
    paper_tables,
    player_of,
)
from pytest_toolsandbox.output.tables import written_tables
from pytest_toolsandbox.output.user_tables import played_users, table_of_agents, table_of_prompts
from pytest_toolsandbox.records.merging import merge
from pytest_toolsandbox.records.record import Record, Summary, UserTrialRecord, read_record
from pytest_toolsandbox.records.trials import outcome_words
from pytest_toolsandbox.text.files import why_not_writable
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.locking import locked

from .banners import banners
from .forks_file import ForksFile
from .parsing import CommandError
from .record_files import (
    IS_FOLDER,
    StoredRun,
    check_output,
    consistent_records,
    latest_records,
    stored_runs,
    write_output,
)

_USER_FAULT: Final = "user_fault"
"""The outcome that records call *inconclusive*, which is only said of comparisons."""
_IN_FULL: Final = 2
"""Runs of a trend of which the report has the conversations."""


def write_report(
    files: Sequence[Path], out: Path, baseline: Path | None, margin: float | None, *, trend: bool
) -> int:
    """Write the report; return 1 for lines that cannot be used, which the report names too.

    With ``trend``, runs are in the order of their times, and only the last two have conversations.
    """
    check_output(out, [*files, *([baseline] if baseline else [])])
    runs = stored_runs(files)
    if trend:
        runs.sort(key=lambda run: run.date)
    remarks = [(text, run.path) for run in runs for text in (run.not_run, run.unusable) if text]
    # The report is sent to others, who do not know the folders of this machine.
    report = HtmlReport(remarks=[text.replace(str(path), path.name) for text, path in remarks])
    if trend:
        report.nights = _nights(runs)
    shown = runs[-_IN_FULL:] if trend else runs
    for run in shown:
        forks = ForksFile(run.path)
        for line in run.lines:
            with run.whole(line):
                of_trial = forks.of(line.read["id"], line.read["trial"])
                report.add(line.record, run.name, of_trial)
    report.gates += banners(shown, baseline, margin)
    with consistent_records(*files):
        write_output(out, report.texts())
    records = pluralize(sum(len(run.lines) for run in runs), "record")
    print(f"{out}: {records}", *(text for text, _ in remarks), sep="\n")
    return 1 if any(run.unusable for run in runs) else 0


def _nights(runs: Sequence[StoredRun]) -> list[Night]:
    """Return the points of a trend, with the same name for the same agent and prompt in all."""
    with consistent_records(*(run.path for run in runs)):
        names = arm_names(player_of(line.read, "") for run in runs for line in run.lines)
        nights = []
        for run in runs:
            records: dict[str, list[Summary]] = {}
            for line in run.lines:
                records.setdefault(names[player_of(line.read, "")], []).append(line.read)
            nights.append(Night(run.date, records))
    return nights


def print_tables(files: Sequence[Path], form: str, rows: Rows) -> int:
    """Print the tables that there are figures for; return 1 for lines that cannot be used."""
    runs = stored_runs(files, whole=False)
    played = [(player_of(line.read, run.name), line.read) for run in runs for line in run.lines]
    with consistent_records(*files):
        tables = paper_tables(arms_of(played), rows)
    if not tables:
        raise CommandError("there are no figures: no conversation in these records was scored")
    remarks = [text for run in runs for text in (run.not_run, run.unusable) if text]
    print(written_tables(tables, form), *remarks, sep="\n")
    return 1 if any(run.unusable for run in runs) else 0


def print_user_tables(files: Sequence[Path]) -> int:
    """Print Tables 2 and 3 of ToolSandbox from files of records; return 1 for unusable lines."""
    played, unusable = [], []
    for file in dict.fromkeys(files):
        records, remark = latest_records(file, UserTrialRecord)
        with consistent_records(file):
            played += played_users(str(file), records)
        unusable += [remark] if remark else []
    if not played:
        text = "no user was played by a model in these records; play with --sandbox-user=MODEL"
        raise CommandError(text)
    print(*table_of_prompts(played), "", *table_of_agents(played), *unusable, sep="\n")
    return 1 if unusable else 0


def export(files: Sequence[Path], form: str, outcome: str | None, out: str | None) -> int:
    """Write the records, or those of an outcome; return 1 for lines that cannot be used.

    A log for Inspect is given a name in ``out`` if that is a folder, or has no ending or a slash
    at its end.
    """
    is_folder = False
    if out is not None:
        is_folder = form == "inspect" and (
            out.endswith("/") or not Path(out).suffix or Path(out).is_dir()
        )
        if not is_folder and not out.endswith("/"):
            check_output(Path(out), files)
        elif reason := why_not_writable(Path(out, "log.json")) if is_folder else IS_FOLDER:
            raise CommandError(f"cannot write to {out}: {reason}")
    runs = stored_runs(files)
    lines = [line for run in runs for line in run.lines]
    value = "inconclusive" if outcome == _USER_FAULT else outcome
    chosen = [line for line in lines if value in (None, line.read["outcome"])]
    if not chosen:
        raise CommandError(f"there is no conversation whose outcome is {outcome}")
    with consistent_records(*files):
        text = _exported([read_record(line.record) for line in chosen], form, runs)
    if out is None:
        print(text, end="")
    else:
        path = Path(out, log_file_name(json.loads(text))) if is_folder else Path(out)
        write_output(path, text)
        print(f"{path}: {pluralize(len(chosen), 'conversation')}")
    if unusable := [run.unusable for run in runs if run.unusable]:
        raise CommandError("\n".join(unusable))
    return 0


def _exported(records: Sequence[Record], form: str, runs: Sequence[StoredRun]) -> str:
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
    """Write the records of all files to one; return 1 if it is not whole."""
    if reason := why_not_writable(out):
        raise CommandError(f"cannot write to {out}: {reason}")
    with locked(out):
        with suppress(OSError):  # there is no such file, or write_output says what is wrong
            if out.stat().st_size:
                raise CommandError(f"{out} exists and is not empty; name another file")
        merged = merge(dict.fromkeys(files))
        with consistent_records(*files):  # as with a NaN, which is no JSON
            write_output(out, merged.texts())
    items = pluralize(len({entry.id for entry in merged.placed}), "scenario")
    outcomes = sorted(Counter(entry.facts["outcome"] for entry in merged.placed).items())
    counts = ", ".join(f"{count} {outcome_words(outcome)}" for outcome, count in outcomes)
    total = f"{out}: {pluralize(len(merged.placed), 'record')} of {items}: {counts}"
    print(total, *merged.missing, *merged.unusable, sep="\n")
    return 1 if merged.missing or merged.unusable else 0
