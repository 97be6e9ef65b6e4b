"""With what a conversation was held, and how that differs between two records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from pytest_toolsandbox.wording.phrases import literal

CONFIGURATION: Final = (
    *("agent_settings", "user", "user_settings", "feedback", "call_format", "prompt_digest"),
)
"""The fields of a record that say who took part, and in which way: what a user chooses."""
OF_JUDGE: Final = ("judge", "judge_settings")
"""Those that say who judged words."""
OF_SCENARIO: Final = (
    *("scenario_digest", "world", "tools_digest", "world_digest", "now", "start", "limits"),
)
"""Those that say what was played."""


def changes(
    before: Mapping[str, Any], after: Mapping[str, Any], names: Collection[str] = ()
) -> Iterator[str]:
    """Yield ``agent_settings.model was 'a', is 'b'`` for each value that differs.

    The ``names`` are those of the fields to look at, without any all of them.
    """
    old, new = (
        dict(_flat({name: values.get(name) for name in names or values}))
        for values in (before, after)
    )
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) == new.get(name):
            continue
        if name.endswith("_digest"):
            yield f"{name} is another one"
        else:
            yield f"{name} was {_written(old, name)}, is {_written(new, name)}"


def _flat(values: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{start}{name}.")
        else:
            yield f"{start}{name}", value


def _written(values: Mapping[str, Any], name: str) -> str:
    return literal(values[name]) if values.get(name) is not None else "not set"
