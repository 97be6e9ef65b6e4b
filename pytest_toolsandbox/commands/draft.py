"""``toolsandbox draft``: a model writes tasks for a world and solves them; proven ones are kept."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_toolsandbox.agents.agent import Agent, conversations_at_once
from pytest_toolsandbox.agents.resolving import load_agent, session_agent
from pytest_toolsandbox.authoring.drafting.assignments import Assignment, assignments
from pytest_toolsandbox.authoring.drafting.attempts import (
    AT_ONCE,
    STAGES,
    Attempt,
    Drafting,
    Play,
    StoppedError,
)
from pytest_toolsandbox.authoring.drafting.draft import Draft
from pytest_toolsandbox.authoring.drafting.duplicates import Task, task_of
from pytest_toolsandbox.authoring.drafting.proving import mutants_died
from pytest_toolsandbox.authoring.drafting.question import ask_for_drafts
from pytest_toolsandbox.authoring.drafting.ways import in_another_way
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.models.aliases import ModelNameError, named_model
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.model_agent import ModelAgent, ProviderModel
from pytest_toolsandbox.models.requests import asked_by, requests_in
from pytest_toolsandbox.models.usage import Usage, total
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.output.usage_table import words_of_usage
from pytest_toolsandbox.runs.job import Job, TrialPlan
from pytest_toolsandbox.runs.pool import Pool
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.text.redaction import redacted, redacted_line
from pytest_toolsandbox.users.resolving import SCRIPTED, session_user
from pytest_toolsandbox.users.user import User, UserError, UserFactory
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.placeholders import forget_fixtures, make_fixtures_by
from pytest_toolsandbox.worlds.world import World, find_world, known_worlds, register_world

from .init import write_new
from .parsing import AT_END, CommandError
from .propose import ENDING
from .scenarios import CollectedScenarios, Conftests, Project, find_scenarios
from .worlds import named_world

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.cassettes.recording import Recording

_MOST_AT_ONCE: Final = 10
"""Conversations at once; a round has no more by default."""
_USER_RETRIES: Final = 2
_SECONDS: Final = 600.0
"""The least timeout of a request for drafts, whose reply is long."""
_PLAN: Final = TrialPlan(2, 2)
"""The trials of a job are repeated after an outage if it has several."""
_CASSETTES: Final = "draft_cassettes"
"""The name of the folder of cassettes, beside that of the cassettes of runs."""


@dataclass(frozen=True)
class _Players:
    """Who drafts, and who plays the drafts: agents by name, and the user unless its script does."""

    model: ProviderModel
    agents: Mapping[str, Agent]
    user: User | UserFactory | None
    user_name: str


@dataclass
class _Run:
    """What a command has done so far: how many drafts passed each stage, and what was used."""

    project: Project
    players: _Players
    output: Path
    counts: Counter[str] = field(default_factory=Counter)
    written: int = 0
    drafting: list[Usage] = field(default_factory=list)

    def ask(
        self, number: int, world: str, assigned: Sequence[Assignment], openings: Sequence[str]
    ) -> str:
        """Return the model's reply, and count its usage."""
        ask = partial(ask_for_drafts, self.players.model, world, assigned, openings)
        recording = self._recording("drafts", {"agent": self.players.model.model})
        if recording is not None:
            from pytest_toolsandbox.runs.cassettes.questions import recorded_answer

            ask = partial(recorded_answer, recording, number, ask)
        with requests_in(self.project.requests()) as context, asked_by("agent"):
            try:
                return ask()
            finally:
                self.drafting += context.meter.used().values()

    def plays(self, solutions: int, number: int, draft: Draft) -> list[Play]:
        """Return the trials of a draft: of each agent as many as there shall be solutions."""
        return [
            Play(
                self._job(number, draft, name, in_another_way(draft.scenario, agent, trial)), trial
            )
            for name, agent in self.players.agents.items()
            for trial in range(1, solutions + 1)
        ]

    def _job(self, number: int, draft: Draft, name: str, scenario: Scenario) -> Job:
        players = self.players
        return Job(
            f"{self.output / draft.name}{ENDING}::{draft.name}",
            scenario,
            players.agents[name],
            name,
            user=players.user,
            user_name=players.user_name,
            new_context=self.project.requests,
            plan=_PLAN,
            recording=self._recording(
                f"draft_{number}", {"agent": name, "user": players.user_name}
            ),
        )

    def _recording(self, name: str, about: Mapping[str, str]) -> Recording | None:
        """Return a cassette in a folder that no run looks into; its name is that of no scenario."""
        if self.project.record == "none":
            return None
        from pytest_toolsandbox.runs.cassettes.inventory import cassette_path, cassettes_folder
        from pytest_toolsandbox.runs.cassettes.recording import Recording

        file = (self.output / f"{name}{ENDING}").resolve()
        folder = cassettes_folder(file, self.project.root, self.project.cassettes)
        path = cassette_path(folder.with_name(_CASSETTES), about["agent"], file, name)
        return Recording(self.project.record, path, str(path), {"id": name, **about})

    def stop(self) -> str | None:
        """Return why nothing more may be asked, if the budget is spent."""
        budget = self.project.requests().budget
        exceeded = budget.exceeded() if budget else None
        return exceeded and f"budget: {exceeded.replace('--sandbox-', '--')}"

    def note(self, attempt: Attempt) -> None:
        """Count an attempt, write its scenario if it is new, and print what became of it."""
        if attempt.stage is not None:
            self.counts.update(STAGES[: STAGES.index(attempt.stage) + 1])
        if attempt.stage != "new" or attempt.proposal is None:
            print(redacted_line(f"dropped {attempt.name}: {attempt.why}", 300), flush=True)
            return
        file = self.output / f"{attempt.name}{ENDING}"
        write_new({file: redacted(attempt.proposal.text).encode()})
        self.written += 1
        print(f"wrote {file}: {mutants_died(attempt.proposal.proof)}", flush=True)

    def summary(self, playing: Sequence[Usage]) -> Iterator[str]:
        """Yield how many drafts passed each stage, and what drafting and ``playing`` used."""
        near = self.counts["proven"] - self.counts["new"]
        headings = ("drafted", "solved", "proposed", "proven", "near-duplicates", "written")
        figures = (*(self.counts[name] for name in headings[:4]), near, self.written)
        yield from aligned([headings, tuple(map(str, figures))], words=0)
        for name, usages in (("drafting", self.drafting), ("playing", playing)):
            if usages:
                yield f"{name}: {words_of_usage(total(usages))}"


def draft_scenarios(  # noqa: PLR0913  # they are the options of the command
    world: str,
    *,
    model: str,
    count: int,
    solutions: int,
    agent: Sequence[str],
    user: str,
    beside: Sequence[Path],
    output: Path,
    seed: int,
    concurrency: int | None,
    mutation_score: float,
    project: Project,
) -> int:
    """Have a model draft scenarios, and write those that are proven and new.

    Returns 1 if none is written, or a model was unavailable.
    """
    _check_folder(output)
    players = _players(model, agent, user, project)
    collected = _collected(beside, output, project)
    drafted_world = _known(_usable(_named(world)))
    tasks = _tasks(collected)
    run = _Run(project, players, output)
    usual = min(map(conversations_at_once, players.agents.values()))
    at_once = concurrency or min(usual, _MOST_AT_ONCE)
    drafting = Drafting(
        drafted_world,
        seed,
        ask=run.ask,
        plays=partial(run.plays, solutions),
        stop=run.stop,
        pool=Pool(1 if drafted_world.plays_alone else at_once),
        mutation_score=mutation_score,
        tasks=tasks,
        names={file.name.removesuffix(ENDING) for file in output.glob(f"*{ENDING}")},
        has_script=players.user is None,
    )
    covered = [tool for task in tasks for tool in {*(task.tools or ())}]
    is_whole = False
    try:
        is_whole = _try(run, drafting, assignments(drafted_world, count, seed, covered))
    finally:
        drafting.pool.close()
        print(*run.summary(drafting.used), sep="\n", flush=True)
    return 0 if is_whole and run.written else 1


def _try(run: _Run, drafting: Drafting, assigned: Sequence[Assignment]) -> bool:
    """Try a draft for each assignment; return whether nothing stopped this."""
    try:
        for number, start in enumerate(range(0, len(assigned), AT_ONCE), 1):
            for attempt in drafting.round(number, assigned[start : start + AT_ONCE]):
                run.note(attempt)
    except StoppedError as error:
        run.counts["drafted"] += len(error.unplayed)
        text = f"; not played, so not judged: {', '.join(error.unplayed)}" if error.unplayed else ""
        print(redacted_line(f"stopped: {error}{text}", 500), file=sys.stderr)
        return False
    return True


def _check_folder(output: Path) -> None:
    """Raise ``CommandError`` if nothing can be written to a folder, before anything is paid for."""
    folder = next(path for path in (output, *output.absolute().parents) if path.exists())
    if not folder.is_dir():
        raise CommandError(f"--output {output}: {folder} is no folder")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"--output {output}: {folder} cannot be written to")


def _players(model: str, agents: Sequence[str], user: str, project: Project) -> _Players:
    asked = _model(model, project)
    try:
        playing = {name: session_agent(name, project.aliases) for name in agents}
    except AgentError as error:
        raise CommandError(str(error)) from None
    try:
        speaking = session_user(
            user,
            project.aliases,
            style=None,
            prompt="full",
            retries=_USER_RETRIES,
            reviewer=None,
        )
    except UserError as error:
        raise CommandError(f"--user={user}: {error}") from None
    writing = replace(asked, timeout=max(asked.timeout, _SECONDS))
    playing = playing or {model: asked}
    return _Players(writing, playing, speaking, user if speaking else SCRIPTED)


def _model(text: str, project: Project) -> ModelAgent:
    """Return the model that ``text`` names, also as ``module:attribute``."""
    if ":" in text and "/" not in text:
        try:
            imported: object = load_agent(text)
        except AgentError as error:
            raise CommandError(f"--model={error}") from None
        if not isinstance(imported, ModelAgent):
            raise CommandError(f"--model={text} is not a ModelAgent")
        return imported
    try:
        return ModelAgent(named_model(text, project.aliases))
    except ModelNameError as error:
        raise CommandError(f"--model={error}") from None


def _collected(beside: Sequence[Path], output: Path, project: Project) -> CollectedScenarios:
    """Return the scenarios beside which drafts are new, once worlds of conftests are known."""
    if beside:
        collected = find_scenarios(beside, project.scenario_files)
        if collected.unread or not collected.scenarios:
            raise CommandError(f"--beside {join_words([*map(str, beside)], 'and')} cannot be used")
    else:
        collected = CollectedScenarios([], 0, Conftests([Path.cwd()]))
        make_fixtures_by(collected.conftests.value)
        AT_END.append(forget_fixtures)
    collected.conftests.import_for(output / "any.yaml")
    return collected


def _tasks(collected: CollectedScenarios) -> list[Task]:
    return [
        task_of(scenario, f"{file}::{scenario.name}")
        for file, scenario in collected.scenarios
        if isinstance(scenario.task, Milestones)
    ]


def _named(name: str) -> World:
    try:
        return named_world(name)
    except CommandError as error:
        if ":" in name or "did you mean" in str(error):
            raise
        remedy = "each conftest.py here, above --output, and of --beside is read"
        raise CommandError(f"{error}; {remedy}") from None


def _known(world: World) -> World:
    """Return a world that scenarios can name; one of a module alone is registered for now."""
    if world.name in known_worlds() and find_world(world.name) is world:
        return world
    if world.name in known_worlds():
        raise CommandError(f"there is another world called {world.name!r}; give this one a name")
    try:
        register_world(world)
    except WorldError as error:
        raise CommandError(str(error)) from None
    print(
        f"the world {world.name!r} is registered for now; a conftest.py above the scenarios must "
        "call register_world, too",
        file=sys.stderr,
    )
    return world


def _usable(world: World) -> World:
    """Return a world that can be described. Raises ``CommandError``."""
    if not world.agent_tools:
        raise CommandError(f"the world {world.name!r} has no tools for an agent")
    try:
        world.start(world.now)
        _ = world.policy_text
    except (ValueError, WorldError) as error:
        raise CommandError(f"the world {world.name!r} cannot begin: {error}") from None
    return world
