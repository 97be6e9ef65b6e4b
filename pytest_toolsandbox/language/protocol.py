"""Protocols: how one kind of scenario is read, played, judged, reported and proved.

A protocol is one value, and this is the only place that knows which there are. What it puts
together stands in rooms above this one, so it is named by the module in which it is found.
"""

from __future__ import annotations

import abc
import importlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pytest_toolsandbox.language.readers.base_reader import Reader
from pytest_toolsandbox.worlds.state import State

from .mistakes import Mistakes
from .models import Document
from .scenario import Scenario

_BUILT_IN = ("milestones", "replay", "query")
"""The modules in ``protocols``; the first is that of a scenario with the key of no other."""

_registered: dict[str, Protocol] = {}


@dataclass(frozen=True)
class InWorld:
    """What a protocol's own keys are read against: ``start`` is ``None`` where mistakes forbid it.

    ``thresholds`` are those of graded matchers, ``siblings`` the keys of the file's others.
    """

    reader: Reader
    start: State | None
    tools: tuple[str, ...]
    thresholds: Mapping[str, float]
    siblings: Mapping[str, Collection[str]]


class Protocol(abc.ABC):
    """One way to evaluate an agent.

    ``key`` tells its scenarios from others; ``model`` says which keys they have besides, and
    ``placeholders`` what stands for those that must be there and are missing or misshapen. Types of
    rooms above are ``Any`` here: ``Trajectory`` of ``conversation.messages``, ``Judgement`` of
    ``evaluation.judging``, ``Proof`` of ``proof.proof``.
    """

    name: ClassVar[str]
    key: ClassVar[str]
    model: ClassVar[type[Document]]
    placeholders: ClassVar[Mapping[str, Any]] = {}
    judges_replies: ClassVar[bool] = True
    """Whether a judge of words looks at what the agent tells the user, or at its calls alone."""

    @abc.abstractmethod
    def read(self, model: Any, mistakes: Mistakes, in_world: InWorld | None) -> dict[str, Any]:
        """Return fields of :class:`Scenario`, ``task`` among them; note every mistake.

        ``model`` is one of the protocol's. Without a world nothing has to be returned.
        """

    @abc.abstractmethod
    def converse(self, scenario: Scenario, agent: Any, user: Any) -> Any:
        """Hold the conversation and return its ``Trajectory``. Raises ``PlayError``."""

    @abc.abstractmethod
    def judge(self, scenario: Scenario, trajectory: Any, *, judged: bool = False) -> Any:
        """Return the ``Judgement`` on a conversation by state, calls and facts.

        With ``judged`` a judge reads the words. Raises ``EmbedderError``.
        """

    def words(self, scenario: Scenario, trajectory: Any) -> Any:
        """Return how words are judged without a judge, as ``evaluation.words.WordsReading``.

        It is asked of conversations that ``judge`` passes. ``None`` if there are no words to judge.
        """
        return None

    def right_words(self, scenario: Scenario, trajectory: Any) -> list[tuple[str, list[str]]]:
        """Return what a judge of words is told of the right ones: titles, and lines below each."""
        return []

    def with_opinion(self, scenario: Scenario, trajectory: Any, result: Any, opinion: Any) -> Any:
        """Return the result of a conversation that passes but for an ``Opinion`` on its words.

        It must not pass. A protocol that has words to judge has to say how.
        """
        raise NotImplementedError

    @abc.abstractmethod
    def page(self, record: Any) -> str:
        """Return the page of a ``Record`` that failed, its verdict in the first line."""

    def view(self, record: Any) -> Any:
        """Return the ``PageView`` of ``reporting.pages.view`` of a ``Record`` that was judged.

        ``None`` where there is but the text of ``page``.
        """
        return None

    @abc.abstractmethod
    def prove(self, scenario: Scenario, ask: Any = None) -> Any:
        """Return the ``Proof`` of a scenario; ``ask`` asks a judge of words, if there is one."""

    def prompt(self, scenario: Scenario) -> str | None:
        """Return what an agent is told it is for; ``None`` for the usual words."""
        return None

    def facts(self, scenario: Scenario) -> str | None:
        """Return what an agent is told besides, whatever its prompt is."""
        return None

    def summary(self, scenario: Scenario, result: Any) -> dict[str, Any]:
        """Return what totals need of a result, for a record; it may be ``None`` after an error."""
        return {}

    def details(self, scenario: Scenario, result: Any) -> dict[str, Any]:
        """Return what a whole record has besides, or instead."""
        return {}

    def ran_out(self, scenario: Scenario, trajectory: Any, result: Any) -> list[Any]:
        """Return which budgets ran out, by their names in a record."""
        return []

    def user_words(self, scenario: Scenario) -> list[str] | None:
        """Return all that the user says, which a record must say to be judged again, if known."""
        return None


def register_protocol(protocol: Protocol) -> Protocol:
    """Make a protocol known by its name and its key. The last one of a name wins.

    Raises ``ValueError`` where the key is no key of its model, or has another meaning.
    """
    others = [one for one in protocols() if one.name != protocol.name]
    if protocol.key not in protocol.model.model_fields:
        raise ValueError(f"protocol {protocol.name!r}: its model has no key {protocol.key!r}")
    for other in others:
        if protocol.key in other.model.model_fields:
            text = f"the key {protocol.key!r} is one of the protocol {other.name!r}"
            raise ValueError(f"protocol {protocol.name!r}: {text}; take another one")
    _registered[protocol.name] = protocol
    return protocol


def find_protocol(name: str) -> Protocol:
    """Return the protocol of that name. Raises ``KeyError``."""
    if name not in _registered:
        if name not in _BUILT_IN:
            raise KeyError(name)
        module = importlib.import_module(f"pytest_toolsandbox.protocols.{name}")
        _registered[name] = module.PROTOCOL
    return _registered[name]


def protocol_of(scenario: Scenario) -> Protocol:
    """Return the protocol of a scenario."""
    return find_protocol(scenario.task.protocol)


def protocols() -> list[Protocol]:
    """Return all protocols, the default one first."""
    return [find_protocol(name) for name in dict.fromkeys([*_BUILT_IN, *_registered])]
