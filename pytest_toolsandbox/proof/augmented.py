"""Solutions as they are written, and with scrambled names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import Step
from pytest_toolsandbox.language.variants import variant

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


def wrong_solutions(
    scenario: Scenario, shortfall: Callable[[Sequence[Step], Scenario, str], str | None]
) -> Iterator[str]:
    """Yield how solutions fall short, or that there is none."""
    if not scenario.solutions:
        yield "it has no solution"
    for name, steps in scenario.solutions.items():
        yield from shortfalls(scenario, f"solution {name!r}", partial(shortfall, steps))
