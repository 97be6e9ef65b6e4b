"""``toolsandbox user-tables``: how often users were at fault that a model played."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.records.reading import StoredError, usable_records
from pytest_toolsandbox.records.record import UserTrialRecord
from pytest_toolsandbox.reporting.user_tables import played_users, table_of_agents, table_of_prompts

from . import CommandError
from .stored_runs import holding_together


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
