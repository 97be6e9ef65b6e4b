"""Solutions taken otherwise and as rightly: a look-up more, a question first, an offer last.

So are settings that a scenario spares: set back before the report, or found out by trial.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.constraints import CallConstraint
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, Step, ToolStep
from pytest_toolsandbox.language.tasks import Milestones

from .by_trial import by_trial
from .set_back import rightly_set_back
from .solved import Solved, played

QUESTION: Final = "Shall I go ahead?"
OFFER: Final = "Is there anything else I can help you with?"
Way = tuple[str, Sequence[Step]]
"""What is done otherwise, and the steps."""


def as_right(solution: Solved) -> Iterator[Way]:
    """Yield other ways to take the first solution; a fair scenario scores them 1 as well."""
    scenario, steps = solution.scenario, [*solution.steps]
    if look_up := _look_up(scenario):
        yield f"{look_up.tool} called first", [look_up, *steps]
    if not isinstance(steps[0], SayStep):
        yield f"{QUESTION!r} asked first", [SayStep(QUESTION), *steps]
    *before, last = steps
    if isinstance(last, SayStep) and isinstance(last.text, str) and "?" not in last.text:
        yield f"{OFFER!r} asked last", [*before, SayStep(f"{last.text} {OFFER}")]
    yield from filter(
        None, (by_trial(solution, {*_forbidden(scenario)}), rightly_set_back(solution))
    )


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
