"""What a user is, and the scripted one.

What a simulated user knows: what is not here is unknown to it.

A user of whom no more is needed than what was recorded.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, Never, Protocol, TypeGuard

from pytest_toolsandbox.concurrency.time_limit import OutOfTime, call_in_time
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import ScriptedReply, UserScript
from pytest_toolsandbox.models.errors import ProviderError, outage_or
from pytest_toolsandbox.models.requests import asked_by, request_context
from pytest_toolsandbox.text.error_text import blamed, describe_exception
from pytest_toolsandbox.text.formatting import format_value, replace_surrogates, type_name
from pytest_toolsandbox.text.regular_expression import SlowSearchError

from .turns import Turn, asks_no_more, assent, turn_of

END_CONVERSATION: Final = "end_conversation"
OTHERWISE_AT_MOST = 2

_OURS: Final = f"{__name__.partition('.')[0]}."
"""The package whose own users, scripts, models and people at a terminal, know when to give up."""
AS_SAID: Final = "Please do as I said."
"""The answer to a question that the recording does not answer, but whose actions it has."""
GO_ON: Final = "OK"
"""What a scripted user says to an agent that only announces what it is about to do."""


class UserError(Exception):
    """A simulated user could not answer. One line; an error of the item and never a score."""


class Heard(dict[str, Any]):
    """A message as a user sees it: role and content."""

    comes_of_calls = False
    """Whether the agent made calls just before it, which no user is told in words."""


class User(Protocol):
    """Who talks to the agent, told the ``user`` and ``assistant`` messages seen so far."""

    def __call__(self, messages: list[dict[str, Any]]) -> str | None:
        """Return the answer to the last message, or ``None`` to end the conversation."""
        ...


class UserFactory(Protocol):
    """Makes a user for each conversation of a scenario.

    Where the faults of its user decided one, it is played again, ``retries`` times at most, with
    ``attempt`` counting from 0. It may have a ``reviewer``, which is shown those that failed.
    """

    @property
    def retries(self) -> int:
        """How often a conversation is played again at most."""
        ...

    def begin(self, scenario: Scenario, attempt: int = 0) -> User:
        """Return the user of one conversation. Raises ``ProviderError``."""
        ...


@dataclass(frozen=True)
class ScriptedUser:
    """Answers by rule, so that the same conversation takes the same course.

    To each message of the agent: the first unused reply whose ``when`` or ``told`` is found in it;
    else, or where it asks only whether to go ahead, what ``permits`` and ``agrees`` say; else, if
    something is asked, the next unused reply without a pattern, then ``otherwise``, twice at most;
    else, if it only announces something, :data:`GO_ON`, but not twice in a row where no call was
    made in between. To anything else the user ends the conversation. What was used follows from the
    messages, of which the agent's first ``seen_before`` stood there before the opening.
    """

    script: UserScript
    seen_before: int = 0

    def __call__(self, messages: list[dict[str, Any]]) -> str | None:
        """Return the answer to the last message."""
        unused, given = list(self.script.replies), Counter[tuple[str, ...]]()
        answer, goes_on = None, False
        heard = [message for message in messages if message["role"] == "assistant"]
        for message in heard[self.seen_before :]:
            turn = turn_of(message["content"])
            texts = assent(self.script, turn)
            reply = _fitting(unused, turn, to_questions=not (texts and asks_no_more(turn)))
            if not reply and not texts and (turn.asked or turn.offers_more):
                reply = next((one for one in unused if not one.when and not one.told), None)
                is_heard = given[self.script.otherwise] < OTHERWISE_AT_MOST
                texts = self.script.otherwise if is_heard else ()
            is_idle = goes_on and not (isinstance(message, Heard) and message.comes_of_calls)
            goes_on = turn.announces and not (is_idle or reply or texts)
            answer = GO_ON if goes_on else None
            if reply:
                unused.remove(reply)
                answer = reply.say
            elif texts:
                answer = texts[given[texts] % len(texts)]
                given[texts] += 1
        return answer


def _fitting(
    replies: Sequence[ScriptedReply], turn: Turn, *, to_questions: bool
) -> ScriptedReply | None:
    """Return the first reply whose pattern fits a turn."""
    for reply in replies:
        if to_questions and reply.when and reply.when.is_found_in(turn.heard):
            return reply
        if reply.told and reply.told.is_found_in(turn.told):
            return reply
    return None


def ask_user(
    user: User, messages: list[dict[str, Any]], timeout: float | None = None
) -> str | None:
    """Return the answer of a user. Raises :class:`UserError` where it is no answer.

    One of somebody's own has ``timeout`` seconds for it; ours keep limits of their own.
    """
    if stand_in := request_context().stand_in:
        answer: str | None = stand_in.user(user, messages, lambda: _asked(user, messages, timeout))
        return answer
    return _asked(user, messages, timeout)


def _asked(user: User, messages: list[dict[str, Any]], timeout: float | None) -> str | None:
    is_ours = type(user).__module__.startswith(_OURS)
    passed = (UserError, SlowSearchError, ProviderError)
    with blamed(lambda error: _told(error, timeout), *passed), asked_by("user"):
        answer: object
        answer = user(messages) if is_ours else call_in_time(lambda: user(messages), timeout)
        if isinstance(answer, str):
            return replace_surrogates(answer)
    if answer is None:
        return None
    raise UserError(f"the user returned {type_name(answer)}; expected text, or None to end it")


def makes_users(user: object) -> TypeGuard[UserFactory]:
    """Whether it makes a user for each conversation; no attribute of it is asked for."""
    return all(
        inspect.getattr_static(user, name, None) is not None for name in ("begin", "retries")
    )


def begun(user: UserFactory, scenario: Scenario, attempt: int) -> User:
    """Return the user of a conversation. Raises :class:`UserError` where it is none."""
    with blamed(_told, UserError, ProviderError):
        made: object = user.begin(scenario, attempt)
    if callable(made):
        return made
    raise UserError(f"begin returned {type_name(made)}; expected a user, which can be called")


def retries_of(user: UserFactory) -> int:
    """Return how often a conversation may be played again. Raises :class:`UserError`."""
    with blamed(_told):
        retries: object = user.retries
    if type(retries) is int and retries >= 0:
        return retries
    raise UserError(
        f"the user's retries is {format_value(retries)}; expected a whole number from 0 on"
    )


def _told(error: BaseException, timeout: float | None = None) -> Exception:
    if isinstance(error, OutOfTime):
        limit = f"{timeout:g} s for an answer; the scenario's 'timeout' sets another"
        return UserError(f"the user took longer than {limit}")
    return outage_or(error, f"the user raised {describe_exception(error)}", UserError)


def scripted_user(scenario: Scenario) -> ScriptedUser:
    """Return the scripted user of a scenario."""
    return ScriptedUser(scenario.task.user_script, said_before(scenario, Role.USER))


def said_before(scenario: Scenario, heard_by: Role) -> int:
    """Return how many messages of the agent's stand before the opening, as a role sees them."""
    return sum(
        line.role is Role.AGENT and (line.visible_to is None or heard_by in line.visible_to)
        for line in scenario.task.earlier_lines
    )


ONLY_GOAL = "goal"
"""The id of the goal of a scenario that does not name its goals."""

Progress = Literal["open", "asked", "done"]


@dataclass(frozen=True)
class Knowledge:
    """The opening, and id → text of goals and facts; ``boundary`` says in prose what is known.

    ``earlier`` are the user's own lines before the opening.
    """

    opening: str
    goals: Mapping[str, str]
    facts: Mapping[str, str] = field(default_factory=dict)
    boundary: str = ""
    earlier: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it."""
        told = (*self.goals.values(), *self.facts.values(), self.boundary)
        return self.opening, *self.earlier, *told

    @property
    def text(self) -> str:
        """All of it, a line each."""
        return "\n".join(self.lines)


def knowledge_of(scenario: Scenario) -> Knowledge:
    """Return what the user of a scenario knows."""
    script = scenario.task.user_script
    return Knowledge(
        script.opening,
        _goals(script),
        script.knows,
        script.knowledge_boundary or "",
        tuple(line.content for line in scenario.task.earlier_lines if line.role == "user"),
    )


def _goals(script: UserScript) -> Mapping[str, str]:
    return script.goals or {ONLY_GOAL: script.wants or f"What you ask first: {script.opening}"}


@dataclass(frozen=True)
class Ledger:
    """How far each goal is. The first one is asked with the opening."""

    progress: Mapping[str, Progress]

    @classmethod
    def at_opening(cls, knowledge: Knowledge) -> Ledger:
        """Return it as it is when only the opening was said."""
        first = next(iter(knowledge.goals))
        return cls({goal: "asked" if goal == first else "open" for goal in knowledge.goals})

    @property
    def open_goals(self) -> list[str]:
        """The goals that nothing was said about."""
        return [goal for goal, state in self.progress.items() if state == "open"]

    def after(self, goal: str | None) -> Ledger:
        """Return it as it is when the user has turned to a goal: one asked before is done."""
        if goal is None or goal not in self.progress:
            return self
        moved: dict[str, Progress] = {
            one: "done" if state == "asked" else state for one, state in self.progress.items()
        }
        moved[goal] = "asked"
        return Ledger(moved)


class AbsentUser:
    """Stands for a user whose answers are recorded: nobody has to be there."""

    is_recorded: ClassVar = True
    """Cassettes record what it says: no model and no script of ours says it."""

    def stand_for(self, path: str) -> None:
        """Take on the import path of a user."""
        self.__module__, _, self.__qualname__ = path.partition(":")

    def __call__(self, messages: list[dict[str, Any]]) -> Never:
        """Refuse to answer. Raises :class:`UserError`."""
        del messages
        raise UserError("the user is not there, and nothing that it said")
