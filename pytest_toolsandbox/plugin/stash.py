"""Keys of the session's stash that several modules use, and the names of registered plugins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_toolsandbox.records.reading import StoredRecords
    from pytest_toolsandbox.runs.job import TrialPlan
    from pytest_toolsandbox.runs.resuming import Finished
    from pytest_toolsandbox.runs.sharding import Sharded

BAD_FILES = pytest.StashKey[set[Path]]()
"""The scenario files with mistakes."""
STORED: pytest.StashKey[StoredRecords] = pytest.StashKey()
"""The records that are judged again, where there are any."""
RESUMED: pytest.StashKey[Finished] = pytest.StashKey()
"""The trials that the run has finished which is resumed, if one is."""
ROUND: pytest.StashKey[TrialPlan] = pytest.StashKey()
"""Which trials of all items a later round plays, where there is one."""
SHARDED: pytest.StashKey[Sharded] = pytest.StashKey()
"""The shard that is played, where there is one."""
UNCHANGED = pytest.StashKey[dict[str, str]]()
"""The verdict of an earlier run that depended on the same as this one."""
IMPACT = pytest.StashKey[str]()
"""The digest of all that the verdict of a run depends on."""
BUDGET = "not run"
"""Why an item is skipped if the budget is spent."""
PLUGIN = __name__.rpartition(".")[0]
"""The module that pytest loads."""
HOOKS = "toolsandbox-scenarios"
REPORTS = "toolsandbox-reports"
