"""What ``--sandbox-resume`` spares: conversations that an earlier run has held to their end.

Where the cassette of an item lies, and whether it is recorded or replayed.

A model without a key can play no scenario: that is said once, and ends the run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, Never

from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.plugin.output.telling import end_run, sent_of
from pytest_toolsandbox.plugin.payload import Payload
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import RESUMED
from pytest_toolsandbox.runs.resuming import has_other_judge, is_of_scenario, other_configuration

from .fixtures import narrower, session_judge
from .playable import PlayableItem

if TYPE_CHECKING:
    import pytest

    from pytest_toolsandbox.records.writing import Trial
    from pytest_toolsandbox.runs.cassettes.recording import Recording
    from pytest_toolsandbox.runs.job import Job
    from pytest_toolsandbox.runs.resuming import KeptTrial


_REMEDY: Final = "give the same options, or play all without --sandbox-resume"


def resumed_job(item: PlayableItem, job: Job) -> Job:
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
    is_changed = "play changed" in ways.values()
    item.resumed = Payload(kept=[*kept], judged=[*stored], is_changed=is_changed)
    return replace(job, kept=kept, stored=stored)


def _way(
    trial: KeptTrial, now: Trial, item: PlayableItem, job: Job
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


def recording_of(item: PlayableItem, agent: str, user: str) -> Recording | None:
    """Return how an item is recorded or replayed that these play, if it is."""
    settings, root = settings_of(item.config), item.config.rootpath
    if settings.record == "none":
        return None
    from pytest_toolsandbox.runs.cassettes.inventory import cassette_path, cassettes_folder
    from pytest_toolsandbox.runs.cassettes.recording import Recording

    folder = cassettes_folder(item.path, root, settings.cassettes)
    path = cassette_path(folder, agent, item.path, item.name_alone)
    shown = path.relative_to(root).as_posix() if root in path.parents else str(path)
    about = {"id": item.name_alone, "agent": agent, "user": user}
    return Recording(settings.record, path, shown, about, sent_of(item, path))


def end_without_key(item: PlayableItem, error: BaseException | None) -> None:
    """End the run where a request failed for a key that all other items need, too.

    They do if the options name the model for all of them. What plays from cassettes asks nobody,
    tests of other kinds need no key, and a fixture of an item may set one.
    """
    if not (isinstance(error, ProviderError) and error.lacks_key):
        return
    settings, items = settings_of(item.config), item.session.items
    if settings.record == "new":
        return
    names = {**ALIASES, **settings.aliases}
    is_judge = _is_of(error, _model_of_judge(item.config))
    if is_judge and all(hasattr(one, "scenario") for one in items):
        end_run(str(error), item.config)
    for fixture in ("agent", "user"):
        said = item.named(fixture)
        is_it = _is_of(error, model_name(said, names))
        if is_it and all(_takes(one, fixture, said) for one in items):
            end_run(str(error), item.config)


def _model_of_judge(config: pytest.Config) -> str | None:
    return getattr(getattr(session_judge(config), "asked", None), "model", None)


def _is_of(error: ProviderError, model: str | None) -> bool:
    return str(error).startswith(f"{model}: ")


def _takes(item: Any, fixture: str, said: str) -> bool:
    """Whether an item is a scenario whose fixture gives what an option says."""
    return hasattr(item, "scenario") and item.named(fixture) == said and not narrower(item)
