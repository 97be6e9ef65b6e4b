"""Which fixtures an item needs, and which of them pytest has set up for the whole session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_toolsandbox.plugin.stash import PLUGIN

from .fixtures import default_agent

WHICH_AGENT = "sandbox_agent"
"""The fixture that says which agent plays, of several that are named."""
OURS = frozenset({"request", "sandbox_augmentation", "sandbox_feedback", "sandbox_prompt"})
"""What says of an item how it is played, and sets nothing up."""


class NotReadyError(Exception):
    """A fixture of the session is not set up yet, or would be set up anew."""


def definitions(item: pytest.Function) -> Iterator[tuple[str, Any]]:
    """Yield the fixtures of an item by name, those that override others, and ``autouse`` ones."""
    info = item._fixtureinfo  # noqa: SLF001  # private to pytest, which tells it in no other way
    known = OURS | {WHICH_AGENT, "agent"} if has_free_agent(item) else OURS
    for name in info.names_closure:
        if name not in known and (found := info.name2fixturedefs.get(name)):
            yield name, found[-1]


def narrower(item: pytest.Function) -> str | None:
    """Return the name of a fixture that is narrower than the session, if the item needs one."""
    return next((name for name, one in definitions(item) if one.scope != "session"), None)


def has_free_agent(item: pytest.Function) -> bool:
    """Whether one of several agents plays that no fixture but our own asks for.

    It is known whichever agent pytest is at, so that those of others wait for none.
    """
    if not hasattr(item, "callspec") or WHICH_AGENT not in item.callspec.params:
        return False
    found = item._fixtureinfo.name2fixturedefs  # noqa: SLF001  # as above
    asked = {"agent", WHICH_AGENT, "request"}
    others = (one for some in found.values() for one in some if one.func.__module__ != PLUGIN)
    return not any(one.argname == "agent" or asked & set(one.argnames) for one in others)


def values(item: pytest.Function) -> dict[str, Any]:
    """Return the values of an item's fixtures, all of the session. Raises ``NotReadyError``."""
    found = {name: _value(item, name, one) for name, one in definitions(item)}
    return found | ({"agent": default_value(item, "agent")} if has_free_agent(item) else {})


def value_of(item: pytest.Function, name: str) -> Any:
    """Return the value of one fixture of the session. Raises ``NotReadyError``."""
    found = dict(definitions(item)).get(name)
    if found is None or found.scope != "session":
        raise NotReadyError
    return _value(item, name, found)


def other_parameters(item: pytest.Function) -> set[Any]:
    """Return the fixtures that pytest sets up anew for an item, since its parameters are others."""
    return {one for name, one in definitions(item) if _is_of_another(item, name, one)}


def needs(item: pytest.Function, fixtures: set[Any]) -> bool:
    """Whether an item needs one of some fixtures."""
    return bool(fixtures) and any(one in fixtures for _, one in definitions(item))


def _value(item: pytest.Function, name: str, definition: Any) -> Any:
    if definition.cached_result is None or _is_of_another(item, name, definition):
        raise NotReadyError
    value, _, error = definition.cached_result
    if error is not None:
        raise NotReadyError
    return value


def _is_of_another(item: pytest.Function, name: str, definition: Any) -> bool:
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if definition.cached_result is None or name not in parameters:
        return False
    return definition.cached_result[1] is not parameters[name]


def default_value(item: pytest.Function, name: str) -> Any:
    """Return what our own fixture of a name gave, where that of an item is it or asks for it."""
    if name == "agent" and has_free_agent(item):
        return default_agent(item.config, str(item.callspec.params[WHICH_AGENT]))
    found = item._fixtureinfo.name2fixturedefs.get(name, ())  # noqa: SLF001
    result = found[0].cached_result if found and is_default(item, name) else None
    return result[0] if result else None


def is_default(item: pytest.Function, name: str) -> bool:
    """Whether a fixture of an item is our own, or asks for it, as one that wraps it does."""
    found = item._fixtureinfo.name2fixturedefs.get(name, ())  # noqa: SLF001
    for definition in reversed(found):
        if definition.func.__module__ == PLUGIN:
            return True
        dynamic = "request" in definition.argnames and found[0].cached_result is not None
        if name not in definition.argnames and not dynamic:
            return False
    return False
