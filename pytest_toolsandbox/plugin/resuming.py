"""What ``--sandbox-resume`` spares: trials that an earlier run has finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Never

from pytest_toolsandbox.runs.resuming import KeptTrial, is_of_scenario, other_configuration

from .settings import settings_of
from .stash import RESUMED, RESUMED_AS
from .telling import end_run

if TYPE_CHECKING:
    import pytest

    from pytest_toolsandbox.runs.job import Job

    from .items import ScenarioItem

_REMEDY: Final = "give the same options, or play all without --sandbox-resume"


def kept_trials(item: ScenarioItem, job: Job) -> dict[int, KeptTrial]:
    """Return the finished trials of those of a job, where its scenario is as it was.

    One that asked only whether the scenario broke stands for no other: luck had chosen it.

    Ends the run where they are of another agent, user, prompt or format of calls: what the job
    played would be mixed with them.
    """
    there = item.config.stash[RESUMED].trials.get(item.nodeid, {})
    numbers, now = job.plan.numbers, job.before()
    finished = {
        number: one
        for number, one in sorted(there.items())
        if number in numbers and bool(one.record.get("confirms")) == now.confirms
    }
    kept = {number: one for number, one in finished.items() if is_of_scenario(one, now)}
    for trial in kept.values():
        for change in other_configuration(trial, now):
            _refuse(f"{change} ({item.nodeid})", item.config)
    item.stash[RESUMED_AS] = {
        "toolsandbox_kept": list(kept),
        "toolsandbox_changed": len(kept) < len(finished),
    }
    return {number: trial.in_run_of(now) for number, trial in kept.items()}


def _refuse(change: str, config: pytest.Config) -> Never:
    file = settings_of(config).resume
    end_run(f"--sandbox-resume: {file} is of another configuration: {change}; {_REMEDY}", config)
