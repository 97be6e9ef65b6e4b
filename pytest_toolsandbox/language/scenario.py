"""A scenario as the rest of the program knows it: checked, with its world and its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, TypeVar

from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool_view import Scrambled, ToolView
from pytest_toolsandbox.worlds.world import World

from .constraints import Criteria
from .roles import Step, calls_of
from .tasks import Task

T = TypeVar("T")
_KindOfTask = TypeVar("_KindOfTask", bound=Task)


@dataclass(frozen=True)
class Mark:
    """A pytest mark with its arguments."""

    name: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)


class _Memory:
    """What is worked out when it is first asked for, and kept as long as its source is the same."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[object, Any]] = {}

    def value(self, name: str, source: object, work_out: Callable[[], T]) -> T:
        """Return the value of that name, which depends on nothing but ``source``."""
        if name not in self._kept or self._kept[name][0] is not source:
            self._kept[name] = source, work_out()
        value: T = self._kept[name][1]
        return value


@dataclass(frozen=True)
class Scenario:
    """A simulated world, and what an agent has to do in it.

    ``task`` is what its protocol alone knows. ``variant`` names the augmentation of its tools, if
    there is one. ``max_calls`` is the number of calls from which scores of error patterns are
    reckoned, and which a query allows; ``feedback`` whether invalid calls are answered with what is
    allowed, where that is said. A ``critical`` one gates alone, one in ``quarantine`` gates
    nothing, for a reason. A judge checks its ``criteria``, with those of its world and of the ini
    file. ``task_digest`` changes with what is asked of an agent, ``digest`` with any word of the
    document. ``places`` says where its categories, tags and marks stand, by their
    paths, as line and column. ``memory`` keeps what its solutions and ground-truth calls do, for
    all of its variants.
    """

    name: str
    line: int
    digest: str
    summary: str
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    marks: tuple[Mark, ...]
    world: World
    now: datetime
    start: State
    tools: tuple[str, ...]
    task: Task
    trials: int | None
    max_messages: int
    timeout: float | None
    solutions: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    counterexamples: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    max_calls: int = 15
    feedback: bool | None = None
    call_format: Literal["native", "text", "react"] = "native"
    prompt: str | None = None
    criteria: Criteria = field(default_factory=Criteria)
    quarantine: str | None = None
    withheld: tuple[str, ...] = ()
    critical: bool = False
    task_digest: str = ""
    variant: str | None = None
    scrambled: Scrambled | None = None
    places: Mapping[tuple[str | int, ...], tuple[int, int]] = field(
        default_factory=dict, compare=False, repr=False
    )
    memory: _Memory = field(default_factory=_Memory, compare=False, repr=False)

    def task_as(self, kind: type[_KindOfTask]) -> _KindOfTask:
        """Return the task, which must be of a kind. Raises ``TypeError``."""
        if not isinstance(self.task, kind):
            asked, found = kind.protocol, self.task.protocol
            raise TypeError(f"scenario {self.name!r} has the protocol {found}, and not {asked}")
        return self.task

    @property
    def needed_tools(self) -> tuple[str, ...]:
        """The tools that are offered in every variant."""
        steps = (step for steps in self.solutions.values() for step in steps)
        called = {call.tool for turn in self.task.agent_turns for call in turn.calls}
        called |= {call.tool for step in steps for call in calls_of(step)}
        return tuple(name for name in self.tools if self.task.needs_all_tools or name in called)

    @property
    def has_solution(self) -> bool:
        """Whether it says how it is solved."""
        return bool(self.solutions or self.task.agent_turns)

    @property
    def has_criteria(self) -> bool:
        """Whether a judge has criteria to check, whatever the agent's words are."""
        return bool(self.criteria)

    def with_criteria(self, criteria: Criteria) -> Scenario:
        """Return the scenario with further criteria for a judge."""
        return replace(self, criteria=self.criteria + criteria) if criteria else self

    @property
    def gives_feedback(self) -> bool:
        """Whether an invalid call is answered with what is allowed (SpecTool, section 4)."""
        return self.task.gives_feedback if self.feedback is None else self.feedback

    @cached_property
    def tool_views(self) -> Mapping[str, ToolView]:
        """The tools that are offered, by the names under which the agent sees them."""
        shown = self.world.shown(self.scrambled)
        offered = {shown[name].name: shown[name] for name in self.tools}
        return {**offered, **self.task.further_tools}

    @property
    def tool_schemas(self) -> list[dict[str, Any]]:
        """The tools as the agent is offered them."""
        return [tool.schema for tool in self.tool_views.values()]

    @property
    def tool_schemas_as_json(self) -> str:
        """The tools as the agent is offered them, in JSON."""
        return f"[{', '.join(tool.schema_as_json for tool in self.tool_views.values())}]"
