"""Which of the scenarios that were collected are played: those of ``--sandbox-shard``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import SHARDED
from pytest_toolsandbox.runs.sharding import cut_shard, past_seconds

if TYPE_CHECKING:
    from pytest_toolsandbox.plugin.playing.items import ScenarioItem
    from pytest_toolsandbox.runs.sharding import Shard

EMPTY_SHARD: Final = "toolsandbox_empty_shard"
"""Under what a worker says that its shard has no scenario."""
_PAST = pytest.StashKey[dict[str, float]]()


def keep_shard(shard: Shard, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the scenarios of other shards; tests that are no scenarios stay in each.

    Raises ``pytest.UsageError`` for a file of durations that cannot be read.
    """
    scenarios: dict[str, Any] = {one.nodeid: one for one in items if hasattr(one, "scenario")}
    facts = {name: _facts(item) for name, item in scenarios.items()}
    plan = settings_of(config).plan
    trials = {name: plan(item.scenario).trials for name, item in scenarios.items()}
    sharded = cut_shard(shard, facts, trials, past_seconds_of(config))
    config.stash[SHARDED] = sharded
    left_out = [one for one in items if one.nodeid in scenarios and one.nodeid not in sharded.items]
    items[:] = [one for one in items if one.nodeid not in scenarios or one.nodeid in sharded.items]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def shard_line(config: pytest.Config) -> str:
    """Return a line that says which shard is played."""
    record = config.stash[SHARDED].record
    number, of, items = record["number"], record["of"], record["suite_items"]
    return f"toolsandbox: shard {number} of {of}, {record['items']} of {items} scenarios"


def is_empty_shard(config: pytest.Config) -> bool:
    """Whether others have all scenarios that were collected, since there are more shards."""
    record = config.stash[SHARDED].record if SHARDED in config.stash else None
    return record is not None and not record["items"] and record["suite_items"] > 0


def _facts(item: ScenarioItem) -> list[object]:
    """Return what tells a scenario as it is played from another one of the same id."""
    scenario = item.scenario
    how = (scenario.variant, scenario.gives_feedback, scenario.call_format, scenario.prompt)
    return [scenario.digest, *how]


def past_seconds_of(config: pytest.Config) -> dict[str, float]:
    """Return id → seconds of a conversation, as the file of durations tells; empty without one.

    Raises ``pytest.UsageError`` for a file that cannot be read. It is read once, before records
    are written, since it may be the file that they replace.
    """
    if _PAST not in config.stash:
        from pytest_toolsandbox.records.reading import StoredError

        file = settings_of(config).durations
        try:
            config.stash[_PAST] = past_seconds(file) if file else {}
        except StoredError as error:
            raise pytest.UsageError(f"--sandbox-durations: {error}") from None
    return config.stash[_PAST]
