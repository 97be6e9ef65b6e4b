"""A scenario as the rest of the program knows it: checked, with its world and its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, TypeVar

from pytest_toolsandbox.wording.regular_expression import RegularExpression
from pytest_toolsandbox.worlds.finish import finish
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool_view import Scrambled, ShownTool
from pytest_toolsandbox.worlds.world import World

from .roles import Role
from .values import Expected, FromCall

T = TypeVar("T")

FINISH = ShownTool(finish, finish.name)
"""The tool that concludes a query."""

START = "start"
"""What ``since:`` names when it means the beginning of the conversation."""

StateKind = Literal[
    "fields", "rows", "includes", "excludes", "added", "removed", "updated", "unchanged"
]


@dataclass(frozen=True)
class StateConstraint:
    """How a table is, by itself or (``since``) compared with an earlier snapshot.

    ``since`` is ``START``, a milestone's name, or ``None`` where the kind compares with nothing.
    """

    label: str
    table: str
    kind: StateKind
    rows: tuple[Mapping[str, Expected], ...] = ()
    since: str | None = None

    @property
    def is_guardrail(self) -> bool:
        """Whether it only forbids a change: it is 0 or 1 and does not enter the mean."""
        return self.kind == "unchanged"

    @cached_property
    def expected(self) -> tuple[Expected, ...]:
        """Every value that it expects."""
        return tuple(cell for row in self.rows for cell in row.values())

    @cached_property
    def references(self) -> frozenset[str]:
        """The earlier events (or ``START``) at whose snapshots it looks."""
        named = {name for cell in self.expected for name in cell.references}
        return frozenset(named | ({self.since} if self.since else set()))


@dataclass(frozen=True)
class CallPattern:
    """A tool, and the arguments that matter."""

    tool: str
    arguments: Mapping[str, Expected]


@dataclass(frozen=True)
class CallConstraint:
    """A call of one of several patterns; ``tried`` counts calls that did not come through."""

    label: str
    alternatives: tuple[CallPattern, ...]
    tried: bool = False
    is_guardrail = False

    @cached_property
    def expected(self) -> tuple[Expected, ...]:
        """Every value that it expects."""
        return tuple(cell for call in self.alternatives for cell in call.arguments.values())

    @cached_property
    def references(self) -> frozenset[str]:
        """The earlier events from whose results it takes values."""
        return frozenset(name for cell in self.expected for name in cell.references)


@dataclass(frozen=True)
class SaysConstraint:
    """What one role says to another."""

    label: str
    sender: Role
    recipient: Role
    content: Expected
    is_guardrail = False

    @cached_property
    def expected(self) -> tuple[Expected, ...]:
        """Every value that it expects."""
        return (self.content,)

    @cached_property
    def references(self) -> frozenset[str]:
        """The earlier events from whose results it takes values."""
        return self.content.references


Constraint = StateConstraint | CallConstraint | SaysConstraint


@dataclass(frozen=True)
class Event:
    """A milestone or a minefield: constraints that must all hold at one snapshot.

    ``after`` names its predecessors in the graph; ``guarded`` the tables that its implicit
    guardrails may watch; ``before`` the milestone that limits a minefield. One that
    ``must_be_reached``, as a minefield, counts nothing below its thresholds.
    """

    name: str
    constraints: tuple[Constraint, ...]
    after: tuple[str, ...] = ()
    guarded: frozenset[str] = frozenset()
    before: str | None = None
    must_be_reached: bool = False

    @cached_property
    def references(self) -> frozenset[str]:
        """The earlier events (or ``START``) at whose snapshots it looks."""
        return frozenset(name for item in self.constraints for name in item.references)

    @cached_property
    def constrained_tables(self) -> frozenset[str]:
        """The tables that it constrains other than by a guardrail."""
        return frozenset(
            item.table
            for item in self.constraints
            if isinstance(item, StateConstraint) and not item.is_guardrail
        )


@dataclass(frozen=True)
class ToolStep:
    """A tool call; arguments may hold values from the result of an earlier call."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class ParallelStep:
    """Tool calls that are made at once."""

    steps: tuple[ToolStep, ...]


@dataclass(frozen=True)
class SayStep:
    """What the agent says to the user."""

    text: str | FromCall


Step = ToolStep | ParallelStep | SayStep


@dataclass(frozen=True)
class Reply:
    """What the scripted user says, and to which messages of the agent."""

    say: str
    when: RegularExpression | None = None


@dataclass(frozen=True)
class Line:
    """A line of a dialogue. ``visible_to`` is ``None`` where sender and recipient see it."""

    role: Role
    content: str
    visible_to: tuple[Role, ...] | None = None


@dataclass(frozen=True)
class UserScript:
    """The simulated user."""

    opening: str
    goal: str | None
    knowledge_boundary: str | None
    demonstration: tuple[Line, ...]
    replies: tuple[Reply, ...]
    otherwise: str


@dataclass(frozen=True)
class RecordedCall:
    """A true call of a recorded conversation, with what came of it, if that is ``recorded``."""

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


Turn = UserTurn | AgentTurn


@dataclass(frozen=True)
class Replay:
    """A recorded conversation, in which the agent takes one turn at a time (ToolTalk).

    ``user`` and ``location`` are what the agent is told of its user.
    """

    user: str | None
    location: str | None
    turns: tuple[Turn, ...]
    protocol: Literal["published_code", "paper"]
    compare_receiver: bool


Pattern = Literal["IFE", "IFN", "IAN", "IAT", "RAC", "IAV", "IAC"]
"""SpecTool's error patterns, in the order in which calls are classified (section 3)."""


@dataclass(frozen=True)
class Query:
    """A question that the agent answers by calling tools (SpecTool).

    ``answer`` is what the conclusion must be; it does not count beside a finding of a ``forbidden``
    pattern. ``manner`` says how the query was made from ``base``, another one of its file.
    """

    text: str
    answer: Expected
    manner: Literal["constraints", "sentences", "irrelevance"] | None = None
    base: str | None = None
    forbidden: tuple[Pattern, ...] = ()


@dataclass(frozen=True)
class Mark:
    """A pytest mark with its arguments."""

    name: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)


class Memory:
    """What is worked out when it is first asked for, and kept as long as its source is the same."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[object, Any]] = {}

    def value(self, name: str, source: object, work_out: Callable[[], T]) -> T:
        """Return the value of that name, which depends on nothing but ``source``."""
        if name not in self._kept or self._kept[name][0] is not source:
            self._kept[name] = source, work_out()
        value: T = self._kept[name][1]
        return value


@dataclass(frozen=True)
class Scenario:
    """A simulated world, who is in it, what must happen and what must not.

    With a ``replay`` there is no simulated user, and nothing must happen but the recorded calls;
    with a ``query`` the user says only that. ``variant`` names the augmentation of its tools, if
    there is one. ``max_calls`` is the number of calls from which scores of error patterns are
    reckoned, and which a query allows; ``feedback`` whether invalid calls are answered with what is
    allowed, where that is said. ``memory`` keeps what its solutions and ground-truth calls do,
    for all of its variants.
    """

    name: str
    line: int
    digest: str
    summary: str
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    marks: tuple[Mark, ...]
    world: World
    now: datetime
    start: State
    tools: tuple[str, ...]
    user: UserScript
    history: tuple[Line, ...]
    milestones: Mapping[str, Event]
    minefields: Mapping[str, Event]
    protected: tuple[str, ...]
    solutions: Mapping[str, tuple[Step, ...]]
    counterexamples: Mapping[str, tuple[Step, ...]]
    trials: int
    max_messages: int
    timeout: float | None
    max_calls: int = 15
    feedback: bool | None = None
    call_format: Literal["native", "text"] = "native"
    withheld: tuple[str, ...] = ()
    variant: str | None = None
    scrambled: Scrambled | None = None
    replay: Replay | None = None
    query: Query | None = None
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    @property
    def needed_tools(self) -> tuple[str, ...]:
        """The tools that are offered in every variant.

        In a replay these are the tools of the true calls, and in a query those of the solutions.
        """
        if self.replay is None and self.query is None:
            return self.tools
        called = {call.tool for call in self._written_calls}
        return tuple(name for name in self.tools if name in called)

    @property
    def _written_calls(self) -> Iterator[ToolStep | RecordedCall]:
        for turn in self.replay.turns if self.replay else ():
            if isinstance(turn, AgentTurn):
                yield from turn.calls
        for steps in self.solutions.values():
            for step in steps:
                if isinstance(step, ToolStep):
                    yield step
                elif isinstance(step, ParallelStep):
                    yield from step.steps

    @property
    def gives_feedback(self) -> bool:
        """Whether an invalid call is answered with what is allowed (SpecTool, section 4)."""
        return self.query is not None if self.feedback is None else self.feedback

    @cached_property
    def shown_tools(self) -> Mapping[str, ShownTool]:
        """The tools that are offered, by the names under which the agent sees them.

        A query is concluded with one more.
        """
        shown = self.world.shown(self.scrambled)
        tools = {shown[name].name: shown[name] for name in self.tools}
        return tools if self.query is None else {**tools, FINISH.name: FINISH}

    @property
    def tool_schemas(self) -> list[dict[str, Any]]:
        """The tools as the agent is offered them."""
        return [tool.schema for tool in self.shown_tools.values()]

    def uses(self, matcher: str) -> bool:
        """Whether a milestone, a minefield or the answer asks a matcher of this name."""
        if self.query is not None:
            return self.query.answer.uses(matcher)
        events = (*self.milestones.values(), *self.minefields.values())
        constraints = (constraint for event in events for constraint in event.constraints)
        return any(cell.uses(matcher) for item in constraints for cell in item.expected)
