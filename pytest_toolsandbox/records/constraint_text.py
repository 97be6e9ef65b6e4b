"""What a scenario asks for, in words."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_toolsandbox.language.constraints import CallConstraint, Constraint, StateConstraint
from pytest_toolsandbox.language.values import Expected


def describe_constraint(constraint: Constraint) -> str:
    """Write what a constraint expects, much as it stands in YAML."""
    if isinstance(constraint, StateConstraint):
        since = f"no change since {constraint.since}" if constraint.is_guardrail else "no rows"
        return " and ".join(f"{{{_fields(row)}}}" for row in constraint.rows) or since
    if isinstance(constraint, CallConstraint):
        calls = constraint.alternatives
        return " or ".join(f"{call.tool}({_fields(call.arguments)})" for call in calls)
    return describe_expected(constraint.content)


def columns_asked(constraint: Constraint) -> tuple[str, ...]:
    """Return the columns of a table that a constraint looks at; empty if it looks at all."""
    if not isinstance(constraint, StateConstraint):
        return ()
    return tuple(dict.fromkeys(name for row in constraint.rows for name in row))


def _fields(fields: Mapping[str, Expected]) -> str:
    return ", ".join(f"{name}: {describe_expected(expected)}" for name, expected in fields.items())


def describe_expected(expected: Expected) -> str:
    """Write what a value is expected to be, in words."""
    if expected.sources:
        return f"a value from {' and '.join(sorted(expected.references))}"
    return " or ".join(matcher.describe() for matcher in expected.alternatives({}))
