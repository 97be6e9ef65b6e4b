"""Plants one fault in a solution, for tests, and plays what becomes of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.evaluation.error_patterns.patterns import AcceptedCall, AcceptedSolution
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import ParallelStep, Pattern, SayStep, Scenario, ToolStep
from pytest_toolsandbox.proof.mutate_value import changed
from pytest_toolsandbox.proof.solved import Solved, solved
from pytest_toolsandbox.worlds.tool_view import ShownTool


@dataclass(frozen=True)
class Written:
    """A call as an agent writes it."""

    name: str
    arguments: str


Reply = str | tuple[Written, ...]
"""A text, or calls that are made at once."""


@dataclass(frozen=True)
class Planted:
    """A solution with one fault: where it was planted, and what should be found."""

    pattern: Pattern
    what: str
    replies: tuple[Reply, ...]


def written(name: str, /, **arguments: Any) -> Written:
    """Return a call as an agent writes it."""
    return Written(name, json.dumps(arguments, ensure_ascii=False))


def told(scene: Scenario, *replies: Reply | Written) -> Trajectory:
    """Return the conversation in which an agent makes these replies, one after the other.

    The user answers until the last of them.
    """
    script = [(one,) if isinstance(one, Written) else one for one in replies]
    said = sum(line.role is Role.AGENT for line in scene.history)

    def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        del tools
        place = sum(message["role"] == "assistant" for message in messages) - said
        reply = script[place] if place < len(script) else "That is all."
        if isinstance(reply, str):
            return reply
        functions = [{"name": call.name, "arguments": call.arguments} for call in reply]
        calls = [{"id": f"{place}-{i}", "function": one} for i, one in enumerate(functions)]
        return {"content": None, "tool_calls": calls}

    def user(messages: list[dict[str, Any]]) -> str | None:
        heard = sum(message["role"] == "assistant" for message in messages) - said
        over = sum(isinstance(reply, str) for reply in script) + (not isinstance(script[-1], str))
        return "Go on." if heard < over else None

    return play(scene, agent, user)


def accepted(solution: Solved) -> AcceptedSolution:
    """Return the calls of a solution, with the values that they were made with."""
    messages = solution.trajectory.messages
    return tuple(
        AcceptedCall(
            solution.call(made).tool,
            solution.call(made).arguments,
            messages[made.response].error is not None,
        )
        for made in solution.calls
    )


def solutions(scene: Scenario) -> list[Solved]:
    """Return the solutions of a scenario as they were played."""
    return [solved(scene, steps) for steps in scene.solutions.values()]


def replies(solution: Solved) -> tuple[Reply, ...]:
    """Return what the agent of a solution says and calls, as it writes it."""
    shown = {tool.tool.name: tool for tool in solution.scenario.shown_tools.values()}
    said: list[Reply] = []
    for step in solution.written_out:
        match step:
            case SayStep(text):
                said.append(str(text))
            case ToolStep():
                said.append((_written(step, shown),))
            case ParallelStep(steps):
                said.append(tuple(_written(one, shown) for one in steps))
    return tuple(said)


def _written(step: ToolStep, shown: Mapping[str, ShownTool]) -> Written:
    tool = shown.get(step.tool)
    if tool is None:
        return written(step.tool, **step.arguments)
    names = tool.argument_names
    return written(tool.name, **{names.get(k, k): value for k, value in step.arguments.items()})


def planted(solution: Solved) -> Iterator[Planted]:
    """Yield the solution with one fault, for every call and every pattern that it can have."""
    shown = solution.scenario.shown_tools
    whole = replies(solution)
    for made in solution.calls:
        step = whole[made.step]
        assert not isinstance(step, str)
        call = step[made.place]
        tool = shown.get(call.name)
        if tool is None:
            continue

        def instead(*calls: Written, made: Any = made, step: Any = step) -> tuple[Reply, ...]:
            now = (*step[: made.place], *calls, *step[made.place + 1 :])
            return (*whole[: made.step], *([now] if now else []), *whole[made.step + 1 :])

        for pattern, other in _faulty(call, tool):
            what = f"{other.name}({other.arguments})"
            before = (*whole[: made.step], (other,), *whole[made.step :])
            yield Planted(pattern, what, instead(other))
            yield Planted(pattern, f"{what}, then as it should be", before)
            yield Planted(pattern, f"{what}, at once as it should be", instead(other, call))
        state = solution.trajectory.states[made.response - 1]
        for other in _wrong(call, state):
            yield Planted("IAV", f"{other.name}({other.arguments})", instead(other))
        if not solution.changes_the_world(made):
            yield Planted("RAC", f"{call.name} again", instead(call, call))
        if not accepted(solution)[solution.calls.index(made)].fails:
            yield Planted("IAC", f"no {call.name}", instead())


def _faulty(call: Written, tool: ShownTool) -> Iterator[tuple[Pattern, Written]]:
    given = json.loads(call.arguments)
    yield "IFE", replace(call, arguments=call.arguments[:-1])
    yield "IFE", replace(call, arguments=repr(given) if given else "None")
    yield "IFE", replace(call, arguments=json.dumps(call.arguments))
    yield "IFN", replace(call, name=f"{call.name}_now")
    yield "IFN", replace(call, name="".join(word.title() for word in call.name.split("_")) + "x")
    yield "IFN", replace(call, name="zzz")
    yield "IAN", written(call.name, **given, page_num=3)
    for name in given:
        renamed = {f"{key}_x" if key == name else key: value for key, value in given.items()}
        yield "IAN", written(call.name, **renamed)
        parameter = tool.tool.parameters[tool.own_names[name]]
        if parameter.schema:
            yield "IAT", written(call.name, **{**given, name: {"not": "this"}})


def _wrong(call: Written, state: Any) -> Iterator[Written]:
    given = json.loads(call.arguments)
    for name, value in given.items():
        yield written(call.name, **{key: item for key, item in given.items() if key != name})
        other = changed(value, state)
        if other is not None:
            yield written(call.name, **{**given, name: other})


def solves(scene: Scenario, script: Sequence[Reply], others: Iterable[Solved]) -> bool:
    """Whether replies make all calls of one of the solutions, defaults written out or not."""
    made = _requests(scene, script)
    return any(not _requests(scene, replies(other)) - made for other in others)


def nearly_solves(scene: Scenario, script: Sequence[Reply], others: Iterable[Solved]) -> bool:
    """Whether replies make the calls of one of the solutions but for one, and no others."""
    made = _requests(scene, script)
    asked = [_requests(scene, replies(other)) for other in others]
    return any((one - made).total() == 1 and not made - one for one in asked)


def _requests(scene: Scenario, script: Sequence[Reply]) -> Counter[str]:
    calls = [call for reply in script if not isinstance(reply, str) for call in reply]
    return Counter(_request(scene, call) for call in calls)


def _request(scene: Scenario, call: Written) -> str:
    tool, given = scene.shown_tools.get(call.name), json.loads(call.arguments)
    parameters = tool.tool.parameters if tool else {}
    defaults = {name: one.default for name, one in parameters.items() if not one.required}
    return f"{call.name} {sorted({**defaults, **given}.items())}"
