"""A protocol of a test's own, complete: the agent has to say a word to who greets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from pytest_toolsandbox import Agent, Protocol, Scenario, Task, Trajectory, User, play
from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.authoring.proof.proof import Proof
from pytest_toolsandbox.language.mistakes import Mistakes
from pytest_toolsandbox.language.models import Document, RawScript
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.readers.steps import read_solutions
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import UserScript
from pytest_toolsandbox.output.pages.messages import transcript
from pytest_toolsandbox.scoring.judging import Judgement, judge, patterns_against_solutions
from pytest_toolsandbox.users.user import scripted_user


class Greeting(Document):
    """A greeting that is to be answered."""

    greeting: str = Field(description="What the user says.")
    word: str = Field("hello", description="What the agent has to say.")
    solutions: dict[str, RawScript] = Field({}, description="Ways to do it right.")


@dataclass(frozen=True)
class Greet(Task):
    """Answer a greeting with a word."""

    greeting: str
    word: str
    protocol = "greeting"

    @property
    def user_script(self) -> UserScript:
        """The greeting."""
        return UserScript(self.greeting)


@dataclass(frozen=True)
class Greeted:
    """Whether the word was said, and in which message."""

    message: int | None

    @property
    def passed(self) -> bool:
        """Whether it was said at all."""
        return self.message is not None

    @property
    def score(self) -> float:
        """1 where it was said, else 0."""
        return float(self.passed)


class GreetingProtocol(Protocol):
    """Greetings that are judged by a word."""

    name = "greeting"
    key = "greeting"
    model: ClassVar[type[Document]] = Greeting
    placeholders: ClassVar[Mapping[str, Any]] = {"greeting": ""}

    def read(self, model: Greeting, mistakes: Mistakes, in_world: InWorld | None) -> dict[str, Any]:
        """Read greeting and word."""
        if not model.word.strip():
            mistakes.add(("word",), "expected a word, found an empty text")
        if in_world is None:
            return {}
        solutions = read_solutions(in_world, model.solutions, {})
        return {"task": Greet(model.greeting, model.word), **solutions}

    def converse(self, scenario: Scenario, agent: Agent, user: User) -> Trajectory:
        """Play with the user."""
        return play(scenario, agent, user)

    def judge(
        self, scenario: Scenario, trajectory: Trajectory, *, judged: bool = False
    ) -> Judgement:
        """Look for the word in what the agent says."""
        del judged
        word = scenario.task_as(Greet).word
        places = (
            place
            for place, message in enumerate(trajectory.messages)
            if message.sender is Role.AGENT and word in message.content
        )
        patterns = patterns_against_solutions(scenario, trajectory)
        return Judgement(Greeted(next(places, None)), patterns)

    def page(self, record: Any) -> str:
        """Show what was said instead."""
        lines = [f"score 0 of 1: {record['greeting']['word']!r} was not said", ""]
        return "\n".join([*lines, *transcript(record)])

    def summary(self, scenario: Scenario, result: Greeted | None) -> dict[str, Any]:
        """Return the word, and where it was said."""
        place = None if result is None else result.message
        return {"greeting": {"word": scenario.task_as(Greet).word, "said_at": place}}

    def prove(self, scenario: Scenario, ask: Any = None) -> Proof:
        """Play the solutions."""
        return Proof(ask, list(_failing(scenario)))


def _failing(scenario: Scenario) -> Iterator[str]:
    user = scripted_user(scenario)
    for name, steps in scenario.solutions.items():
        if not judge(scenario, play(scenario, scripted(scenario, steps), user)).passed:
            yield f"solution {name!r} does not say {scenario.task_as(Greet).word!r}"


PROTOCOL = GreetingProtocol()
