"""What a run and its items keep, and the names under which its parts find each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_toolsandbox.records.reading import StoredRecords
    from pytest_toolsandbox.records.record import Summary
    from pytest_toolsandbox.runs.job import TrialPlan
    from pytest_toolsandbox.runs.resuming import Finished
    from pytest_toolsandbox.runs.sharding import Sharded

    from .payload import Payload

HELD_CHANNEL = pytest.StashKey[Any]()
"""A worker's end of the channel over which it says how many conversations it holds at a time."""
BAD_FILES = pytest.StashKey[set[Path]]()
"""The scenario files with mistakes."""
STORED: pytest.StashKey[StoredRecords] = pytest.StashKey()
"""The records that are judged again, where there are any."""
RESUMED: pytest.StashKey[Finished] = pytest.StashKey()
"""The trials that the run has finished which is resumed, if one is."""
ROUND: pytest.StashKey[TrialPlan] = pytest.StashKey()
"""Which trials of all items a later round plays, where there is one."""
RESUMED_AS: pytest.StashKey[Payload] = pytest.StashKey()
"""Which trials of an item ``--sandbox-resume`` kept, and whether its scenario has changed."""
SHARDED: pytest.StashKey[Sharded] = pytest.StashKey()
"""The shard that is played, where there is one."""
UNCHANGED = pytest.StashKey[dict[str, str]]()
"""The verdict of an earlier run that depended on the same as this one."""
GOES_ON = pytest.StashKey[bool]()
"""Whether further trials of an item say more: it has a result, and is in no quarantine."""
IMPACT = pytest.StashKey[str]()
"""The digest of all that the verdict of a run depends on."""
RECORDS = pytest.StashKey[list["Summary"]]()
"""The records of an item that was played."""
ON_THE_WAY = pytest.StashKey[list["Summary"]]()
"""Those that a report carries to wherever reports end up."""
RECORDED = pytest.StashKey[dict[str, list[str]]]()
"""What an item recorded that another process keeps: where, and texts of cassettes."""
IN_TURN = pytest.StashKey[str]()
"""Why an item was played in its turn, where others are played ahead."""
SECONDS = pytest.StashKey[float]()
"""How much longer an item's conversations took than it waited for them."""
BUDGET = "not run"
"""Why an item is skipped if the budget is spent."""
PLUGIN = __name__.rpartition(".")[0]
"""The module that pytest loads."""
HOOKS = "toolsandbox-scenarios"
REPORTS = "toolsandbox-reports"
