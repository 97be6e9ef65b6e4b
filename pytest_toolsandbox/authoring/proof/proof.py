"""The proof of a scenario, as far as all protocols share it, and its result: :class:`Proof`.

Solutions must pass, also with renamed tools and with each allowed value of an argument.
Counterexamples and idle agents must fail. :func:`ungrounded` finds faults that scores do not show:
a solution uses a value that is in no message or result, asks a question without a scripted reply,
or calls a tool whose repetition does something else, or whose result does not fit its annotation.
Such a solution scores 1, but no honest agent can do the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.conversation.solutions import played_solutions, solved
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role, Step, ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH, Milestones
from pytest_toolsandbox.language.values import results_in
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.models.errors import JudgeError, ProviderError
from pytest_toolsandbox.scoring.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.scoring.milestones.decidable import asks_for_words
from pytest_toolsandbox.scoring.results import Opinion
from pytest_toolsandbox.scoring.words import UNREAD, agent_texts, differing_tables, is_free_text
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.text.regular_expression import SlowSearchError
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.context import WorldError

from .mutants import Kind

Idler = tuple[str, Sequence[Step]]
"""The description of an agent that must fail, and its steps."""

IDLE: Final = {"does nothing": "", "only says 'Done!'": "Done!"}
"""The description of an idle agent, and the text that it repeats."""
RENAMING = ("tool_name_scrambled", "argument_name_scrambled")
"""The augmentations that affect a solution, which reads no descriptions or schemas."""


@dataclass(frozen=True)
class Survivor:
    """A mutant that passed, and why nothing distinguished it from the solution."""

    kind: Kind
    what: str
    reason: str


UNJUDGED: Final = (EmbedderError, SlowSearchError, JudgeError, ProviderError, WorldError)
"""The errors of a conversation that cannot be judged."""
Ask = Callable[[Scenario, Trajectory], Opinion]
"""Asks a judge for an opinion on the words of a conversation."""


@dataclass
class Proof:
    """The result: ``findings`` are the faults; ``made`` and ``died`` count mutants.

    ``unread`` names the counterexamples that differ from a solution only in words, and
    ``unread_mutants`` counts such mutants; only a judge can distinguish them. ``ask`` asks one.
    """

    ask: Ask | None = None
    findings: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    unread_mutants: int = 0
    made: Counter[Kind] = field(default_factory=Counter)
    died: Counter[Kind] = field(default_factory=Counter)
    survivors: list[Survivor] = field(default_factory=list)

    def tried(self, kind: Kind, what: str, reason: str | None) -> None:
        """Count a mutant that died, or that survived for a reason."""
        self.made[kind] += 1
        if reason is None:
            self.died[kind] += 1
        else:
            self.survivors.append(Survivor(kind, what, reason))

    def passes(self, scenario: Scenario, trajectory: Trajectory) -> bool | None:
        """Return whether a conversation passes; a judge decides if only its words differ.

        ``None`` if a judge is needed and there is none.
        """
        ask = partial(self.ask, scenario, trajectory) if self.ask else None
        judgement = judge(scenario, trajectory, ask)
        is_unread = judgement.passed and judgement.words in UNREAD
        is_left = is_unread and _differs_in_words_alone(scenario, trajectory)
        return None if is_left else judgement.passed


def _differs_in_words_alone(scenario: Scenario, trajectory: Trajectory) -> bool:
    """Return whether a conversation differs from a solution only in words that are required."""
    world, task = scenario.world, scenario.task
    for solution in solved(scenario):
        if differing_tables(world, trajectory, solution, texts_count=False):
            continue
        if not isinstance(task, Milestones):
            return True
        texts = {
            name: [at for at, column in world.tables[name].columns.items() if is_free_text(column)]
            for name in differing_tables(world, trajectory, solution)
        }
        if not texts and agent_texts(scenario, trajectory) == agent_texts(scenario, solution):
            continue
        if asks_for_words(task, texts or None):
            return True
    return False


def prove(scenario: Scenario, ask: Ask | None = None) -> Proof:
    """Prove a scenario. The embedder in use compares meanings."""
    proof: Proof = protocol_of(scenario).prove(scenario, ask)
    proof.findings += ungrounded(scenario)
    return proof


def shortfalls(
    scenario: Scenario, what: str, shortfall: Callable[[Scenario, str], str | None]
) -> Iterator[str]:
    """Yield the faults of a solution, called ``what``, as written or else with augmentations."""
    if as_written := shortfall(scenario, what):
        yield as_written
        return
    for name in RENAMING:
        if augmented := shortfall(variant(scenario, name), f"{what} [{name}]"):
            yield augmented


def find_wrong_scripts(
    proof: Proof,
    scenario: Scenario,
    play: Callable[[Scenario, Sequence[Step]], Trajectory],
    shortfall: Callable[[Scenario, Trajectory], str | None],
    idlers: Iterable[Idler],
) -> None:
    """Find solutions that do not pass, and counterexamples and idle agents that do.

    ``play`` plays steps in the scenario. ``shortfall`` returns the fault of a played solution, if
    it has one.
    """
    if not scenario.solutions:
        proof.findings.append("it has no solution")
    for name in scenario.solutions:
        proof.findings += _wrong_solution(scenario, name, play, shortfall)

    for name, steps in scenario.counterexamples.items():
        what = f"counterexample {name!r}"

        def passes(trajectory: Trajectory, what: str = what) -> str | None:
            passed = proof.passes(scenario, trajectory)
            if passed is None:
                proof.unread.append(what)
            return "passes" if passed else None

        proof.findings += filter(None, [finding(what, partial(play, scenario, steps), passes)])

    def passes_idly(trajectory: Trajectory) -> str | None:
        return "passes" if judge(scenario, trajectory).passed else None

    idle = [
        finding(f"an agent that {what}", partial(play, scenario, steps), passes_idly)
        for what, steps in idlers
    ]
    proof.findings += dict.fromkeys(text for text in idle if text and text.endswith(" passes"))


def _wrong_solution(
    scenario: Scenario,
    name: str,
    play: Callable[[Scenario, Sequence[Step]], Trajectory],
    shortfall: Callable[[Scenario, Trajectory], str | None],
) -> Iterator[str]:
    """Yield the faults of a solution: as written, augmented, and with other arguments."""
    steps = scenario.solutions[name]

    def wrong(scene: Scenario, what: str) -> str | None:
        text = finding(what, partial(play, scene, steps), partial(shortfall, scene))
        augment = f" --sandbox-augment={scene.variant}" if scene.variant else ""
        return text and f"{text}; play it: pytest --agent=oracle:{name}{augment}"

    what = f"solution {name!r}"
    yield from shortfalls(scenario, what, wrong)
    for with_what, changed_steps in _other_arguments(steps):
        script = partial(play, scenario, changed_steps)
        if text := finding(f"{what} with {with_what}", script, partial(shortfall, scenario)):
            yield text


def _other_arguments(steps: Sequence[Step]) -> Iterator[tuple[str, Sequence[Step]]]:
    """Yield a solution with each further allowed value of an argument, and the value.

    Only calls that are not parallel may have several values.
    """
    for place, step in enumerate(steps):
        if not isinstance(step, ToolStep):
            continue
        for name, values in step.alternatives.items():
            for value in values:
                other_arguments = {
                    key: argument for key, argument in step.arguments.items() if key != name
                }
                changed = other_arguments if value is None else {**other_arguments, name: value}
                what = f"{name}={value!r}" if value is not None else f"{name} left out"
                instead = ToolStep(step.tool, changed)
                yield f"{what} in {step.tool}", [*steps[:place], instead, *steps[place + 1 :]]


def faulty_solutions(
    scenario: Scenario, patterns: Callable[[Scenario, Trajectory], ErrorPatterns]
) -> Iterator[str]:
    """Yield the solutions, or recorded turns, with error patterns."""
    for name in scenario.solutions or (None,):
        trajectory = converse(scenario, oracle(scenario, name), scripted_user(scenario))
        if findings := patterns(scenario, trajectory).findings:
            what = "the recorded conversation" if name is None else f"solution {name!r}"
            yield f"{what} has findings: {'; '.join(finding.words for finding in findings)}"


def finding(
    what: str, play: Callable[[], Trajectory], wrong: Callable[[Trajectory], str | None]
) -> str | None:
    """Return the fault of a script, or why it cannot be judged."""
    try:
        reason = wrong(play())
    except PlayError as error:
        reason = f"cannot be played: {error}"
    except UNJUDGED as error:
        reason = f"cannot be judged: {error}"
    return None if reason is None else f"{what} {reason}"


_FEW: Final = 4
"""The minimum number of digits of a telephone number or an identifier."""
_MOMENT: Final = re.compile(r"[\d\s:./+TZ-]*(?:\d{4}-\d\d-\d\d|\d\d:\d\d)[\d\s:./+TZ-]*")
"""A date or a time, which an agent may calculate."""
_TO_CALL: Final = re.compile(r"[+\d\s().-]+")
_DIGITS: Final = {
    **{
        word: str(digit)
        for digit, word in enumerate(
            ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
        )
    },
    "oh": "0",
}
_DIGIT: Final = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b")
_END_OF_NUMBER: Final = 7
"""The last digits that identify a telephone number; people leave out the others."""


def ungrounded(scenario: Scenario) -> Iterator[str]:
    """Yield what honest agents cannot repeat in the solutions that can be played."""
    findings: dict[str, None] = {}
    for trajectory, calls in zip(solved(scenario), played_solutions(scenario), strict=True):
        for call in calls:
            if call.step.tool == FINISH.name:  # an answer may be worked out
                continue
            written = {key: call.arguments[key] for key in _literals(call.step.arguments)}
            findings.update(dict.fromkeys(_guessed(scenario, trajectory, call.made, written)))
        findings.update(dict.fromkeys(_fallback_answers(scenario, trajectory)))
        findings.update(dict.fromkeys(_impure_or_misfits(scenario, trajectory)))
    yield from findings


def _impure_or_misfits(scenario: Scenario, trajectory: Trajectory) -> Iterator[str]:
    tools = scenario.world.shown()
    with ExecutionEnvironment(scenario.world, scenario.now, tools) as environment:
        for made in (*trajectory.calls, *trajectory.user_calls):
            yield from _impure(environment, made)
            yield from _misfits(scenario, made)


def _literals(arguments: Mapping[str, Any]) -> list[str]:
    """Return the arguments that take no value from a result."""
    return [name for name, value in arguments.items() if not results_in(value)]


def _guessed(
    scenario: Scenario, trajectory: Trajectory, made: MadeCall, arguments: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the addresses and identifiers of a call that the agent cannot know yet."""
    sure = {name: value for name, value in arguments.items() if _is_sure(value)}
    if not sure:
        return
    heard = [message.content for message in trajectory.messages[: made.request]]
    offered = [tool.schema_as_json for tool in scenario.tool_views.values()]
    known = _letters("\n".join((*heard, *offered)))
    for name, value in sure.items():
        digits = re.sub(r"\D", "", value)
        tail = digits[-_END_OF_NUMBER:] if len(digits) >= _END_OF_NUMBER else _letters(value)
        if _letters(value) not in known and tail not in known:
            yield (
                f"a solution calls {made.call.name} with {name}={format_value(value)}, which "
                "nobody has said and no result contains"
            )


def _is_sure(value: Any) -> bool:
    """Return whether a value cannot be calculated: an address, a telephone number, an id."""
    if not isinstance(value, str) or _MOMENT.fullmatch(value):
        return False
    is_token = len(value.split()) == 1 or _TO_CALL.fullmatch(value) is not None
    return is_token and ("@" in value or sum(map(str.isdigit, value)) >= _FEW)


def _letters(text: str) -> str:
    """Return the letters and digits of a text, with number words as digits."""
    digits = _DIGIT.sub(lambda match: _DIGITS[match[0]], text.casefold())
    return "".join(filter(str.isalnum, digits))


def _fallback_answers(scenario: Scenario, trajectory: Trajectory) -> Iterator[str]:
    """Yield the questions that only ``otherwise`` answers, although the agent continues."""
    otherwise = scenario.task.user_script.otherwise
    messages = trajectory.messages
    last = max((made.request for made in trajectory.calls), default=0)
    for place in range(1, last):
        before, now = messages[place - 1], messages[place]
        is_answer = (before.sender, now.sender) == (Role.AGENT, Role.USER) and "?" in before.content
        if is_answer and before.recipient is Role.USER and now.content in otherwise:
            yield (
                f"the user answers the question {format_value(before.content)} of a solution with "
                f"otherwise: {format_value(now.content)}; write a reply to it"
            )


def _misfits(scenario: Scenario, made: MadeCall) -> Iterator[str]:
    """Yield the results that do not fit the return annotations of their tools."""
    if made.trace is None or made.trace.tool_name not in scenario.world.tools:
        return
    tool, result = scenario.world.tools[made.trace.tool_name], made.trace.result
    if problem := tool.returns.problem(result):
        returned = f"returns {format_value(result)}, which does not fit its annotation"
        yield f"{tool.signature.place}: {tool.name} {returned} -> {tool.returns}: {problem}"


def _impure(environment: ExecutionEnvironment, made: MadeCall) -> Iterator[str]:
    """Yield the tools that do something else when they are called again in the same world."""
    if made.trace is None or made.fault:
        return
    try:
        with environment.exploring() as settle:
            first, second = (environment.run(made.call, made.before, "again") for _ in range(2))
            settle(second.state)
    except WorldError as error:  # of a live world, which replays calls to go back
        yield f"{made.call.name} cannot be called again in the same world: {error}"
        return
    if (first.content, first.error) != (second.content, second.error):
        what = f"returns {format_value(first.content)}, and then {format_value(second.content)}"
    elif first.state != second.state:
        changed = [name for name in first.state if first.state[name] != second.state[name]]
        what = f"leaves another {', '.join(changed)}"
    else:
        return
    fault = "not deterministic" if made.after.log else "not pure"
    yield f"{made.call.name} {what} when it is called twice in the same world: it is {fault}"
