"""``toolsandbox export``: records in the formats of other tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.records.record import Record, read_record
from pytest_toolsandbox.reporting.arms import arm_names, player_of
from pytest_toolsandbox.reporting.exports.chat import chat_lines
from pytest_toolsandbox.reporting.exports.inspect_log import inspect_log, log_file_name
from pytest_toolsandbox.reporting.exports.otlp import otlp_trace
from pytest_toolsandbox.wording.phrases import counted
from pytest_toolsandbox.wording.whole_files import why_not_writable

from . import CommandError
from .output_files import IS_FOLDER, check_output, write_output
from .stored_runs import StoredRun, holding_together, stored_runs


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
        print(f"{path}: {counted(len(chosen), 'conversation')}")
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
