"""What is refused once the scenarios of a run are known: what it could never do as it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_toolsandbox.plugin.reporting.telling import tell_controller
from pytest_toolsandbox.plugin.settings import settings_of

if TYPE_CHECKING:
    from pytest_toolsandbox.language.scenario import Scenario

_MOST = 5
"""How many scenarios a line names."""


def check_minimums(config: pytest.Config, scenarios: Sequence[Scenario]) -> None:
    """Refuse a minimum for what no scenario is of: now, since playing costs money."""
    from pytest_toolsandbox.wording.nearest_name import did_you_mean

    names = {name for one in scenarios for name in (one.variant, *one.categories) if name}
    asked = [one.category for one in settings_of(config).min_score if one.required]
    start = "--sandbox-min-score: no scenario of this run is of"
    lacking = [name for name in asked if name and name not in names]
    _refuse([f"{start} {name!r}{did_you_mean(name, names)}" for name in lacking], config)


def check_trials(config: pytest.Config, scenarios: Sequence[Scenario]) -> None:
    """Refuse to play what can never pass."""
    from pytest_toolsandbox.wording.phrases import counted

    settings = settings_of(config)
    if settings.rejudge:  # there are as many trials as there are records
        return
    plans = ((one.name, settings.plan(one)) for one in scenarios)
    never = {name: plan.trials for name, plan in plans if plan.needed > plan.trials}
    names = [f"{name} ({counted(count, 'trial')})" for name, count in never.items()]
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    remedy = f"give --sandbox-trials={settings.pass_}, or a smaller number"
    line = f"{', '.join(names[:_MOST])}{more} can never pass; {remedy}"
    _refuse([f"--sandbox-pass={settings.pass_}: {line}"] if never else [], config)


def _refuse(lines: Sequence[str], config: pytest.Config) -> None:
    if lines and not hasattr(config, "workerinput"):
        raise pytest.UsageError(*lines)
    if lines:  # the controller knows no scenario
        tell_controller(lines, config)
