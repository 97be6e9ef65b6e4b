"""What a scenario asks for, in words."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_toolsandbox.language.constraints import (
    CallConstraint,
    CallPattern,
    Constraint,
    StateConstraint,
)
from pytest_toolsandbox.language.values import Expected


def describe_constraint(constraint: Constraint) -> str:
    """Write what a constraint expects, much as it stands in YAML."""
    if isinstance(constraint, StateConstraint):
        return " and ".join(map(_row, constraint.rows)) or _nothing(constraint)
    if isinstance(constraint, CallConstraint):
        return " or ".join(map(_call, constraint.alternatives))
    return _expected(constraint.content)


def columns_asked(constraint: Constraint) -> tuple[str, ...]:
    """Return the columns of a table that a constraint looks at; empty if it looks at all."""
    if not isinstance(constraint, StateConstraint):
        return ()
    return tuple(dict.fromkeys(name for row in constraint.rows for name in row))


def _nothing(constraint: StateConstraint) -> str:
    return f"no change since {constraint.since}" if constraint.is_guardrail else "no rows"


def _row(row: Mapping[str, Expected]) -> str:
    return f"{{{_fields(row)}}}"


def _call(pattern: CallPattern) -> str:
    return f"{pattern.tool}({_fields(pattern.arguments)})"


def _fields(fields: Mapping[str, Expected]) -> str:
    return ", ".join(f"{name}: {_expected(expected)}" for name, expected in fields.items())


def _expected(expected: Expected) -> str:
    if expected.sources:
        return f"a value from {' and '.join(sorted(expected.references))}"
    return " or ".join(matcher.describe() for matcher in expected.alternatives({}))
