"""What the scripts of a scenario have to show: solutions pass, and others do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import Step
from pytest_toolsandbox.language.variants import variant

from .proof import Judged, finding, passes

Idler = tuple[str, Sequence[Step]]
"""What an agent does that may pass no scenario, in words, and its steps."""

RENAMING = ("tool_name_scrambled", "argument_name_scrambled")
"""The augmentations that can make a difference to a solution.

What it calls is offered in all of them, and it reads no descriptions or schemas.
"""


def shortfalls(
    scenario: Scenario, what: str, shortfall: Callable[[Scenario, str], str | None]
) -> Iterator[str]:
    """Yield how a solution falls short as it is written, or else in which augmentations.

    ``shortfall`` says it of one scenario, with ``what`` to call the solution by.
    """
    as_written = shortfall(scenario, what)
    if as_written is not None:
        yield as_written
        return
    for name in RENAMING:
        augmented = shortfall(variant(scenario, name), f"{what} [{name}]")
        if augmented is not None:
            yield augmented


def wrong_scripts(
    scenario: Scenario,
    judged: Callable[[Scenario, Sequence[Step]], Judged],
    shortfall: Callable[[Scenario, Judged], str | None],
    idlers: Iterable[Idler],
) -> Iterator[str]:
    """Yield which solutions fall short, and which counterexamples and idle agents pass.

    ``judged`` takes the steps in the scenario and judges them. ``shortfall`` says of the judgement
    on a solution what is wrong, if anything is.
    """
    if not scenario.solutions:
        yield "it has no solution"
    for name, steps in scenario.solutions.items():

        def wrong(scene: Scenario, what: str, steps: Sequence[Step] = steps) -> str | None:
            return finding(what, partial(judged, scene, steps), partial(shortfall, scene))

        yield from shortfalls(scenario, f"solution {name!r}", wrong)
    for name, steps in scenario.counterexamples.items():
        passing = finding(f"counterexample {name!r}", partial(judged, scenario, steps), passes)
        yield from [passing] if passing else []
    idle = (
        finding(f"an agent that {what}", partial(judged, scenario, steps), passes)
        for what, steps in idlers
    )
    yield from dict.fromkeys(text for text in idle if text and text.endswith(" passes"))
