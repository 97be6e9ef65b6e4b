"""What ``--sandbox-resume`` spares: conversations that an earlier run has held to their end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, Never

from pytest_toolsandbox.plugin.reporting.telling import end_run
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import RESUMED, RESUMED_AS
from pytest_toolsandbox.runs.resuming import has_other_judge, is_of_scenario, other_configuration

if TYPE_CHECKING:
    import pytest

    from pytest_toolsandbox.records.writing import Trial
    from pytest_toolsandbox.runs.job import Job
    from pytest_toolsandbox.runs.resuming import KeptTrial

    from .items import ScenarioItem

_REMEDY: Final = "give the same options, or play all without --sandbox-resume"


def resumed_job(item: ScenarioItem, job: Job) -> Job:
    """Return a job without the trials that an earlier run has finished, where nothing is changed.

    Of those that another judge is to judge, or that could not be judged, the conversations are
    judged, and not held again; where these are recorded or replayed, they are in their cassettes. A
    trial that asked only whether the scenario broke stands for no other: luck had chosen it.

    Ends the run where they are of another agent, user, prompt or format of calls: what the job
    played would be mixed with them.
    """
    there = item.config.stash[RESUMED].trials.get(item.nodeid, {})
    numbers, now = job.plan.numbers, job.before()
    found = {
        number: one
        for number, one in sorted(there.items())
        if number in numbers and bool(one.record.get("confirms")) == now.confirms
    }
    ways = {number: _way(trial, now, item, job) for number, trial in found.items()}
    kept = {n: one.in_run_of(now) for n, one in found.items() if ways[n] == "keep"}
    stored = {n: one.stored for n, one in found.items() if ways[n] == "judge"}
    item.stash[RESUMED_AS] = {
        "toolsandbox_kept": list(kept),
        "toolsandbox_changed": "play changed" in ways.values(),
        "toolsandbox_judged": list(stored),
    }
    return replace(job, kept=kept, stored=stored)


def _way(
    trial: KeptTrial, now: Trial, item: ScenarioItem, job: Job
) -> Literal["keep", "judge", "play", "play changed"]:
    """Say what becomes of a trial of the earlier run; one of another configuration ends this one.

    It is ``changed`` where it was finished, and the scenario is another one now.
    """
    if not is_of_scenario(trial, now):
        return "play changed" if trial.is_finished else "play"
    others = [*other_configuration(trial, now)]
    if trial.is_finished and others:
        _refuse(f"{others[0]} ({item.nodeid})", item.config)
    if trial.is_finished and not has_other_judge(trial, now):
        return "keep"
    return "play" if others or trial.may_be_reviewed or job.recording else "judge"


def _refuse(change: str, config: pytest.Config) -> Never:
    file = settings_of(config).resume
    end_run(f"--sandbox-resume: {file} is of another configuration: {change}; {_REMEDY}", config)
