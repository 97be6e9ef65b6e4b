"""What is proved of a scenario: its solutions pass, and others do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.evaluation.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.evaluation.judging import Judgement
from pytest_toolsandbox.evaluation.results import Result
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import Step, ToolStep
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.wording.regular_expression import SlowSearchError

from .mutants import Kind

Judged = TypeVar("Judged", bound=Result | Judgement)

Idler = tuple[str, Sequence[Step]]
"""What an agent does that may pass no scenario, in words, and its steps."""

IDLE: Final = {"does nothing": "", "only says 'Done!'": "Done!"}
"""What an idle agent does, in words, and what it says, again and again."""
RENAMING = ("tool_name_scrambled", "argument_name_scrambled")
"""The augmentations that can matter to a solution, which reads no descriptions or schemas."""


@dataclass(frozen=True)
class Survivor:
    """A mutant that passed, and why nothing told it from the solution."""

    kind: Kind
    what: str
    reason: str


@dataclass
class Proof:
    """What was found: ``findings`` is what is wrong; ``made`` and ``died`` count mutants."""

    findings: list[str] = field(default_factory=list)
    made: Counter[Kind] = field(default_factory=Counter)
    died: Counter[Kind] = field(default_factory=Counter)
    survivors: list[Survivor] = field(default_factory=list)

    def tried(self, kind: Kind, what: str, reason: str | None) -> None:
        """Count a mutant: one that died, or that survived for a reason."""
        self.made[kind] += 1
        if reason is None:
            self.died[kind] += 1
        else:
            self.survivors.append(Survivor(kind, what, reason))


def prove(scenario: Scenario) -> Proof:
    """Prove a scenario. Meanings are compared by the embedder that is in use."""
    proof: Proof = protocol_of(scenario).prove(scenario)
    return proof


def shortfalls(
    scenario: Scenario, what: str, shortfall: Callable[[Scenario, str], str | None]
) -> Iterator[str]:
    """Yield how a solution, called ``what``, falls short as written, or else if augmented."""
    if as_written := shortfall(scenario, what):
        yield as_written
        return
    for name in RENAMING:
        if augmented := shortfall(variant(scenario, name), f"{what} [{name}]"):
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
    for name in scenario.solutions:
        yield from _wrong_solution(scenario, name, judged, shortfall)
    passing = (
        finding(f"counterexample {name!r}", partial(judged, scenario, steps), _passes)
        for name, steps in scenario.counterexamples.items()
    )
    yield from filter(None, passing)
    idle = (
        finding(f"an agent that {what}", partial(judged, scenario, steps), _passes)
        for what, steps in idlers
    )
    yield from dict.fromkeys(text for text in idle if text and text.endswith(" passes"))


def _wrong_solution(
    scenario: Scenario,
    name: str,
    judged: Callable[[Scenario, Sequence[Step]], Judged],
    shortfall: Callable[[Scenario, Judged], str | None],
) -> Iterator[str]:
    """Yield where a solution falls short: as it stands, augmented, and with other arguments."""
    steps = scenario.solutions[name]

    def wrong(scene: Scenario, what: str) -> str | None:
        text = finding(what, partial(judged, scene, steps), partial(shortfall, scene))
        augment = f" --sandbox-augment={scene.variant}" if scene.variant else ""
        return text and f"{text}; play it: pytest --agent=oracle:{name}{augment}"

    what = f"solution {name!r}"
    yield from shortfalls(scenario, what, wrong)
    for with_what, others in other_arguments(steps):
        script = partial(judged, scenario, others)
        yield from filter(
            None, [finding(f"{what} with {with_what}", script, partial(shortfall, scenario))]
        )


def other_arguments(steps: Sequence[Step]) -> Iterator[tuple[str, Sequence[Step]]]:
    """Yield a solution with each further value that one of its arguments may have, and with what.

    Arguments may be said to have several in calls that are made one at a time.
    """
    for place, step in enumerate(steps):
        if not isinstance(step, ToolStep):
            continue
        for name, values in step.others.items():
            for value in values:
                given = {key: one for key, one in step.arguments.items() if key != name}
                changed = given if value is None else {**given, name: value}
                what = f"{name}={value!r}" if value is not None else f"{name} left out"
                instead = ToolStep(step.tool, changed)
                yield f"{what} in {step.tool}", [*steps[:place], instead, *steps[place + 1 :]]


def faulty_solutions(
    scenario: Scenario, patterns: Callable[[Scenario, Trajectory], ErrorPatterns]
) -> Iterator[str]:
    """Say which solutions, or recorded turns, have error patterns."""
    for name in scenario.solutions or (None,):
        trajectory = converse(scenario, oracle(scenario, name), scripted_user(scenario))
        if findings := patterns(scenario, trajectory).findings:
            what = "the recorded conversation" if name is None else f"solution {name!r}"
            yield f"{what} has findings: {'; '.join(finding.words for finding in findings)}"


def finding(
    what: str, judged: Callable[[], Judged], wrong: Callable[[Judged], str | None]
) -> str | None:
    """Return what is wrong with the judgement on a script, or why there is no judgement."""
    try:
        reason = wrong(judged())
    except PlayError as error:
        reason = f"cannot be played: {error}"
    except (EmbedderError, SlowSearchError) as error:
        reason = f"cannot be judged: {error}"
    return None if reason is None else f"{what} {reason}"


def _passes(judgement: Result | Judgement) -> str | None:
    return "passes" if judgement.passed else None
