"""A model without a key can play no scenario: that is said once, and ends the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.plugin.reporting.telling import end_run
from pytest_toolsandbox.plugin.settings import settings_of

from .fixtures import session_judge
from .session_fixtures import narrower

if TYPE_CHECKING:
    import pytest

    from .items import ScenarioItem


def end_without_key(item: ScenarioItem, error: BaseException | None) -> None:
    """End the run where a request failed for a key that all other items need, too.

    They do if the options name the model for all of them. What plays from cassettes asks nobody,
    tests of other kinds need no key, and a fixture of an item may set one.
    """
    if not (isinstance(error, ProviderError) and error.lacks_key):
        return
    settings, items = settings_of(item.config), item.session.items
    if settings.record == "new":
        return
    names = {**ALIASES, **settings.aliases}
    is_judge = _is_of(error, _model_of_judge(item.config))
    if is_judge and all(hasattr(one, "scenario") for one in items):
        end_run(str(error), item.config)
    for fixture in ("agent", "user"):
        said = item.named(fixture)
        is_it = _is_of(error, model_name(said, names))
        if is_it and all(_takes(one, fixture, said) for one in items):
            end_run(str(error), item.config)


def _model_of_judge(config: pytest.Config) -> str | None:
    return getattr(getattr(session_judge(config), "asked", None), "model", None)


def _is_of(error: ProviderError, model: str | None) -> bool:
    return str(error).startswith(f"{model}: ")


def _takes(item: Any, fixture: str, said: str) -> bool:
    """Whether an item is a scenario whose fixture gives what an option says."""
    return hasattr(item, "scenario") and item.named(fixture) == said and not narrower(item)
