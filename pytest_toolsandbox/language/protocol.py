"""What a protocol is: how one kind of scenario is read, played, scored, shown and proved.

The package ``protocols`` registers the built-in ones.
"""

from __future__ import annotations

import abc
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from pytest_toolsandbox.language.readers.base_reader import Reader
from pytest_toolsandbox.worlds.state import State

from .mistakes import Mistakes
from .models import Document
from .scenario import Scenario

# These types belong to rooms above this one, which must not be imported here.
Agent: TypeAlias = Any  # agents.agent.Agent
User: TypeAlias = Any  # users.user.User
Trajectory: TypeAlias = Any  # conversation.messages.Trajectory
Judgement: TypeAlias = Any  # scoring.judging.Judgement
WordsReading: TypeAlias = Any  # scoring.words.WordsReading
Result: TypeAlias = Any  # the class of Judgement.result, with passed and score
Opinion: TypeAlias = Any  # scoring.results.Opinion
Record: TypeAlias = Any  # records.record.Record
Budget: TypeAlias = Any  # records.record.Budget
PageView: TypeAlias = Any  # output.pages.view.PageView
Proof: TypeAlias = Any  # authoring.proof.proof.Proof
Ask: TypeAlias = Any  # authoring.proof.proof.Ask

_registered: dict[str, Protocol] = {}


@dataclass(frozen=True)
class InWorld:
    """What a protocol reads its keys against: ``start`` is ``None`` if mistakes prevent it.

    ``thresholds`` are those of graded matchers. ``siblings`` maps the names of the file's other
    scenarios to their keys.
    """

    reader: Reader
    start: State | None
    tools: tuple[str, ...]
    thresholds: Mapping[str, float]
    siblings: Mapping[str, Collection[str]]


class Protocol(abc.ABC):
    """One way to evaluate an agent.

    A scenario with the key ``key`` belongs to it. ``model`` describes all keys of its scenarios;
    ``placeholders`` replace required values that are missing or invalid.
    """

    name: ClassVar[str]
    key: ClassVar[str]
    model: ClassVar[type[Document]]
    placeholders: ClassVar[Mapping[str, Any]] = {}
    judges_replies: ClassVar[bool] = True
    """Whether a judge reads what the agent tells the user, or its calls alone."""

    @abc.abstractmethod
    def read(self, model: Any, mistakes: Mistakes, in_world: InWorld | None) -> dict[str, Any]:
        """Return fields of :class:`Scenario`, ``task`` among them; note every mistake.

        ``model`` is an instance of the protocol's ``model``. Without a world, return ``{}``.
        """

    @abc.abstractmethod
    def converse(self, scenario: Scenario, agent: Agent, user: User) -> Trajectory:
        """Hold the conversation. Raises ``PlayError``."""

    @abc.abstractmethod
    def judge(
        self, scenario: Scenario, trajectory: Trajectory, *, judged: bool = False
    ) -> Judgement:
        """Score a conversation by its state, calls and facts.

        With ``judged``, a judge decides about the words later. Raises ``EmbedderError``.
        """

    def words(self, scenario: Scenario, trajectory: Trajectory) -> WordsReading | None:
        """Say how far rules decide about the words of a conversation that ``judge`` passes.

        ``None`` if there are no words to judge.
        """
        return None

    def right_words(
        self, scenario: Scenario, trajectory: Trajectory
    ) -> list[tuple[str, list[str]]]:
        """Return what the prompt of a judge says of right words: titles, and lines below each."""
        return []

    def with_opinion(
        self, scenario: Scenario, trajectory: Trajectory, result: Result, opinion: Opinion
    ) -> Result:
        """Return the result, which must not pass, if a judge finds the words wrong.

        Only a protocol with words to judge must implement it.
        """
        raise NotImplementedError

    def view(self, record: Record) -> PageView | None:
        """Return the parts of a scored record's page, or ``None`` to show the text of ``page``."""
        return None

    def page(self, record: Record) -> str:
        """Return the page of a record that failed as text, with its verdict in the first line."""
        raise NotImplementedError

    @abc.abstractmethod
    def prove(self, scenario: Scenario, ask: Ask | None = None) -> Proof:
        """Prove a scenario; ``ask`` asks a judge, if there is one."""

    def prompt(self, scenario: Scenario) -> str | None:
        """Return the agent's system prompt; ``None`` for the default one."""
        return None

    def facts(self, scenario: Scenario) -> str | None:
        """Return what is added to the agent's system prompt, also if the user replaces it."""
        return None

    def summary(self, scenario: Scenario, result: Result | None) -> dict[str, Any]:
        """Return what a record's summary contains of a result, which is ``None`` after an error."""
        return {}

    def details(self, scenario: Scenario, result: Result | None) -> dict[str, Any]:
        """Return what a whole record contains in addition, or instead."""
        return {}

    def failure_modes(self, scenario: Scenario, judgement: Judgement) -> list[str]:
        """Return what is wrong beside calls, in the words of ``language/failure_modes.py``."""
        return []

    def ran_out(self, scenario: Scenario, trajectory: Trajectory, result: Result) -> list[Budget]:
        """Return the budgets that ran out, by their names in a record."""
        return []

    def user_words(self, scenario: Scenario) -> list[str] | None:
        """Return all that the user says, if known: a record with other words is not rejudged."""
        return None


def register_protocol(protocol: Protocol) -> Protocol:
    """Register a protocol; it replaces an earlier one of the same name.

    Raises ``ValueError`` if its model has no field ``key``, or another protocol uses that key.
    """
    if protocol.key not in protocol.model.model_fields:
        raise ValueError(f"protocol {protocol.name!r}: its model has no key {protocol.key!r}")
    for registered in protocols():
        if registered.name != protocol.name and protocol.key in registered.model.model_fields:
            text = f"the key {protocol.key!r} is one of the protocol {registered.name!r}"
            raise ValueError(f"protocol {protocol.name!r}: {text}; take another one")
    _registered[protocol.name] = protocol
    return protocol


def find_protocol(name: str) -> Protocol:
    """Return the protocol of that name. Raises ``KeyError``."""
    return _registered[name]


def protocol_of(scenario: Scenario) -> Protocol:
    """Return the protocol of a scenario."""
    return find_protocol(scenario.task.protocol)


def protocols() -> list[Protocol]:
    """Return all protocols, the default one first."""
    return [*_registered.values()]
