"""The class of scenarios: checked, with their world, tools and task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, TypeVar

from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool_view import Scrambled, ToolView
from pytest_toolsandbox.worlds.world import World

from .conditions import Conditions
from .constraints import Criteria
from .faults import ToolFault
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


@dataclass(frozen=True)
class Difficulty:
    """How many of the ``played`` trials ``passed``, and by whom they were played."""

    passed: int
    played: int
    by: tuple[str, ...] = ()

    @property
    def rate(self) -> float:
        """The share of trials that passed."""
        return self.passed / self.played


class _Memory:
    """Values that are computed on first use, and kept while their source is the same object."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[object, Any]] = {}

    def value(self, name: str, source: object, compute: Callable[[], T]) -> T:
        """Return the value of that name, which must depend on ``source`` alone."""
        if name not in self._kept or self._kept[name][0] is not source:
            self._kept[name] = source, compute()
        value: T = self._kept[name][1]
        return value


@dataclass(frozen=True)
class Scenario:
    """A simulated world, and what an agent must do in it.

    ``task`` contains the fields of its protocol. ``variant`` names the augmentation of its tools,
    and perturbations. ``max_calls`` limits the calls of a query, and is the basis of error-pattern
    scores. With ``feedback``, the answer to an invalid call says what is allowed; ``None`` is the
    protocol's default. The ``policy`` has rules that the agent must follow, by default those of the
    world. A ``critical`` scenario gates alone; one in ``quarantine`` (the reason) does not gate. A
    judge checks ``criteria``, those of the world included. ``digest`` changes with the document,
    ``task_digest`` only with what is asked of the agent. ``places`` are those of categories, tags
    and marks. All variants share ``memory``, which keeps what solutions and ground-truth calls do.
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
    policy: str | None = None
    criteria: Criteria = field(default_factory=Criteria)
    quarantine: str | None = None
    withheld: tuple[str, ...] = ()
    critical: bool = False
    difficulty: Difficulty | None = None
    setup: tuple[str, ...] = ()
    """The calls that prepared the world before ``start``, as Python code."""
    faults: tuple[ToolFault, ...] = ()
    """The faults that calls of tools meet."""
    task_digest: str = ""
    variant: str | None = None
    conditions: Conditions = field(default_factory=Conditions)
    """What the perturbations of the variant do to calls."""
    scrambled: Scrambled | None = None
    places: Mapping[tuple[str | int, ...], tuple[int, int]] = field(
        default_factory=dict, compare=False, repr=False
    )
    memory: _Memory = field(default_factory=_Memory, compare=False, repr=False)

    def task_as(self, kind: type[_KindOfTask]) -> _KindOfTask:
        """Return the task. Raises ``TypeError`` if it is not of that class."""
        if not isinstance(self.task, kind):
            text = f"has the protocol {self.task.protocol}, and not {kind.protocol}"
            raise TypeError(f"scenario {self.name!r} {text}")
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
        """Whether it has a solution or recorded turns of the agent."""
        return bool(self.solutions or self.task.agent_turns)

    def with_opening(self, opening: str) -> Scenario:
        """Return the scenario with another opening of its simulated user."""
        task: Any = self.task
        task = replace(task, user=replace(task.user, opening=opening))
        return replace(self, task=task, memory=_Memory())

    def with_criteria(self, criteria: Criteria) -> Scenario:
        """Return the scenario with further criteria for a judge."""
        return replace(self, criteria=self.criteria + criteria) if criteria else self

    @property
    def gives_feedback(self) -> bool:
        """Whether the answer to an invalid call says what is allowed (SpecTool, section 4)."""
        return self.task.gives_feedback if self.feedback is None else self.feedback

    @cached_property
    def tool_views(self) -> Mapping[str, ToolView]:
        """The offered tools, by the names that the agent sees."""
        shown = self.world.shown(self.scrambled)
        offered = {shown[name].name: shown[name] for name in self.tools}
        return {**offered, **self.task.further_tools, **self.conditions.further_tools}

    @cached_property
    def user_tool_views(self) -> Mapping[str, ToolView]:
        """The tools of the user, whose names no variant changes."""
        shown = self.world.shown()
        return {name: shown[name] for name in self.task.user_tools}

    @property
    def tool_schemas(self) -> list[dict[str, Any]]:
        """The schemas of the offered tools."""
        return [tool.schema for tool in self.tool_views.values()]

    @property
    def tool_schemas_as_json(self) -> str:
        """The schemas of the offered tools, in JSON."""
        return f"[{', '.join(tool.schema_as_json for tool in self.tool_views.values())}]"
