"""Agents with planted faults: they play a solution, and go wrong at known steps of it.

An agent is a function of the messages. It goes on after the last step that it finds in them, so it
does the rest as it should if somebody else made a step for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.agents.agent import ChatMessage
from pytest_toolsandbox.agents.scripted import _latest_results, filled
from pytest_toolsandbox.authoring.proof.mutants import DENIAL, mutated
from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.roles import Role, SayStep, ToolStep, calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH, AgentTurn
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.users.user import earlier_message_count

KINDS: Final = ("wrong argument", "left out", "extra write", "wrong report", "swapped")
Step = ToolStep | SayStep
Act = tuple[str, Any]
"""The name of a tool with its arguments, or an empty name with a text."""


class Fault(NamedTuple):
    """What an agent does at a step ``instead``; then it goes on ``after`` so many steps."""

    kind: str
    at: int
    instead: tuple[Step, ...]
    after: int = 1


@dataclass(frozen=True)
class FaultyAgent:
    """Plays steps with faults.

    ``known`` are the steps with values filled in, as they were played: those take the place of a
    result that the agent lacks, as if it had guessed them.
    """

    scenario: Scenario
    steps: tuple[Step, ...]
    known: tuple[Step, ...]
    faults: tuple[Fault, ...] = ()

    def __call__(self, messages: list[ChatMessage], tools: list[dict[str, Any]]) -> Any:
        """Return the next call or text."""
        del tools
        act = self._next(messages)
        if act is None:
            return "I have nothing to add."
        name, value = act
        if not name:
            return value
        function = {"name": name, "arguments": json.dumps(value, ensure_ascii=False)}
        call = {"id": f"call-{len(messages)}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    @cached_property
    def _planned(self) -> Mapping[int, Fault]:
        return {fault.at: fault for fault in self.faults}

    def _next(self, messages: Sequence[ChatMessage]) -> Act | None:
        at, done = 0, 0
        earlier = earlier_message_count(self.scenario, Role.AGENT)
        for place, message in enumerate(messages):
            if message["role"] != "assistant":
                continue
            if not message.get("tool_calls") and earlier:
                earlier -= 1
                continue
            for act in _acts(message):
                at, done = self._after(act, at, done, messages[:place])
        at, done = self._settled(at, done)
        if at >= len(self.steps):
            return None
        return self._filled(self._variant(at)[done], at, messages)

    def _variant(self, at: int) -> tuple[Step, ...]:
        return self._planned[at].instead if at in self._planned else (self.steps[at],)

    def _settled(self, at: int, done: int) -> tuple[int, int]:
        """Return the place of the next thing to do; steps that are left out are passed."""
        while at < len(self.steps) and done >= len(self._variant(at)):
            at, done = at + (self._planned[at].after if at in self._planned else 1), 0
        return at, done

    def _after(
        self, act: Act, at: int, done: int, before: Sequence[ChatMessage]
    ) -> tuple[int, int]:
        """Return the place after an act of the conversation."""
        here, past = self._settled(at, done)
        if here < len(self.steps) and self._is(act, self._variant(here)[past], here, before):
            return here, past + 1
        for step in range(at, len(self.steps)):
            if self._is(act, self.steps[step], step, before):
                return step + 1, 0
        return at, done

    def _is(self, act: Act, step: Step, at: int, before: Sequence[ChatMessage]) -> bool:
        if isinstance(step, SayStep) != (not act[0]):
            return False
        return act in (self._filled(step, at, before), _plain(self._as_played(step, at)))

    def _as_played(self, step: Step, at: int) -> Step:
        """Return a step with the values that it had in the solution."""
        same = (k for k, s in enumerate(self.steps) if s is step)
        return self.known[next(same, at)] if any(s is step for s in self.steps) else step

    def _filled(self, step: Step, at: int, messages: Sequence[ChatMessage]) -> Act:
        def results() -> Mapping[str, Any]:
            return _latest_results(messages, self.scenario.tool_views)

        try:
            if isinstance(step, SayStep):
                return "", str(filled(step.text, results))
            return step.tool, json.loads(json.dumps(filled(dict(step.arguments), results)))
        except AgentError:
            return _plain(self._as_played(step, at))


def _plain(step: Step) -> Act:
    if isinstance(step, SayStep):
        return "", str(step.text)
    return step.tool, json.loads(json.dumps(dict(step.arguments), default=str))


def _acts(message: ChatMessage) -> Iterator[Act]:
    for call in message.get("tool_calls") or ():
        yield call["function"]["name"], readable_arguments(call["function"]["arguments"])
    if not message.get("tool_calls"):
        yield "", message["content"]


class Planted(NamedTuple):
    """A conversation that fails because of planted faults; ``step`` is the message of the first."""

    scenario: Scenario
    agent: FaultyAgent
    trial: Trial
    step: int


def sound_agent(scenario: Scenario) -> tuple[FaultyAgent, Trial] | None:
    """Return the agent without a fault and its conversation, if it plays the scenario well.

    A digest chooses one of the solutions. In half of the scenarios the agent makes detours: it
    repeats look-ups.
    """
    recorded: Sequence[Any] = scenario.task.agent_turns
    solutions = [*([recorded] if recorded else ()), *scenario.solutions.values()]
    if not solutions:
        return None
    chosen = solutions[int(digest("solution", scenario.name), 16) % len(solutions)]
    steps = (*_steps(chosen),)
    plain = _sound(scenario, steps)
    if plain is None or int(digest("detours", scenario.name), 16) % 2:
        return plain
    calls = (call for call in plain[1].trajectory.calls)
    looks = [isinstance(s, ToolStep) and not next(calls).changed_the_world for s in steps]
    longer = [again for s, look in zip(steps, looks, strict=True) for again in _twice(s, look)]
    return _sound(scenario, (*longer,)) or plain


def _twice(step: Step, is_look_up: bool) -> tuple[Step, ...]:
    if not (is_look_up and _is_call(step) and isinstance(step, ToolStep)):
        return (step,)
    return step, replace(step)


def _sound(scenario: Scenario, steps: tuple[Step, ...]) -> tuple[FaultyAgent, Trial] | None:
    guess = FaultyAgent(scenario, steps, steps)
    trial = play_trial(scenario, guess)
    known = (*_played_steps(steps, trial.trajectory),)
    if trial.outcome != "passed" or len(known) != len(steps):
        return None
    return replace(guess, known=known), trial


def _steps(solution: Sequence[Any]) -> Iterator[Step]:
    for part in solution:
        if isinstance(part, AgentTurn):
            yield from (ToolStep(call.tool, call.arguments) for call in part.calls)
            yield SayStep(part.content)
        else:
            yield from (part,) if isinstance(part, SayStep) else calls_of(part)


def _played_steps(steps: Sequence[Step], trajectory: Trajectory) -> Iterator[Step]:
    calls = iter(trajectory.calls)
    texts = (m.content for m in trajectory.messages if m.sender is Role.AGENT and m.call is None)
    for step in steps:
        if isinstance(step, SayStep):
            text = next(texts, None)
            if text is None:
                return
            yield SayStep(text)
        else:
            call = next(calls, None)
            if call is None or call.call.name != step.tool:
                return
            yield ToolStep(call.call.name, readable_arguments(call.call.arguments) or {})


def planted(scenario: Scenario, kind: str) -> Planted | None:
    """Return the conversation with one fault of a kind that makes it fail, if there is any.

    Of several places for it, a digest of the scenario's name chooses.
    """
    if (sound := sound_agent(scenario)) is None:
        return None
    agent, played = sound
    faults = sorted(_faults(agent, played, kind), key=lambda f: digest(scenario.name, kind, f.at))
    return next(filter(None, (_failing(agent, played, (fault,)) for fault in faults)), None)


def spread(scenario: Scenario) -> Planted | None:
    """Return the conversation of an agent that is wrong at every step at which it can be.

    Without any single one of its faults, it still fails.
    """
    if (sound := sound_agent(scenario)) is None:
        return None
    agent, played = sound
    chosen: dict[int, Fault] = {}
    for kind in ("wrong argument", "wrong report", "extra write", "left out"):
        for fault in _faults(agent, played, kind):
            chosen.setdefault(fault.at, fault)
    faults = tuple(chosen[at] for at in sorted(chosen))
    without = (tuple(f for f in faults if f is not fault) for fault in faults)
    if len(faults) <= 1 or not all(_failing(agent, played, rest) for rest in without):
        return None
    return _failing(agent, played, faults)


def _failing(agent: FaultyAgent, sound: Trial, faults: tuple[Fault, ...]) -> Planted | None:
    faulty = replace(agent, faults=faults)
    trial = play_trial(agent.scenario, faulty)
    if trial.outcome != "failed":
        return None
    keys = [_keys(made.trajectory) for made in (sound, trial)]
    pairs = enumerate(zip(*keys, strict=False))
    step = next((place for place, (right, wrong) in pairs if right != wrong), None)
    return None if step is None else Planted(agent.scenario, faulty, trial, step)


def _keys(trajectory: Trajectory) -> list[tuple[Any, ...]]:
    return [
        (m.sender, m.content, m.call and (m.call.name, readable_arguments(m.call.arguments)))
        for m in trajectory.messages
    ]


def _faults(agent: FaultyAgent, played: Trial, kind: str) -> Iterator[Fault]:
    """Yield the faults of a kind, at each step at which there may be one."""
    steps, known, start = agent.steps, agent.known, played.trajectory.start
    calls = [at for at, step in enumerate(steps) if _is_call(step)]
    match kind:
        case "wrong report":
            says = [at for at, step in enumerate(steps) if not _is_call(step)]
            yield from (Fault(kind, at, (_denied(steps[at]),)) for at in says[-1:])
        case "left out":
            yield from (Fault(kind, at, ()) for at in calls)
        case "swapped":
            pairs = (at for at in calls if at + 1 in calls)
            yield from (Fault(kind, at, (steps[at + 1], steps[at]), after=2) for at in pairs)
        case "wrong argument":
            wrong = ((at, step) for at in calls for step in _wrong(known[at], start))
            yield from (Fault(kind, at, (step,)) for at, step in wrong)
        case _:
            made = zip(calls, played.trajectory.calls, strict=False)
            changes = [known[at] for at, call in made if call.changed_the_world]
            extra = [next(_wrong(change, start), None) for change in changes]
            for at, step in enumerate(steps):
                yield from (Fault(kind, at, (call, step)) for call in extra if call)


def _is_call(step: Step) -> bool:
    return isinstance(step, ToolStep) and step.tool != FINISH.name


def _denied(step: Step) -> Step:
    return (
        SayStep(DENIAL) if isinstance(step, SayStep) else ToolStep(FINISH.name, {"answer": DENIAL})
    )


def _wrong(step: Step, start: Any) -> Iterator[ToolStep]:
    assert isinstance(step, ToolStep)
    for name, value in step.arguments.items():
        other = mutated(value, start)
        if other is not None and other != value:
            yield ToolStep(step.tool, {**step.arguments, name: other})


def digest(*parts: Any) -> str:
    """Return a digest that decides what is chosen: the same on every machine."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()
