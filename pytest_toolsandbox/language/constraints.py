"""What must or must not hold at a moment of a conversation: constraints, and events of them.

Criteria of an author's own, by which a judge reads what an agent says and does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from pytest_toolsandbox.worlds.state import Table

from .roles import Role
from .values import Expected

START = "start"
"""What ``since:`` names when it means the beginning of the conversation."""

StateKind = Literal[
    "fields", "rows", "includes", "excludes", "added", "removed", "updated", "unchanged"
]


class _Constraint(ABC):
    """What all constraints have."""

    since: str | None = None

    @property
    def is_guardrail(self) -> bool:
        """Whether it only forbids a change: it is 0 or 1 and does not enter the mean."""
        return False

    @property
    @abstractmethod
    def expected(self) -> tuple[Expected, ...]:
        """Every value that it expects."""

    @cached_property
    def sources(self) -> frozenset[str]:
        """The earlier events at whose results it looks."""
        return frozenset(name for cell in self.expected for name in cell.references)

    @cached_property
    def references(self) -> frozenset[str]:
        """The earlier events (or ``START``) at whose snapshots or results it looks."""
        return self.sources | ({self.since} if self.since else set())

    @cached_property
    def earlier(self) -> tuple[str, ...]:
        """The events among its references, in alphabetical order."""
        return tuple(sorted(self.references - {START}))


@dataclass(frozen=True)
class StateConstraint(_Constraint):
    """How a table is, by itself or compared with the snapshot ``since`` an event, or ``START``."""

    label: str
    table: str
    kind: StateKind
    rows: tuple[Mapping[str, Expected], ...] = ()
    since: str | None = None

    @property
    def compares_changes(self) -> bool:
        """Whether it looks at what changed, and not at how the table is."""
        return self.kind in ("added", "removed", "updated", "unchanged")

    @property
    def growth(self) -> int:
        """How many rows the table must have more than at the snapshot ``since``."""
        return {"added": 1, "removed": -1}.get(self.kind, 0) * len(self.rows)

    @property
    def is_guardrail(self) -> bool:
        """Whether the table must only not change."""
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


@dataclass(frozen=True)
class CallConstraint(_Constraint):
    """A call of one of several patterns; ``tried`` counts calls that did not come through."""

    label: str
    alternatives: tuple[CallPattern, ...]
    tried: bool = False

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


Constraint = StateConstraint | CallConstraint | SaysConstraint
Spared = Mapping[str, frozenset[str]]
"""Table with a single row → the columns that guardrails do not watch."""


class Guard(NamedTuple):
    """A table that must not change, but for the ``spared`` columns of its single row."""

    table: str
    spared: frozenset[str] = frozenset()

    def seen_in(self, state: Mapping[str, Table]) -> Hashable:
        """Return what must stay as it is."""
        table = state[self.table]
        if not self.spared:
            return table
        return Table({name: row[name] for name in row if name not in self.spared} for row in table)


@dataclass(frozen=True)
class Event:
    """A milestone or a minefield: constraints that must all hold at one snapshot.

    ``after`` names its predecessors in the graph; ``guarded`` are the tables that its implicit
    guardrails may watch, but for the columns ``spared``; ``before`` is the milestone that limits a
    minefield. One that ``must_be_reached``, as a minefield, counts nothing below its thresholds.
    Guardrails watch up to its snapshot, or up to the call there, where changes of this call are
    meant.
    """

    name: str
    constraints: tuple[Constraint, ...]
    after: tuple[str, ...] = ()
    guarded: frozenset[str] = frozenset()
    spared: Spared = field(default_factory=dict)
    before: str | None = None
    must_be_reached: bool = False
    call_is_meant: bool = False

    @cached_property
    def references(self) -> frozenset[str]:
        """The earlier events (or ``START``) at whose snapshots it looks."""
        return frozenset(name for item in self.constraints for name in item.references)

    @cached_property
    def state_constraints(self) -> tuple[StateConstraint, ...]:
        """What it says of tables."""
        return tuple(item for item in self.constraints if isinstance(item, StateConstraint))

    @cached_property
    def constrained_tables(self) -> frozenset[str]:
        """The tables that it constrains other than by a guardrail."""
        return frozenset(item.table for item in self.state_constraints if not item.is_guardrail)


@dataclass(frozen=True)
class Criteria:
    """Criteria that must all be met, and groups of criteria of which one is enough."""

    all_of: tuple[str, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()

    def __add__(self, other: Criteria) -> Criteria:
        """Return the criteria of both; a group with a criterion that must be met is not needed."""
        required = tuple(dict.fromkeys((*self.all_of, *other.all_of)))
        groups = dict.fromkeys((*self.any_of, *other.any_of))
        return Criteria(required, tuple(group for group in groups if not {*group} & {*required}))

    def __bool__(self) -> bool:
        """Whether there is a criterion."""
        return bool(self.all_of or self.any_of)

    @property
    def lists(self) -> list[list[str]]:
        """Lists of criteria, of each of which one has to be met."""
        return [*([one] for one in self.all_of), *map(list, self.any_of)]

    @property
    def texts(self) -> tuple[str, ...]:
        """All criteria, each once: the required ones first."""
        return tuple(self.grouped)

    @property
    def grouped(self) -> dict[str, int | None]:
        """Criterion → the number of its group, of which one is enough, if it is in one."""
        groups = enumerate(self.any_of, 1)
        of_groups = {text: number for number, group in groups for text in group}
        return {**dict.fromkeys(self.all_of), **of_groups}


def criteria_of(given: Any) -> Criteria:
    """Return the criteria that a text, a list, or ``all_of`` and ``any_of`` state.

    Raises ``ValueError`` for any other value.
    """
    keys = given if isinstance(given, Mapping) else {"all_of": given}
    unknown = [name for name in keys if name not in ("all_of", "any_of")]
    lists = {name: [texts] if isinstance(texts, str) else texts for name, texts in keys.items()}
    if unknown or not keys or not all(map(_are_texts, lists.values())):
        expected = "a criterion, a list of them, or a mapping with all_of or any_of"
        raise ValueError(f"expected {expected}, found {given!r}")
    required, group = (tuple(lists.get(name, ())) for name in ("all_of", "any_of"))
    return Criteria() + Criteria(required, (tuple(dict.fromkeys(group)),) if group else ())


def _are_texts(texts: Any) -> bool:
    is_list = isinstance(texts, (list, tuple))
    return is_list and all(isinstance(text, str) and text.strip() for text in texts)
