"""Events (milestones and minefields), their constraints, and the criteria of a judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from pytest_toolsandbox.worlds.state import Table, TableSchema

from .roles import Party, Role
from .values import Expected

START = "start"
"""The name of the beginning of the conversation in ``since:``."""

StateKind = Literal[
    "fields", "rows", "includes", "excludes", "added", "removed", "updated", "unchanged"
]


class _Constraint(ABC):
    """The base of all constraints."""

    since: str | None = None

    @property
    def is_guardrail(self) -> bool:
        """Whether it only forbids changes, so it scores 0 or 1 and does not count in the mean."""
        return False

    @property
    @abstractmethod
    def expected(self) -> tuple[Expected, ...]:
        """All expected values."""

    @cached_property
    def sources(self) -> frozenset[str]:
        """The earlier events whose results it uses."""
        return frozenset(name for cell in self.expected for name in cell.references)

    @cached_property
    def references(self) -> frozenset[str]:
        """The earlier events (or ``START``) whose snapshots or results it uses."""
        return self.sources | ({self.since} if self.since else set())

    @cached_property
    def earlier(self) -> tuple[str, ...]:
        """The events among its references, in alphabetical order."""
        return tuple(sorted(self.references - {START}))


@dataclass(frozen=True)
class StateConstraint(_Constraint):
    """The state of a table, or its changes since the snapshot of an event, or since ``START``.

    Only the changes of one party count, unless ``by`` is ``any``.
    """

    label: str
    table: str
    kind: StateKind
    rows: tuple[Mapping[str, Expected], ...] = ()
    since: str | None = None
    by: Party = "any"

    @property
    def compares_changes(self) -> bool:
        """Whether it is about changes of the table and not about its state."""
        return self.kind in ("added", "removed", "updated", "unchanged")

    @property
    def growth(self) -> int:
        """By how many rows the table must have grown since the snapshot ``since``."""
        return {"added": 1, "removed": -1}.get(self.kind, 0) * len(self.rows)

    @property
    def is_guardrail(self) -> bool:
        """Whether it only forbids changes of the table."""
        return self.kind == "unchanged"

    @cached_property
    def expected(self) -> tuple[Expected, ...]:
        """The cells of all rows."""
        return tuple(cell for row in self.rows for cell in row.values())


@dataclass(frozen=True)
class CallPattern:
    """A tool, and the arguments that matter."""

    tool: str
    arguments: Mapping[str, Expected]

    def is_met_by(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call has this tool and these arguments, which refer to no results."""
        return tool == self.tool and all(
            name in arguments
            and any(matcher.reached(arguments[name]) for matcher in cell.alternatives({}))
            for name, cell in self.arguments.items()
        )


@dataclass(frozen=True)
class CallConstraint(_Constraint):
    """A call that matches one of several patterns, or any call if there are none.

    If ``tried``, failed calls count too. It is a call of the party ``by``.
    """

    label: str
    alternatives: tuple[CallPattern, ...]
    tried: bool = False
    by: Party = "agent"

    @cached_property
    def expected(self) -> tuple[Expected, ...]:
        """The arguments of all alternatives."""
        return tuple(cell for call in self.alternatives for cell in call.arguments.values())


@dataclass(frozen=True)
class SaysConstraint(_Constraint):
    """What one role says to another."""

    label: str
    sender: Role
    recipient: Role
    content: Expected

    @property
    def expected(self) -> tuple[Expected, ...]:
        """The content."""
        return (self.content,)


class ValuelessConstraint(_Constraint):
    """The base of constraints that expect no values of the scenario's."""

    @property
    def expected(self) -> tuple[Expected, ...]:
        """Nothing."""
        return ()

    @property
    @abstractmethod
    def in_words(self) -> str:
        """What must hold, as reports say it."""


@dataclass(frozen=True)
class MomentConstraint(ValuelessConstraint):
    """The only snapshots that count: those of a turn, or its end; or the end of the conversation.

    Turns count from 1. A turn begins with a message of the user, the first of them the opening, and
    ends with the agent's next message to the user. The user has ``before_opening`` messages before
    the opening. Without a ``turn``, the moment is that at which the user has left.
    """

    label: str
    turn: int | None = None
    before_opening: int = 0
    at_end: bool = True

    @property
    def is_guardrail(self) -> bool:
        """True: it holds or not, and does not count in the mean."""
        return True

    @property
    def in_words(self) -> str:
        """The moment."""
        if self.turn is None:
            return "the end of the conversation"
        return f"{'the end of ' if self.at_end else ''}turn {self.turn}"


@dataclass(frozen=True)
class EndsAsConstraint(ValuelessConstraint):
    """The tables are as a solution leaves them at the end of a turn, or of its conversation.

    ``schemas`` has the tables that are compared, ``thresholds`` are those of the measures of
    columns. The user has ``before_opening`` messages before the opening.
    """

    label: str
    solution: str
    schemas: Mapping[str, TableSchema]
    turn: int | None = None
    before_opening: int = 0
    thresholds: Mapping[str, float] = field(default_factory=dict)
    is_whole: bool = True
    """Whether all tables are compared that tools can show."""

    @property
    def in_words(self) -> str:
        """The tables, the turn and the solution."""
        tables = "all tables" if self.is_whole else ", ".join(self.schemas)
        turn = "" if self.turn is None else f"turn {self.turn} of "
        return f"{tables} as after {turn}solution {self.solution!r}"


@dataclass(frozen=True)
class ResultsConstraint(ValuelessConstraint):
    """The agent has got all results of a solution, or of a turn of it, by any calls so far.

    A result that the solution has twice must be there twice. The user has ``before_opening``
    messages before the opening.
    """

    label: str
    solution: str
    turn: int | None = None
    before_opening: int = 0

    @property
    def in_words(self) -> str:
        """The turn and the solution."""
        turn = "" if self.turn is None else f"turn {self.turn} of "
        return f"all results of {turn}solution {self.solution!r}"


@dataclass(frozen=True)
class HoldsConstraint(_Constraint):
    """A question to the world, in the state of a snapshot, and what it returns."""

    label: str
    tool: str
    arguments: Mapping[str, Any]
    returns: Expected

    @property
    def expected(self) -> tuple[Expected, ...]:
        """What it returns."""
        return (self.returns,)


Constraint = (
    StateConstraint
    | CallConstraint
    | SaysConstraint
    | MomentConstraint
    | EndsAsConstraint
    | ResultsConstraint
    | HoldsConstraint
)
STATELESS = (CallConstraint, SaysConstraint, MomentConstraint, ResultsConstraint)
"""The constraints that words and calls decide, whatever the state of the world."""
Guarded = Mapping[str, frozenset[str]]
"""A table that must not change → the columns of its single row that may."""


class Guard(NamedTuple):
    """A table that must not change, except in the ``spared`` columns of its single row."""

    table: str
    spared: frozenset[str] = frozenset()

    def seen_in(self, state: Mapping[str, Table]) -> Hashable:
        """Return the part of the table that must not change."""
        table = state[self.table]
        if not self.spared:
            return table
        return Table({name: row[name] for name in row if name not in self.spared} for row in table)


@dataclass(frozen=True)
class Event:
    """A milestone or a minefield: constraints that must all hold at one snapshot.

    ``after`` names its predecessors in the graph. Its implicit guardrails watch the tables
    ``guarded``. ``before`` is the milestone that ends a minefield. An event that
    ``must_be_reached`` (a minefield) scores 0 below its thresholds. With ``call_is_meant``,
    guardrails ignore the changes that the call at its snapshot makes.
    """

    name: str
    constraints: tuple[Constraint, ...]
    after: tuple[str, ...] = ()
    guarded: Guarded = field(default_factory=dict)
    before: str | None = None
    must_be_reached: bool = False
    call_is_meant: bool = False

    @cached_property
    def references(self) -> frozenset[str]:
        """The earlier events (or ``START``) whose snapshots or results it uses."""
        return frozenset(name for item in self.constraints for name in item.references)

    @cached_property
    def state_constraints(self) -> tuple[StateConstraint, ...]:
        """Its constraints on tables."""
        return tuple(item for item in self.constraints if isinstance(item, StateConstraint))

    @cached_property
    def ending_tables(self) -> frozenset[str]:
        """The tables that must be as a solution leaves them."""
        endings = (item for item in self.constraints if isinstance(item, EndsAsConstraint))
        return frozenset(table for ending in endings for table in ending.schemas)

    @cached_property
    def constrained_tables(self) -> frozenset[str]:
        """The tables with constraints that are not guardrails."""
        asked = (item.table for item in self.state_constraints if not item.is_guardrail)
        return self.ending_tables.union(asked)


@dataclass(frozen=True)
class Criteria:
    """Criteria for a judge: those that must all be met, and groups of which one is enough."""

    all_of: tuple[str, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()

    def __add__(self, other: Criteria) -> Criteria:
        """Return both; groups with a criterion that must be met anyway are dropped."""
        required = tuple(dict.fromkeys((*self.all_of, *other.all_of)))
        groups = dict.fromkeys((*self.any_of, *other.any_of))
        return Criteria(required, tuple(group for group in groups if not {*group} & {*required}))

    def __bool__(self) -> bool:
        """Whether there are criteria."""
        return bool(self.all_of or self.any_of)

    @property
    def lists(self) -> list[list[str]]:
        """Lists of criteria; one of each list must be met."""
        return [*([criterion] for criterion in self.all_of), *map(list, self.any_of)]

    @property
    def texts(self) -> tuple[str, ...]:
        """All criteria without repetitions, the required ones first."""
        return tuple(self.grouped)

    @property
    def grouped(self) -> dict[str, int | None]:
        """Criterion → the number of its group, or ``None`` if it must be met."""
        groups = enumerate(self.any_of, 1)
        of_groups = {text: number for number, group in groups for text in group}
        return {**dict.fromkeys(self.all_of), **of_groups}


def criteria_of(value: Any) -> Criteria:
    """Return the criteria in a text, a list, or a mapping with ``all_of`` and ``any_of``.

    Raises ``ValueError`` for any other value.
    """
    keys = value if isinstance(value, Mapping) else {"all_of": value}
    unknown = [name for name in keys if name not in ("all_of", "any_of")]
    lists = {name: [texts] if isinstance(texts, str) else texts for name, texts in keys.items()}
    if unknown or not keys or not all(map(_are_texts, lists.values())):
        expected = "a criterion, a list of them, or a mapping with all_of or any_of"
        raise ValueError(f"expected {expected}, found {value!r}")
    required, group = (tuple(lists.get(name, ())) for name in ("all_of", "any_of"))
    return Criteria() + Criteria(required, (tuple(dict.fromkeys(group)),) if group else ())


def _are_texts(texts: Any) -> bool:
    is_list = isinstance(texts, (list, tuple))
    return is_list and all(isinstance(text, str) and text.strip() for text in texts)
