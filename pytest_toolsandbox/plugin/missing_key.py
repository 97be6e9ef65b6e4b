"""A model without a key can play no scenario: that is said once, and ends the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.errors import ProviderError

from .collecting import end_run
from .session_fixtures import is_default, narrower
from .settings import settings_of

if TYPE_CHECKING:
    from .items import ScenarioItem


def end_without_key(item: ScenarioItem, error: BaseException | None) -> None:
    """End the run where a request failed for a key that all other items need, too.

    They do if the options name the model for all of them. What plays from cassettes asks nobody,
    tests of other kinds need no key, and a fixture of an item may set one.
    """
    if not (isinstance(error, ProviderError) and error.lacks_key):
        return
    settings = settings_of(item.config)
    names = {**ALIASES, **settings.aliases}
    for fixture, said in (("agent", settings.agent), ("user", settings.user)):
        is_it = str(error).startswith(f"{model_name(said or '', names)}: ")
        if is_it and settings.record != "new" and _is_needed_by_all(fixture, item.session.items):
            end_run(str(error), item.config)


def _is_needed_by_all(fixture: str, items: Iterable[Any]) -> bool:
    """Whether all items are scenarios that take what the option gives."""
    return all(
        hasattr(one, "scenario") and not narrower(one) and is_default(one, fixture) for one in items
    )
