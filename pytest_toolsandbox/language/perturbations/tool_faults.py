"""``tool_faults``: a share of calls meets a fault that passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from pytest_toolsandbox.language.conditions import FAULT_KINDS, FaultKind, RandomFaults
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.nearest_name import unknown

from .perturbation import Perturbation, free_name, with_room

_SHARE = 0.2
_MOST_PARAMETERS = 2
_OF_ANSWERS: tuple[FaultKind, ...] = ("transient", "stale", "partial")
"""The kinds that leave no doubt about what was done: those of recorded conversations."""


@dataclass(frozen=True)
class ToolFaults(Perturbation):
    """Calls fail at random; agents that try again and look what came of them get through."""

    share: float
    kinds: tuple[FaultKind, ...]

    name: ClassVar[str] = "tool_faults"
    summary: ClassVar[str] = "errors, timeouts, lost, stale and partial answers"

    @classmethod
    def read(cls, parameters: Sequence[str], seed: int) -> Self:
        """Read the share of calls, from 0 to 1, and the kinds of faults, joined by ``+``."""
        if len(parameters) > _MOST_PARAMETERS:
            raise ValueError("takes a share and kinds, such as tool_faults:0.2:transient+timeout")
        share, kinds = _SHARE, FAULT_KINDS
        if parameters:
            try:
                share = float(parameters[0])
            except ValueError:
                share = -1
            if not 0 < share <= 1:
                raise ValueError(f"takes a share above 0, at most 1, not {parameters[0]!r}")
        if len(parameters) == _MOST_PARAMETERS:
            asked = parameters[1].split("+")
            for kind in asked:
                if kind not in FAULT_KINDS:
                    raise ValueError(unknown("kind of fault", kind, FAULT_KINDS))
            kinds = tuple(kind for kind in FAULT_KINDS if kind in asked)
        return cls(seed, share, kinds)

    def unfit(self, scenario: Scenario) -> str | None:
        """Return why a scenario can have no such faults."""
        return None if self._kinds(scenario) else "a recorded conversation has no such faults"

    def _kinds(self, scenario: Scenario) -> tuple[FaultKind, ...]:
        # The calls of a recorded turn are compared one by one: no error may hide a change.
        is_compared = bool(scenario.task.agent_turns)
        return tuple(kind for kind in self.kinds if not is_compared or kind in _OF_ANSWERS)

    def apply(self, scenario: Scenario) -> Scenario:
        """Return the scenario with faults, and with room for further calls."""
        status = free_name(scenario, "get_request_status")
        faults = RandomFaults(self.share, self._kinds(scenario), self.seed, status)
        return replace(with_room(scenario), conditions=replace(scenario.conditions, faults=faults))
