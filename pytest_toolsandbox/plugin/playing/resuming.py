"""What an item need not play: trials of the run that is resumed, and what cassettes replay.

Where a model has no key, no item can be played: the run ends with one message.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.plugin.output.observer import Payload
from pytest_toolsandbox.plugin.output.sending import cassette_buffer, end_run
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import RESUMED
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.job import Job
from pytest_toolsandbox.runs.resuming import (
    KeptTrial,
    has_other_judge,
    is_of_scenario,
    other_configuration,
)

from .fixtures import narrower, session_judge
from .playable import PlayableItem

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.cassettes.recording import Recording

_REMEDY: Final = "give the same options, or play all without --sandbox-resume"


def resumed_job(item: PlayableItem, job: Job) -> Job:
    """Return a job without the trials that an earlier run has finished, where nothing is changed.

    If another judge is to judge them, or they could not be judged, the conversations are judged
    again and not held again; those that are recorded or replayed are in their cassettes. A trial
    that only confirms that a scenario broke replaces no other: chance chose its scenario.

    Ends the run where they are of another agent, user, prompt or format of calls: what the job
    played would be mixed with them.
    """
    finished = item.config.stash[RESUMED].trials.get(item.nodeid, {})
    numbers, now = job.plan.numbers, job.before()
    earlier = {
        number: trial
        for number, trial in sorted(finished.items())
        if number in numbers and bool(trial.record.get("confirms")) == now.confirms
    }
    ways = {number: _way(trial, now, item, job) for number, trial in earlier.items()}
    kept = {n: trial.in_run_of(now) for n, trial in earlier.items() if ways[n] == "keep"}
    stored = {n: trial.stored for n, trial in earlier.items() if ways[n] == "judge"}
    is_changed = "play changed" in ways.values()
    item.resumed = Payload(kept=[*kept], judged=[*stored], is_changed=is_changed)
    return replace(job, kept=kept, stored=stored)


def _way(
    trial: KeptTrial, now: Trial, item: PlayableItem, job: Job
) -> Literal["keep", "judge", "play", "play changed"]:
    """Return what to do with a trial of the earlier run; another configuration ends the run.

    It is ``changed`` where it was finished, and the scenario is another one now.
    """
    if not is_of_scenario(trial, now):
        return "play changed" if trial.is_finished else "play"
    changes = [*other_configuration(trial, now)]
    if trial.is_finished and changes:
        file, change = settings_of(item.config).resume, f"{changes[0]} ({item.nodeid})"
        text = f"{file} is of another configuration: {change}; {_REMEDY}"
        end_run(f"--sandbox-resume: {text}", item.config)
    if trial.is_finished and not has_other_judge(trial, now):
        return "keep"
    return "play" if changes or trial.may_be_reviewed or job.recording else "judge"


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
    return Recording(settings.record, path, shown, about, cassette_buffer(item, path))


def end_without_key(item: PlayableItem, error: BaseException | None) -> None:
    """End the run if a request failed for a key or a package that all other items need, too.

    They do if the options name the model for all of them. What plays from cassettes needs none,
    tests of other kinds need no key, and a fixture of an item may set one.
    """
    if not (isinstance(error, ProviderError) and (error.lacks_key or error.lacks_package)):
        return
    settings, items = settings_of(item.config), item.session.items
    if settings.record == "new":
        return
    names = {**ALIASES, **settings.aliases}
    scenarios = [other for other in items if isinstance(other, PlayableItem)]
    if len(scenarios) < len(items):
        return
    text = str(error)
    judge = getattr(session_judge(item.config), "asked", None)
    if _is_about(getattr(judge, "model", None), text):
        end_run(text, item.config)
    for fixture in ("agent", "user"):
        name = item.named(fixture)
        if _is_about(model_name(name, names), text) and all(
            other.named(fixture) == name and not narrower(other) for other in scenarios
        ):
            end_run(text, item.config)


def _is_about(model: str | None, text: str) -> bool:
    """Return whether an error is that of a model, which it begins with."""
    return text.startswith((f"{model}: ", f"{model} needs "))
