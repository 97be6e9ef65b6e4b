"""The tasks of scenarios, one class per protocol, with the scripts of simulated users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from pytest_toolsandbox.builtin.queries.finish import finish, finish_with
from pytest_toolsandbox.text.regular_expression import RegularExpression
from pytest_toolsandbox.worlds.tool import CallProtocolName
from pytest_toolsandbox.worlds.tool_view import ToolView

from .clock import ClockMove
from .consent import Agreement, ConsentRule
from .constraints import STATELESS, Event, Guarded
from .error_patterns import Pattern
from .roles import Manner, Role, ToolStep
from .values import Expected, FromResult

FINISH = ToolView(finish, finish.name)
"""The tool that concludes a query."""


@dataclass(frozen=True)
class ScriptedReply:
    """A reply that the scripted user gives once, to a message of the agent that matches.

    ``when`` searches the whole message, ``told`` only what the agent reports in it. Before the user
    says it, the user makes its ``calls``, from whose results the text may come. ``consents`` is
    what the user agrees to with it, or takes back. The clock moves to the moment ``at`` before it.
    """

    say: str | FromResult
    when: RegularExpression | None = None
    told: RegularExpression | None = None
    calls: tuple[ToolStep, ...] = ()
    consents: Agreement | None = None
    at: str | None = None


@dataclass(frozen=True)
class Assent:
    """Replies of the scripted user to proposals, used in turn, any number of times.

    ``to`` and ``not_to`` are words of accepted and refused proposals.
    """

    say: tuple[str, ...]
    to: tuple[str, ...] = ()
    not_to: tuple[str, ...] = ()
    say_no: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """A line of a dialogue. If ``visible_to`` is ``None``, sender and recipient see it."""

    role: Role
    content: str
    visible_to: tuple[Role, ...] | None = None


@dataclass(frozen=True)
class Demonstration:
    """An example conversation for a user played by a model, with that user's instructions."""

    goal: str
    knowledge_boundary: str | None
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class UserScript:
    """The simulated user; ``goals`` and ``knows`` map ids to texts.

    Before its ``opening``, the user makes the ``opening_calls``.
    """

    opening: str
    goal: str | None = None
    knowledge_boundary: str | None = None
    demonstration: Demonstration | None = None
    replies: tuple[ScriptedReply, ...] = ()
    agrees: Assent | None = None
    permits: Assent | None = None
    otherwise: tuple[str, ...] = ()
    goals: Mapping[str, str] = field(default_factory=dict)
    knows: Mapping[str, str] = field(default_factory=dict)
    style: Manner = "plain"
    turns: tuple[str, ...] = ()
    """All that the user says, whatever the agent says; the opening is the first of them."""
    instructions: str = ""
    """How the user is played, in any words; without an opening, it begins in its own words."""
    opening_calls: tuple[ToolStep, ...] = ()
    openings: tuple[str, ...] = ()
    """Other wordings of the opening."""
    opening_consents: Agreement | None = None
    """What the user consents to with the opening."""

    @property
    def all_goals(self) -> list[str]:
        """The goal, or each of the goals; empty if there is none."""
        return [self.goal] if self.goal else [*self.goals.values()]

    @property
    def wants(self) -> str:
        """The goal, or all goals joined, or else the instructions; empty if there is none."""
        return " ".join(self.all_goals) or self.instructions


class Task:
    """The part of a scenario that belongs to its protocol.

    Subclasses are frozen dataclasses with the fields of one protocol.
    """

    protocol: ClassVar[str]
    """The name under which the protocol is registered."""
    has_user: ClassVar[bool] = False
    """Whether a simulated user answers, with its own tools."""
    must_call: ClassVar[bool] = False
    """Whether every reply of the agent must be a call."""
    gives_feedback: ClassVar[bool] = False
    """Whether answers to invalid calls say what is allowed, if the scenario has no ``feedback``."""
    needs_all_tools: ClassVar[bool] = True
    """Whether variants offer every tool of the scenario, or only those that solutions call."""

    @property
    def further_tools(self) -> Mapping[str, ToolView]:
        """The offered tools that are not in the world."""
        return {}

    @property
    def user_script(self) -> UserScript:
        """The script of the user."""
        return UserScript("")

    @property
    def user_tools(self) -> tuple[str, ...]:
        """The tools of the world that the user has, beside the one that ends the conversation."""
        return ()

    @property
    def earlier_lines(self) -> tuple[Line, ...]:
        """The lines before the opening."""
        return ()

    @property
    def most_steps(self) -> int | None:
        """The replies with calls that the agent may make in a turn, if they are limited."""
        return None

    def with_most_steps(self, most_steps: int) -> Task:
        """Return the task with another limit of replies with calls, if it has one."""
        del most_steps
        return self

    @property
    def agent_turns(self) -> tuple[AgentTurn, ...]:
        """The recorded turns of the agent, which are a solution."""
        return ()

    @property
    def offered_from(self) -> Mapping[str, int]:
        """Tool → the turn, from 2, in which the agent is first offered it."""
        return {}

    @property
    def clock(self) -> tuple[ClockMove, ...]:
        """The moves of the world's clock, beside those of the user's replies."""
        return ()

    @property
    def needs_consent(self) -> bool:
        """Whether some calls need the user's consent."""
        return False

    @property
    def compares_meanings(self) -> bool:
        """Whether the result depends on an embedder."""
        return False

    @property
    def looks_at_state(self) -> bool:
        """Whether the result depends on the world's state, and not on words and calls alone."""
        return True


@dataclass(frozen=True)
class Milestones(Task):
    """A conversation with a simulated user, in which events must or must not happen.

    ``protected`` tables must not change, ``guarded`` tables only as milestones require. Calls need
    ``consent``.
    """

    user: UserScript
    history: tuple[Line, ...]
    milestones: Mapping[str, Event]
    minefields: Mapping[str, Event]
    protected: tuple[str, ...]
    guarded: Guarded = field(default_factory=dict)
    max_steps: int | None = None
    tools_of_user: tuple[str, ...] = ()
    late_tools: Mapping[str, int] = field(default_factory=dict)
    consent: tuple[ConsentRule, ...] = ()
    clock_moves: tuple[ClockMove, ...] = ()
    protocol = "milestones"
    has_user = True

    @property
    def user_tools(self) -> tuple[str, ...]:
        """The tools of the user."""
        return self.tools_of_user

    @property
    def user_script(self) -> UserScript:
        """The user of the scenario."""
        return self.user

    @property
    def earlier_lines(self) -> tuple[Line, ...]:
        """The history."""
        return self.history

    @property
    def offered_from(self) -> Mapping[str, int]:
        """The tools that are offered from a later turn on."""
        return self.late_tools

    @property
    def needs_consent(self) -> bool:
        """Whether the scenario or its world has ``consent``."""
        return bool(self.consent)

    @property
    def clock(self) -> tuple[ClockMove, ...]:
        """The scenario's ``clock``."""
        return self.clock_moves

    @property
    def most_steps(self) -> int | None:
        """The scenario's ``max_steps``."""
        return self.max_steps

    def with_most_steps(self, most_steps: int) -> Task:
        """Return the task with another ``max_steps``."""
        return replace(self, max_steps=most_steps)

    @property
    def compares_meanings(self) -> bool:
        """Whether a milestone or minefield uses the matcher ``semantic``."""
        events = (*self.milestones.values(), *self.minefields.values())
        constraints = (constraint for event in events for constraint in event.constraints)
        return any(cell.uses("semantic") for item in constraints for cell in item.expected)

    @property
    def looks_at_state(self) -> bool:
        """Whether events have constraints on tables, or tables must not change."""
        events = (*self.milestones.values(), *self.minefields.values())
        constraints = (constraint for event in events for constraint in event.constraints)
        looks = not all(isinstance(constraint, STATELESS) for constraint in constraints)
        return (
            looks or any(event.guarded for event in events) or bool(self.protected or self.guarded)
        )


@dataclass(frozen=True)
class RecordedCall:
    """A ground-truth call of a recorded conversation; if ``recorded``, with its outcome."""

    tool: str
    arguments: Mapping[str, Any]
    recorded: bool = False
    result: Any = None
    error: str | None = None


@dataclass(frozen=True)
class UserTurn:
    """A recorded message of the user."""

    content: str


@dataclass(frozen=True)
class AgentTurn:
    """The expected calls of the agent, and its answer."""

    calls: tuple[RecordedCall, ...]
    content: str


RecordedTurn = UserTurn | AgentTurn


@dataclass(frozen=True)
class Replay(Task):
    """A recorded conversation, in which the agent takes one turn at a time (ToolTalk).

    The system prompt contains ``user_name`` and ``location``. ``rules`` define how calls are
    compared and counted.
    """

    user_name: str | None
    location: str | None
    turns: tuple[RecordedTurn, ...]
    rules: CallProtocolName
    compare_receiver: bool
    protocol = "replay"
    needs_all_tools = False

    @property
    def agent_turns(self) -> tuple[AgentTurn, ...]:
        """The turns of the agent."""
        return tuple(turn for turn in self.turns if isinstance(turn, AgentTurn))

    @property
    def compares_meanings(self) -> bool:
        """True: free texts are compared with an embedder, if there is one."""
        return True


@dataclass(frozen=True)
class Query(Task):
    """A question that the agent answers by calling tools (SpecTool).

    ``answer`` is the expected conclusion. A finding of a ``forbidden`` error pattern fails the
    query. ``manner`` says how the query was made from ``base``, another one of its file. If the
    answer is a list of rows, ``columns`` are their names and types.
    """

    text: str
    answer: Expected
    manner: Literal["constraints", "sentences", "irrelevance"] | None = None
    base: str | None = None
    forbidden: tuple[Pattern, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    protocol = "query"
    must_call = True
    gives_feedback = True
    needs_all_tools = False

    @property
    def further_tools(self) -> Mapping[str, ToolView]:
        """The tool ``finish``."""
        finish = ToolView(finish_with(self.columns), FINISH.name) if self.columns else FINISH
        return {FINISH.name: finish}

    @property
    def user_script(self) -> UserScript:
        """The question."""
        return UserScript(self.text)

    @property
    def compares_meanings(self) -> bool:
        """Whether the expected answer uses the matcher ``semantic``."""
        return self.answer.uses("semantic")

    @property
    def looks_at_state(self) -> bool:
        """Never: answers and calls alone are compared."""
        return False
