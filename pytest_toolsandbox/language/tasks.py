"""What an agent has to do, by the protocol of its scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from pytest_toolsandbox.builtin.queries.finish import finish, finish_with
from pytest_toolsandbox.text.regular_expression import RegularExpression
from pytest_toolsandbox.worlds.tool import CallProtocolName
from pytest_toolsandbox.worlds.tool_view import ToolView

from .constraints import Event, Spared
from .error_patterns import Pattern
from .roles import Manner, Role
from .values import Expected

FINISH = ToolView(finish, finish.name)
"""The tool that concludes a query."""


@dataclass(frozen=True)
class ScriptedReply:
    """What the scripted user says once, and to which messages of the agent.

    ``when`` is looked for in all that the agent says, ``told`` only in what it reports.
    """

    say: str
    when: RegularExpression | None = None
    told: RegularExpression | None = None


@dataclass(frozen=True)
class Assent:
    """What the scripted user says to proposals, as often as they are made.

    ``to`` and ``not_to`` are words of what is proposed; texts of a kind take turns.
    """

    say: tuple[str, ...]
    to: tuple[str, ...] = ()
    not_to: tuple[str, ...] = ()
    say_no: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """A line of a dialogue. ``visible_to`` is ``None`` where sender and recipient see it."""

    role: Role
    content: str
    visible_to: tuple[Role, ...] | None = None


@dataclass(frozen=True)
class Demonstration:
    """An example conversation for a user that a model plays, with what its user was told."""

    goal: str
    knowledge_boundary: str | None
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class UserScript:
    """The simulated user.

    ``goals`` and ``knows`` are id → text, and ``style`` says how a user talks that a model plays.
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

    @property
    def wants(self) -> str:
        """The goal, or all goals in a row; empty where none is said."""
        return self.goal or " ".join(self.goals.values())


class Task:
    """What a scenario asks of its agent: what every protocol has to say of its own.

    Subclasses are frozen dataclasses with the fields that no other protocol has.
    """

    protocol: ClassVar[str]
    """The name under which the protocol is registered."""
    has_user: ClassVar[bool] = False
    """Whether a simulated user answers, who has tools of its own."""
    must_call: ClassVar[bool] = False
    """Whether every reply of the agent has to be a call."""
    gives_feedback: ClassVar[bool] = False
    """Whether an invalid call is answered with what is allowed, unless the scenario says."""
    needs_all_tools: ClassVar[bool] = True
    """Whether variants offer every tool of the scenario, or only those that solutions call."""

    @property
    def further_tools(self) -> Mapping[str, ToolView]:
        """The tools that are offered beside those of the world."""
        return {}

    @property
    def user_script(self) -> UserScript:
        """What the user says, the opening first."""
        return UserScript("")

    @property
    def earlier_lines(self) -> tuple[Line, ...]:
        """The lines before the opening."""
        return ()

    @property
    def agent_turns(self) -> tuple[AgentTurn, ...]:
        """The recorded turns of the agent: a solution that need not be written."""
        return ()

    @property
    def compares_meanings(self) -> bool:
        """Whether an embedder has a say in the result."""
        return False


@dataclass(frozen=True)
class Milestones(Task):
    """A conversation with a simulated user, in which events must or must not happen.

    ``protected`` tables must not change; ``guarded`` ones only as milestones ask,
    but for their columns ``spared``.
    """

    user: UserScript
    history: tuple[Line, ...]
    milestones: Mapping[str, Event]
    minefields: Mapping[str, Event]
    protected: tuple[str, ...]
    guarded: tuple[str, ...] = ()
    spared: Spared = field(default_factory=dict)
    protocol = "milestones"
    has_user = True

    @property
    def user_script(self) -> UserScript:
        """The user, as the scenario has it."""
        return self.user

    @property
    def earlier_lines(self) -> tuple[Line, ...]:
        """The history."""
        return self.history

    @property
    def compares_meanings(self) -> bool:
        """Whether a milestone or minefield does."""
        events = (*self.milestones.values(), *self.minefields.values())
        constraints = (constraint for event in events for constraint in event.constraints)
        return any(cell.uses("semantic") for item in constraints for cell in item.expected)


@dataclass(frozen=True)
class RecordedCall:
    """A ground-truth call of a recorded conversation, with what came of it, if ``recorded``."""

    tool: str
    arguments: Mapping[str, Any]
    recorded: bool = False
    result: Any = None
    error: str | None = None


@dataclass(frozen=True)
class UserTurn:
    """What the user said."""

    content: str


@dataclass(frozen=True)
class AgentTurn:
    """The calls that the agent should make, and its answer."""

    calls: tuple[RecordedCall, ...]
    content: str


RecordedTurn = UserTurn | AgentTurn


@dataclass(frozen=True)
class Replay(Task):
    """A recorded conversation, in which the agent takes one turn at a time (ToolTalk).

    ``user_name`` and ``location`` are what the agent is told of its user; ``rules`` say how calls
    are compared and counted.
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
        """Free texts are, wherever there is an embedder."""
        return True


@dataclass(frozen=True)
class Query(Task):
    """A question that the agent answers by calling tools (SpecTool).

    ``answer`` is what the conclusion must be; it does not count beside a finding of a ``forbidden``
    pattern. ``manner`` says how the query was made from ``base``, another one of its file. Where
    the answer is a list of rows, ``columns`` are their names and types.
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
        """The tool that concludes it."""
        own = ToolView(finish_with(self.columns), FINISH.name) if self.columns else FINISH
        return {FINISH.name: own}

    @property
    def user_script(self) -> UserScript:
        """The question; the user does not answer."""
        return UserScript(self.text)

    @property
    def compares_meanings(self) -> bool:
        """Whether the answer does."""
        return self.answer.uses("semantic")
