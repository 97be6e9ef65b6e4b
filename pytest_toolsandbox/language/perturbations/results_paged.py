"""``results_paged``: lists come in pages, and a further tool returns the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from pytest_toolsandbox.language.conditions import Paging
from pytest_toolsandbox.language.scenario import Scenario

from .perturbation import Perturbation, free_name, read_count, with_room

_SIZE = 3
_LARGEST = 1000


@dataclass(frozen=True)
class ResultsPaged(Perturbation):
    """Lists come in pages; agents that read on miss nothing."""

    size: int

    name: ClassVar[str] = "results_paged"
    summary: ClassVar[str] = "lists come in pages"

    @classmethod
    def read(cls, parameters: Sequence[str], seed: int) -> Self:
        """Read the number of rows of a page."""
        return cls(seed, read_count(parameters, _SIZE, _LARGEST))

    def unfit(self, scenario: Scenario) -> str | None:
        """Return why a scenario cannot have pages."""
        is_compared = bool(scenario.task.agent_turns)
        return "the calls of a recorded conversation have no pages" if is_compared else None

    def apply(self, scenario: Scenario) -> Scenario:
        """Return the scenario with pages, and with room for further calls."""
        paging = Paging(self.size, free_name(scenario, "next_page"))
        return replace(with_room(scenario), conditions=replace(scenario.conditions, paging=paging))
