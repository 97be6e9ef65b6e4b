"""Near-duplicates among scenarios: the same task in almost the same words, or the same calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_toolsandbox.authoring.proposing.conversations import Conversation
from pytest_toolsandbox.conversation.solutions import solved
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.rouge_l import rouge_l

from .solving import Change, calls_in, changes_in

ALIKE: Final = 0.7
"""The ROUGE-L of two openings from which they are alike."""


@dataclass(frozen=True)
class Task:
    """What is compared of a scenario: its world, its opening, and what its first solution does.

    Without a solution that can be played, ``calls`` and ``changes`` are ``None``.
    """

    name: str
    world: str
    opening: str
    calls: Sequence[tuple[str, str]] | None
    changes: Counter[Change] | None

    @property
    def tools(self) -> Sequence[str] | None:
        """The tools that the solution calls, sorted, each as often as it is called."""
        return None if self.calls is None else [tool for tool, _ in self.calls]


def task_of(scenario: Scenario, name: str) -> Task:
    """Return what is compared of a scenario, which is called ``name``."""
    opening = scenario.task.user_script.opening
    for trajectory in solved(scenario)[:1]:
        conversation = Conversation(name, scenario, trajectory)
        calls, changes = calls_in(conversation), changes_in(conversation)
        return Task(name, scenario.world.name, opening, calls, changes)
    return Task(name, scenario.world.name, opening, None, None)


def near_duplicate(task: Task, earlier: Iterable[Task]) -> str:
    """Return which earlier task is nearly the same, and why; empty if none is.

    It makes the same calls with the same arguments, or it has an opening that is alike (ROUGE-L),
    calls the same tools and changes the same kinds of rows.
    """
    for other in earlier:
        if other.world != task.world:
            continue
        if task.calls and task.calls == other.calls:
            return f"{other.name} makes the same calls"
        is_known = task.calls is not None and other.calls is not None
        if is_known and (task.tools, task.changes) != (other.tools, other.changes):
            continue
        likeness = rouge_l(other.opening, task.opening)
        if likeness >= ALIKE:
            return f"{other.name} has the same calls, and an opening like it ({likeness:.2f})"
    return ""
