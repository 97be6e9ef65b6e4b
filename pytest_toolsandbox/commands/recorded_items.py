"""Items of a file of records with their scenarios, as commands play them on.

The scenario is the one of today. The system prompt, the variant, the feedback and the form of calls
are those of the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.resolving import session_agent
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import facts_of, system_prompt
from pytest_toolsandbox.language.constraints import Criteria
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError, Embeddings
from pytest_toolsandbox.models.aliases import NO_JUDGE
from pytest_toolsandbox.models.embedders import resolve_embedder
from pytest_toolsandbox.models.errors import AgentError, JudgeError
from pytest_toolsandbox.records.reading import StoredError, StoredRecord, stored_trajectory
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.runs.forking import Fork
from pytest_toolsandbox.runs.job import Job
from pytest_toolsandbox.runs.judging import WordsJudge
from pytest_toolsandbox.suites import placed
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.users.resolving import SCRIPTED, session_user
from pytest_toolsandbox.users.user import User, UserError, UserFactory

from .parsing import CommandError
from .scenarios import Project, find_scenarios

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.cassettes.recording import Recording

_FIXTURE: Final = "fixture"
"""The name that records give to what a fixture of a conftest is."""
_IMPORTED: Final = "imported"
"""The name of agent and user in the records of other programs' conversations."""
_CASSETTES: Final = "fork_cassettes"
"""The name of the folder of cassettes of forks, beside that of the cassettes of runs."""
_USER_RETRIES: Final = 2
"""How often a conversation that faults of a simulated user decided is played again, as in runs."""
_CHANGED: Final = "the system prompt is another one now; give that of the record with --prompt FILE"


@dataclass(frozen=True)
class RecordedItem:
    """A record, its scenario as it was played with its file, and the conversation with states."""

    record: Record
    file: Path
    scenario: Scenario
    conversation: Trajectory

    @property
    def identifier(self) -> str:
        """The id that pytest gives the item."""
        return self.record["id"]


class RecordedItems:
    """Finds the scenarios of records, each file of scenarios once."""

    def __init__(self, project: Project, folders: Sequence[Path]) -> None:
        self._project, self._folders = project, folders
        self._read: dict[Path, Mapping[str, tuple[Path, Scenario]]] = {}

    def item(self, record: Record, prompt: str | None = None) -> RecordedItem:
        """Return a record with its scenario; ``prompt`` replaces the system prompt of the agent.

        Raises ``CommandError`` if there is no such scenario, and ``StoredError`` if it is another
        one now.
        """
        file, scenario = self._scenario(record)
        if name := record["variant"]:
            scenario = variant(scenario, name)
        stored = cast("StoredRecord", record)
        scenario = replace(
            scenario,
            feedback=record.get("feedback", scenario.feedback),
            call_format=record.get("call_format", scenario.call_format),
        )
        scenario = _with_prompt(scenario, record, prompt)
        conversation = stored_trajectory(stored, scenario)
        if record.get("imported", {}).get("differences"):
            raise StoredError("its calls did something else in this world, so it cannot go back")
        return RecordedItem(record, file, scenario, conversation)

    def _scenario(self, record: Record) -> tuple[Path, Scenario]:
        text, here = record["id"].partition("::")[0], Path.cwd()
        path = Path(placed(str(self._project.root / text), here, self._project.root))
        places = [path] if path.exists() and not self._folders else self._folders
        if not places:
            raise CommandError(f"{text}: there is no such file; name a folder with --scenarios")
        known = {n: pair for place in places for n, pair in self._scenarios_in(place, text).items()}
        if record["scenario"] in known:
            return known[record["scenario"]]
        hint = did_you_mean(record["scenario"], known)
        raise CommandError(f"there is no scenario {record['scenario']!r} in {text}{hint}")

    def _scenarios_in(self, place: Path, text: str) -> Mapping[str, tuple[Path, Scenario]]:
        """Return name → file and scenario, of the file of an id."""
        key = place / text
        if key not in self._read:
            read = find_scenarios([place], self._project.scenario_files).scenarios
            same = [(f, s) for f, s in read if f.resolve().as_posix().endswith(f"/{text}")]
            criteria = Criteria(self._project.criteria)
            self._read[key] = {s.name: (f, s.with_criteria(criteria)) for f, s in same or read}
        return self._read[key]


def _with_prompt(scenario: Scenario, record: Record, prompt: str | None) -> Scenario:
    """Return the scenario with the prompt, or else with that of the record."""
    if prompt is not None:
        return replace(scenario, prompt=prompt)
    first = record["messages"][0] if record["messages"] else None
    if first is None or first.sender is not Role.SYSTEM:
        return scenario
    if first.content == system_prompt(scenario):
        return scenario
    facts = facts_of(scenario)
    end = f"\n\n{facts}" if facts else ""
    earlier = replace(scenario, prompt=first.content.removesuffix(end))
    if system_prompt(earlier) == first.content:
        return earlier
    raise StoredError(_CHANGED)


class BudgetError(CommandError):
    """The budget is spent, so no further conversation is played."""

    def __init__(self, why: str) -> None:
        super().__init__(f"budget: {why.replace('--sandbox-', '--')}")


@dataclass(frozen=True)
class Players:
    """Who plays on: the agent and the user with their names, the judge and the embedder."""

    agent: Agent
    agent_name: str
    user: User | UserFactory | None
    user_name: str
    judge: WordsJudge | None
    embedder: Embedder | None

    def job(self, item: RecordedItem, fork: Fork, project: Project) -> Job:
        """Return the job that plays a fork of an item. Raises ``BudgetError``."""
        context = project.requests()
        if context.budget is not None and (why := context.budget.exceeded()):
            raise BudgetError(why)
        return Job(
            item.identifier,
            item.scenario,
            self.agent,
            self.agent_name,
            user=self.user,
            user_name=self.user_name,
            embedder=self.embedder,
            judge=self.judge,
            new_context=lambda: context,
            recording=self._recording(item, fork, project),
            fork=fork,
        )

    def _recording(self, item: RecordedItem, fork: Fork, project: Project) -> Recording | None:
        """Return the cassette of the forks of a trial, in a folder that no run looks into."""
        if project.record == "none" or fork.about is None:
            return None
        from pytest_toolsandbox.runs.cassettes.inventory import cassette_path, cassettes_folder
        from pytest_toolsandbox.runs.cassettes.recording import Recording

        folder = cassettes_folder(item.file.resolve(), project.root, project.cassettes)
        name = item.identifier.partition("::")[2].removesuffix("]")
        trial = f"fork-{fork.about['trial']}"
        name = f"{name}-{trial}]" if "[" in name else f"{name}[{trial}]"
        path = cassette_path(folder.with_name(_CASSETTES), self.agent_name, item.file, name)
        about = {"id": name, "agent": self.agent_name, "user": self.user_name}
        return Recording(project.record, path, str(path), about)


class Names(NamedTuple):
    """Who plays on, as the options of a command name them."""

    agent: str | None = None
    user: str | None = None
    judge: str | None = None
    embedder: str | None = None


def players_of(record: Record, project: Project, names: Names) -> Players:
    """Return who plays on: as the options say, else as the record does. Raises ``CommandError``."""
    agent_name = names.agent or record["agent"]
    user_name = names.user or record["user"]
    for option, name in (("--agent", agent_name), ("--user", user_name)):
        if name == _FIXTURE or (option == "--agent" and name in (_IMPORTED, "unknown")):
            raise CommandError(f"{option}: the record names none that a command can ask; give one")
    try:
        played_by = session_agent(agent_name, project.aliases)
    except AgentError as error:
        raise CommandError(str(error)) from None
    return Players(
        played_by,
        agent_name,
        _user(user_name, record, project),
        user_name,
        _judge(names.judge, project),
        _embedder(names.embedder),
    )


def _user(name: str, record: Record, project: Project) -> User | UserFactory | None:
    if name in (SCRIPTED, _IMPORTED):
        return None
    style: Any = record["user_notes"]["style"] if "user_notes" in record else None
    prompt: Any = record["user_settings"].get("prompt", "full") if "user_settings" in record else ""
    try:
        return session_user(
            name,
            project.aliases,
            style=style,
            prompt=prompt or "full",
            retries=_USER_RETRIES,
            reviewer=None,
        )
    except UserError as error:
        raise CommandError(f"--user={name}: {error}") from None


def _judge(name: str | None, project: Project) -> WordsJudge | None:
    if name is None or name == NO_JUDGE:
        return None
    from pytest_toolsandbox.scoring.judges.resolving import resolve_judge

    try:
        return resolve_judge(name, project.aliases, votes=project.votes)
    except JudgeError as error:
        raise CommandError(f"--judge={name}: {error}") from None


def _embedder(name: str | None) -> Embedder | None:
    try:
        return Embeddings(resolve_embedder(name)) if name else None
    except EmbedderError as error:
        raise CommandError(f"--embedder: {error}") from None
