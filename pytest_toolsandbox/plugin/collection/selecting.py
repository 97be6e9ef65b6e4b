"""Select scenarios with ``--sandbox-sample`` and ``--sandbox-shard``.

Also makes an item for each of several ``--agent``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import pytest

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.plugin.option_readers import labels
from pytest_toolsandbox.plugin.playing.fixtures import WHICH_AGENT
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import PLUGIN, SHARDED
from pytest_toolsandbox.records.reading import StoredError, without_parameters
from pytest_toolsandbox.runs.sampling import Place, sampled
from pytest_toolsandbox.runs.sharding import Shard, cut_shard, past_seconds

EMPTY_SHARD: Final = "toolsandbox_empty_shard"
"""The key under which a worker sends that its shard has no scenario."""
_PAST = pytest.StashKey[dict[str, float]]()


class Sampling:
    """Plays the sample of each world that ``--sandbox-sample`` asks for."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._line = ""

    @pytest.hookimpl(trylast=True)  # of what -k and -m leave
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect the other scenarios in all their variants, for all agents."""
        scenarios: list[Any] = [item for item in items if hasattr(item, "scenario")]
        places = {
            without_parameters(item.nodeid): Place(
                item.scenario.world.name, item.scenario.categories
            )
            for item in scenarios
        }
        chosen = sampled(places, self._size)
        _deselect(
            [i for i in scenarios if without_parameters(i.nodeid) not in chosen], items, config
        )
        of_each = f"{self._size} of each world, {len(chosen)} of {len(places)} scenarios"
        self._line = f"toolsandbox: sample of {of_each}"

    def pytest_report_collectionfinish(self) -> str:
        """Say how large the sample is."""
        return self._line


class Sharding:
    """Plays the shard that ``--sandbox-shard`` asks for."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    @pytest.hookimpl(trylast=True)  # what -k and -m leave is cut
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect the scenarios of other shards; other tests stay in each shard.

        Raises ``pytest.UsageError`` for a file of durations that cannot be read.
        """
        scenarios: dict[str, Any] = {i.nodeid: i for i in items if hasattr(i, "scenario")}
        facts = {name: _facts(item.scenario) for name, item in scenarios.items()}
        plan = settings_of(config).plan
        trials = {name: plan(item.scenario).trials for name, item in scenarios.items()}
        sharded = cut_shard(self._shard, facts, trials, past_seconds_of(config))
        config.stash[SHARDED] = sharded
        left_out = [item for name, item in scenarios.items() if name not in sharded.items]
        _deselect(left_out, items, config)

    def pytest_report_collectionfinish(self, config: pytest.Config) -> str:
        """Say which shard is played."""
        record = config.stash[SHARDED].record
        scenarios = f"{record['items']} of {record['suite_items']} scenarios"
        return f"toolsandbox: shard {record['number']} of {record['of']}, {scenarios}"


def _deselect(
    left_out: Sequence[pytest.Item], items: list[pytest.Item], config: pytest.Config
) -> None:
    if left_out:
        places = {*map(id, left_out)}
        items[:] = [item for item in items if id(item) not in places]
        config.hook.pytest_deselected(items=left_out)


def is_empty_shard(config: pytest.Config) -> bool:
    """Whether all collected scenarios are in other shards."""
    record = config.stash[SHARDED].record if SHARDED in config.stash else None
    return record is not None and not record["items"] and record["suite_items"] > 0


def _facts(scenario: Scenario) -> list[object]:
    """Return what distinguishes a scenario, as it is played, from another one of the same id."""
    how = (scenario.variant, scenario.gives_feedback, scenario.call_format, scenario.prompt)
    return [scenario.digest, *how]


def past_seconds_of(config: pytest.Config) -> dict[str, float]:
    """Return id → seconds of a conversation, from the file of durations; empty without one.

    Raises ``pytest.UsageError`` for a file that cannot be read. It is read once, before records
    are written, since they may replace it.
    """
    if _PAST not in config.stash:
        file = settings_of(config).durations
        try:
            config.stash[_PAST] = past_seconds(file) if file else {}
        except StoredError as error:
            raise pytest.UsageError(f"--sandbox-durations: {error}") from None
    return config.stash[_PAST]


class SeveralAgents:
    """Makes an item for each agent, of scenarios and of test functions that ask for the agent."""

    @pytest.hookimpl(tryfirst=True)  # its name comes first in ids
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Parametrize each function whose fixture ``agent`` may ask which agent plays."""
        fixtures = metafunc._arg2fixturedefs  # noqa: SLF001  # private to pytest
        if "agent" not in fixtures or not _asks(fixtures, "agent"):
            return
        if WHICH_AGENT not in metafunc.fixturenames:  # pytest before 9.1 sees through no override
            metafunc.fixturenames.insert(0, WHICH_AGENT)
        agents = settings_of(metafunc.config).agent
        metafunc.parametrize(WHICH_AGENT, agents, indirect=True, ids=labels(agents))

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> None:
        """Finalize a fixture with the agent that it got by ``request``: pytest does not."""
        if fixturedef.argname == "agent" and _is_by_request(fixturedef):
            which = request._get_active_fixturedef(WHICH_AGENT)  # noqa: SLF001  # private to pytest
            which.addfinalizer(partial(fixturedef.finish, request=request))


def _asks(fixtures: Mapping[str, Sequence[Any]], name: str, above: int = 0, depth: int = 0) -> bool:
    """Whether a fixture asks which agent plays, itself or through others."""
    definitions = fixtures.get(name, ())
    if above >= len(definitions) or depth > len(fixtures) + above:  # a circle of fixtures
        return False
    definition = definitions[-1 - above]
    if definition.func.__module__ == PLUGIN:
        return name in ("agent", WHICH_AGENT)
    if name == "agent" and _is_by_request(definition):
        return True
    return any(
        _asks(fixtures, argument, above + 1 if argument == name else 0, depth + 1)
        for argument in definition.argnames
    )


def _is_by_request(definition: Any) -> bool:
    """Whether a fixture may ask for the one it overrides; if not, it reads its own parameters."""
    return "request" in definition.argnames and not definition.params
