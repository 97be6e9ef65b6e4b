"""``toolsandbox tables``: the papers' tables for several agents and runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.reporting.arms import arms_of, player_of
from pytest_toolsandbox.reporting.paper_tables import paper_tables
from pytest_toolsandbox.reporting.table_forms import written_tables

from . import CommandError
from .stored_runs import holding_together, stored_runs


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
