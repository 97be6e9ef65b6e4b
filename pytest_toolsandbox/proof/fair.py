"""Solutions taken otherwise and as rightly: a look-up more, a question first, an offer last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.constraints import CallConstraint
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, Step, ToolStep
from pytest_toolsandbox.language.tasks import Milestones

from .solved import played

QUESTION: Final = "Shall I go ahead?"
OFFER: Final = "Is there anything else I can help you with?"
Way = tuple[str, Sequence[Step]]
"""What is done otherwise, and the steps."""


def as_right(scenario: Scenario) -> Iterator[Way]:
    """Yield other ways to take the first solution; a fair scenario scores them 1 as well."""
    steps = [*next(iter(scenario.solutions.values()))]
    if look_up := _look_up(scenario):
        yield f"{look_up.tool} called first", [look_up, *steps]
    if not isinstance(steps[0], SayStep):
        yield f"{QUESTION!r} asked first", [SayStep(QUESTION), *steps]
    *before, last = steps
    if isinstance(last, SayStep) and isinstance(last.text, str) and "?" not in last.text:
        yield f"{OFFER!r} asked last", [*before, SayStep(f"{last.text} {OFFER}")]


def _look_up(scenario: Scenario) -> ToolStep | None:
    """Return a call without arguments that changes nothing and raises nothing, if there is one."""
    forbidden = {*_forbidden(scenario)}
    for name in scenario.tools:
        needs = any(one.required for one in scenario.world.tools[name].parameters.values())
        if needs or name in forbidden:
            continue
        step = ToolStep(name, {})
        try:
            made = played(scenario, [step]).calls
        except PlayError:
            continue
        if made and not (made[0].failed or made[0].changed_the_world):
            return step
    return None


def _forbidden(scenario: Scenario) -> Iterator[str]:
    """Yield the tools that minefields are about."""
    for event in scenario.task_as(Milestones).minefields.values():
        calls = (one for one in event.constraints if isinstance(one, CallConstraint))
        yield from (one.tool for call in calls for one in call.alternatives)
