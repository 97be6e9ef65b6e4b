"""The ``User`` protocol, the scripted user, and the knowledge of a simulated user.

``ask_user`` asks any user within a timeout. ``AbsentUser`` replaces a user whose answers are
recorded.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, NamedTuple, Never, Protocol, TypeGuard

from pytest_toolsandbox.concurrency.time_limit import OutOfTime, call_in_time
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import ScriptedReply, UserScript
from pytest_toolsandbox.models.errors import ProviderError, outage_or
from pytest_toolsandbox.models.requests import asked_by, request_context
from pytest_toolsandbox.text.error_text import blamed, describe_exception
from pytest_toolsandbox.text.formatting import format_value, replace_surrogates, type_name
from pytest_toolsandbox.text.regular_expression import SlowSearchError
from pytest_toolsandbox.worlds.tool import END_CONVERSATION

from .turns import Turn, asks_only_to_proceed, assent, turn_of
from .user_calls import UserMessage, call_message, calls_in, next_act

_OTHERWISE_LIMIT: Final = 2

_OURS: Final = f"{__name__.partition('.')[0]}."
"""The package of users that need no time limit: scripts, models and people at a terminal."""
AS_SAID: Final = "Please do as I said."
"""The answer to a question that the recording answers by its actions only."""
GO_ON: Final = "OK"
"""The answer to an agent that only announces its next action."""


AGREES: Final = "agrees"
"""The key in a message of a model that plays a user: whether it agrees to what it was asked."""


class UserError(Exception):
    """A simulated user did not answer, in one line: the item ends in an error, without a score."""


class VisibleMessage(dict[str, Any]):
    """A message as a user sees it: role and content."""

    follows_calls = False
    """Whether the agent made calls just before it; the user does not see them."""


class User(Protocol):
    """Talks to the agent, and gets the ``user`` and ``assistant`` messages so far.

    Among them are the user's own calls and, as ``tool`` messages, their results.
    """

    def __call__(self, messages: list[dict[str, Any]]) -> str | UserMessage | None:
        """Return the answer to the last message, or ``None`` to end the conversation.

        A message with ``tool_calls``, as those of agents, calls the user's tools: the user is asked
        again with the results.
        """
        ...


class UserFactory(Protocol):
    """Makes a user for each conversation of a scenario.

    A conversation that the user's faults decided is played again, ``retries`` times at most, with
    ``attempt`` counting from 0. A ``reviewer``, if any, checks the user of failed conversations.
    """

    @property
    def retries(self) -> int:
        """The maximum number of times that a conversation is played again."""
        ...

    def begin(self, scenario: Scenario, attempt: int = 0) -> User:
        """Return the user of one conversation. Raises ``ProviderError``."""
        ...


class Answer(NamedTuple):
    """The answer of a scripted user, ``None`` at the end of the conversation.

    ``agrees`` says whether it agrees to a proposal or refuses it; ``None`` if it does neither, or
    if it is a reply, which says that itself.
    """

    text: str | ScriptedReply | None
    agrees: bool | None = None


@dataclass(frozen=True)
class ScriptedUser:
    """Answers by rules, so that equal messages get equal answers.

    The answer to a message of the agent is the first that applies:

    1. The first unused reply whose ``when`` or ``told`` matches it, unless the message only asks
       whether to go ahead.
    2. The texts of ``permits`` and ``agrees``, if it proposes something.
    3. If it asks something, the next unused reply without a pattern, then ``otherwise``, twice at
       most.
    4. If it only announces something, :data:`GO_ON`, but not twice in a row without a call.

    Otherwise the user ends the conversation. A reply begins with its calls, one after the other.
    The messages tell which replies are used; the agent's first ``seen_before`` messages precede the
    opening.
    """

    script: UserScript
    seen_before: int = 0

    def __call__(self, messages: list[dict[str, Any]]) -> str | UserMessage | None:
        """Return the answer to the last message of the agent, or the next call before it."""
        received = sum(message["role"] == "assistant" for message in messages)
        if not self.script.opening and received <= self.seen_before:
            return self.script.wants  # the words of its goal are as good as others
        answer, _ = self.answer(messages)
        if not isinstance(answer, ScriptedReply):
            return answer
        try:
            return next_act(answer.calls, answer.say, messages)
        except ValueError as error:
            raise UserError(f"the user cannot answer: {error}") from None

    def answer(self, messages: list[dict[str, Any]]) -> Answer:
        """Return the reply or text that answers the last message, and whether it agrees."""
        unused, uses = list(self.script.replies), Counter[tuple[str, ...]]()
        answer: str | ScriptedReply | None = None
        agrees: bool | None = None
        goes_on = False
        reported = ""
        received = [message for message in messages if message["role"] == "assistant"]
        for message in received[self.seen_before :]:
            turn = turn_of(message["content"])
            texts = assent(self.script, turn)
            to_questions = not (texts and asks_only_to_proceed(turn))
            follows_calls = isinstance(message, VisibleMessage) and message.follows_calls
            statements = turn.reports(reported, follows_calls=follows_calls)
            reply = _matching(unused, turn, statements, to_questions=to_questions)
            reported = "" if reply and reply.told else statements.replace("?", "").strip()
            if not reply and not texts and (turn.questions or turn.offers_more):
                reply = next((r for r in unused if not r.when and not r.told), None)
                is_left = uses[self.script.otherwise] < _OTHERWISE_LIMIT
                texts = self.script.otherwise if is_left else ()
            is_idle = goes_on and not follows_calls
            goes_on = turn.announces and not (is_idle or reply or texts)
            answer, agrees = (GO_ON, True) if goes_on else (None, None)
            if reply:
                unused.remove(reply)
                answer = reply
            elif texts:
                answer = texts[uses[texts] % len(texts)]
                uses[texts] += 1
                agrees = self._agrees(texts)
        return Answer(answer, agrees)

    def _agrees(self, texts: tuple[str, ...]) -> bool | None:
        """Return whether texts agree to a proposal or refuse it, ``None`` if they do neither."""
        for kind in (self.script.agrees, self.script.permits):
            if kind and texts in (kind.say, kind.say_no):
                return texts == kind.say
        return None


def _matching(
    replies: Sequence[ScriptedReply], turn: Turn, statements: str, *, to_questions: bool
) -> ScriptedReply | None:
    for reply in replies:
        if to_questions and reply.when and reply.when.is_found_in(turn.punctuated):
            return reply
        if reply.told and reply.told.is_found_in(statements):
            return reply
    return None


def ask_user(
    user: User, messages: list[dict[str, Any]], timeout: float | None = None
) -> str | UserMessage | None:
    """Return the answer of a user: text, calls or ``None``. Raises :class:`UserError` for others.

    A custom user has ``timeout`` seconds; the users of this package have their own limits.
    """
    stand_in = request_context().stand_in
    answer: str | UserMessage | None
    answer = stand_in.user(user, messages, lambda: _ask(user, messages, timeout))
    return answer


def _ask(
    user: User, messages: list[dict[str, Any]], timeout: float | None
) -> str | UserMessage | None:
    is_ours = type(user).__module__.startswith(_OURS)
    unchanged = (UserError, SlowSearchError, ProviderError)
    with blamed(lambda error: _error_for(error, timeout), *unchanged), asked_by("user"):
        answer: object
        answer = user(messages) if is_ours else call_in_time(lambda: user(messages), timeout)
        if isinstance(answer, str):
            return replace_surrogates(answer)
    if answer is None:
        return None
    if is_ours and isinstance(answer, dict) and AGREES in answer:
        return {**answer, "content": replace_surrogates(answer["content"])}
    if isinstance(answer, Mapping):
        return _read_calls(answer)
    raise UserError(f"the user returned {type_name(answer)}; expected text, or None to end it")


def _read_calls(message: Mapping[str, Any]) -> UserMessage | None:
    try:
        calls = calls_in(message)
    except ValueError as error:
        raise UserError(f"the user returned {error}") from None
    is_end = any(name == END_CONVERSATION for name, _ in calls)
    return None if is_end else call_message(calls)


def is_user_factory(user: object) -> TypeGuard[UserFactory]:
    """Return whether it makes a user for each conversation, without reading its attributes."""
    return all(
        inspect.getattr_static(user, name, None) is not None for name in ("begin", "retries")
    )


def make_user(user: UserFactory, scenario: Scenario, attempt: int) -> User:
    """Return the user of a conversation. Raises :class:`UserError` if the factory makes none."""
    with blamed(_error_for, UserError, ProviderError):
        made: object = user.begin(scenario, attempt)
    if callable(made):
        return made
    raise UserError(f"begin returned {type_name(made)}; expected a user, which can be called")


def user_retries(user: UserFactory) -> int:
    """Return how often a conversation may be played again. Raises :class:`UserError`."""
    with blamed(_error_for):
        retries: object = user.retries
    if type(retries) is int and retries >= 0:
        return retries
    raise UserError(
        f"the user's retries is {format_value(retries)}; expected a whole number from 0 on"
    )


def _error_for(error: BaseException, timeout: float | None = None) -> Exception:
    if isinstance(error, OutOfTime):
        limit = f"{timeout:g} s for an answer; the scenario's 'timeout' sets another"
        return UserError(f"the user took longer than {limit}")
    return outage_or(error, f"the user raised {describe_exception(error)}", UserError)


@dataclass(frozen=True)
class FixedUser:
    """Says fixed ``turns`` one after the other, whatever the agent says, and then leaves.

    The messages tell which comes next; ``said_before`` of the user's precede the first turn.
    """

    turns: tuple[str, ...]
    said_before: int = 0

    def __call__(self, messages: list[dict[str, Any]]) -> str | None:
        """Return the text of the next turn."""
        turn = sum(message["role"] == "user" for message in messages) - self.said_before
        return self.turns[turn] if turn < len(self.turns) else None


def scripted_user(scenario: Scenario) -> ScriptedUser | FixedUser:
    """Return the scripted user of a scenario."""
    script = scenario.task.user_script
    if not script.turns:
        return ScriptedUser(script, earlier_message_count(scenario, Role.USER))
    lines = scenario.task.earlier_lines
    seen = (line.visible_to is None or Role.USER in line.visible_to for line in lines)
    # As the user sees it, all that is not the agent's or the system's is its own.
    user_lines = sum(s and line.role is Role.USER for s, line in zip(seen, lines, strict=True))
    return FixedUser(script.turns, user_lines)


def has_fixed_user(scenario: Scenario) -> bool:
    """Return whether all that the user says is fixed, so that nobody else can play the user."""
    return not scenario.task.has_user or bool(scenario.task.user_script.turns)


def earlier_message_count(scenario: Scenario, heard_by: Role) -> int:
    """Return how many messages of the agent precede the opening, as a role sees them."""
    return sum(
        line.role is Role.AGENT and (line.visible_to is None or heard_by in line.visible_to)
        for line in scenario.task.earlier_lines
    )


_ONLY_GOAL: Final = "goal"
"""The id of the goal of a scenario that does not name its goals."""

_Progress = Literal["open", "asked", "done"]


@dataclass(frozen=True)
class Knowledge:
    """All that a simulated user knows: the opening, and id → text of goals and facts.

    ``boundary`` is the knowledge boundary in prose (ToolSandbox, section 2). ``earlier`` are the
    user's own lines before the opening. Without an ``opening``, the user begins in its own words,
    by its ``instructions``.
    """

    opening: str
    goals: Mapping[str, str]
    facts: Mapping[str, str] = field(default_factory=dict)
    boundary: str = ""
    earlier: tuple[str, ...] = ()
    instructions: str = ""
    gives_consent: bool = False
    """Whether calls need the user's consent, so that it says with each text whether it agrees."""

    @property
    def lines(self) -> tuple[str, ...]:
        """All texts."""
        user_lines = (self.opening, *self.earlier, self.instructions)
        return *user_lines, *self.goals.values(), *self.facts.values(), self.boundary

    @property
    def text(self) -> str:
        """All texts, a line each."""
        return "\n".join(self.lines)


def knowledge_of(scenario: Scenario) -> Knowledge:
    """Return what the user of a scenario knows."""
    script = scenario.task.user_script
    first = f"What you ask first: {script.opening}" if script.opening else "See your instructions."
    wants = script.wants if script.wants != script.instructions else ""
    only_goal = {_ONLY_GOAL: wants or first}
    return Knowledge(
        script.opening,
        script.goals or only_goal,
        script.knows,
        script.knowledge_boundary or "",
        tuple(line.content for line in scenario.task.earlier_lines if line.role == "user"),
        script.instructions,
        scenario.task.needs_consent,
    )


@dataclass(frozen=True)
class Ledger:
    """The progress of each goal. The opening asks for the first one."""

    progress: Mapping[str, _Progress]

    @classmethod
    def at_opening(cls, knowledge: Knowledge) -> Ledger:
        """Return the ledger after the opening, if there is one."""
        first = next(iter(knowledge.goals)) if knowledge.opening else None
        return cls({goal: "asked" if goal == first else "open" for goal in knowledge.goals})

    @property
    def open_goals(self) -> list[str]:
        """The goals that the user has not asked for yet."""
        return [goal for goal, state in self.progress.items() if state == "open"]

    def after(self, goal: str | None) -> Ledger:
        """Return the ledger after the user asks for a goal: the goals asked before are done."""
        if goal is None or goal not in self.progress:
            return self
        moved: dict[str, _Progress] = {
            name: "done" if state == "asked" else state for name, state in self.progress.items()
        }
        moved[goal] = "asked"
        return Ledger(moved)


class AbsentUser:
    """Replaces a user whose answers are recorded, so that it need not be installed."""

    is_recorded: ClassVar = True
    """Cassettes record its answers, as they come from no model and no script of ours."""

    def stand_for(self, path: str) -> None:
        """Take on the import path of a user."""
        self.__module__, _, self.__qualname__ = path.partition(":")

    def __call__(self, messages: list[dict[str, Any]]) -> Never:
        """Refuse to answer. Raises :class:`UserError`."""
        del messages
        raise UserError("the user is absent, and none of its answers is recorded")
