"""Plants one fault in a solution, for each of its calls and each of SpecTool's error patterns."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pytest_toolsandbox.calls.argument_types import has_type
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.scenario import FINISH, Pattern, Scenario
from pytest_toolsandbox.worlds.tool_view import ShownTool

from .mutate_value import changed
from .turns import Place, Turn, Written, turns_of, written

Form = Literal["instead", "before", "at once"]
"""How a faulty call stands there: instead of the right one, before it, or at once with it."""

FORMS: tuple[Form, ...] = ("instead", "before", "at once")


@dataclass(frozen=True)
class Planted:
    """A solution with one fault of a pattern.

    ``place`` is that of the call in the solution, ``call`` what was made of it, ``None`` where it
    was left out.
    """

    pattern: Pattern
    form: Form
    place: Place
    call: Written | None
    turns: tuple[Turn, ...]

    @property
    def what(self) -> str:
        """What was planted, in words."""
        if self.call is None:
            return f"{self.pattern}: a call left out"
        return f"{self.pattern}: {self.call.name}({self.call.arguments}) {self.form}"


def planted(scenario: Scenario, solution: Trajectory) -> Iterator[Planted]:
    """Yield the solution with one fault, of every kind that each of its calls can have.

    The forms in which faults stand there take turns; whoever fails to finish tries again. What the
    solution itself calls again cannot be repeated, and what ends it cannot be left out.
    """
    turns, places = turns_of(scenario, solution)
    forms = itertools.cycle(FORMS)
    made = [turns[one.turn].batches[one.batch][one.call] for one in places]
    for place, call in zip(places, made, strict=True):
        tool = scenario.shown_tools.get(call.name)
        if tool is None:
            continue
        for pattern, faulty in _faulty(call, tool, place.answer):
            form = "before" if call.name == FINISH.name else next(forms)
            calls = {
                "instead": ((faulty,),),
                "before": ((faulty,), (call,)),
                "at once": ((faulty, call),),
            }[form]
            yield Planted(pattern, form, place, faulty, _with(turns, place, calls))
        for other in _wrong(call, tool, solution, place):
            if call.name == FINISH.name:
                batches = ((other,), (call,))
                yield Planted("IAV", "before", place, other, _with(turns, place, batches))
            else:
                yield Planted("IAV", "instead", place, other, _with(turns, place, ((other,),)))
        if call.name == FINISH.name:
            continue
        if _can_be_repeated(solution, place) and made.count(call) == 1:
            yield _repeated(turns, place, call)
        if solution.messages[place.answer].error is None:
            yield Planted("IAC", "instead", place, None, _with(turns, place, ()))


def _repeated(turns: Sequence[Turn], place: Place, call: Written) -> Planted:
    """Return the call made twice, with nothing in between that another one could change."""
    if len(turns[place.turn].batches[place.batch]) > 1:
        return Planted("RAC", "at once", place, call, _with(turns, place, ((call, call),)))
    return Planted("RAC", "before", place, call, _with(turns, place, ((call,), (call,))))


def _with(
    turns: Sequence[Turn], place: Place, instead: Sequence[Sequence[Written]]
) -> tuple[Turn, ...]:
    """Return the turns with batches in the place of a call; the first stays among its batch."""
    turn = turns[place.turn]
    batch = turn.batches[place.batch]
    before, after = batch[: place.call], batch[place.call + 1 :]
    *earlier, last = instead or [()]
    batches = [*map(tuple, earlier), (*before, *last, *after)]
    new = (
        *turn.batches[: place.batch],
        *(one for one in batches if one),
        *turn.batches[place.batch + 1 :],
    )
    return (*turns[: place.turn], replace(turn, batches=new), *turns[place.turn + 1 :])


def _faulty(call: Written, tool: ShownTool, seed: int) -> Iterator[tuple[Pattern, Written]]:
    """Yield the call with a fault of each kind that is seen before it is executed."""
    given: dict[str, Any] = json.loads(call.arguments)
    unreadable = (call.arguments[:-1], json.dumps(call.arguments), repr(given or None))
    yield "IFE", replace(call, arguments=unreadable[seed % len(unreadable)])
    names = (f"{call.name}_now", "".join(map(str.title, call.name.split("_"))) + "x")
    yield "IFN", replace(call, name=names[seed % len(names)])
    name = next(iter(given), None)
    if name is None or seed % 2:
        unknown = next(n for n in ("page_num", "page_number_x") if n not in tool.own_names)
        yield "IAN", written(call.name, **given, **{unknown: 3})
    else:
        renamed = {f"{key}_x" if key == name else key: value for key, value in given.items()}
        yield "IAN", written(call.name, **renamed)
    for name in given:
        schema = tool.tool.parameters[tool.own_names[name]].schema
        if not has_type(NO_TYPE, schema):
            yield "IAT", written(call.name, **{**given, name: NO_TYPE})
            return


NO_TYPE = {"not": "this"}
"""A value of a type that hardly any argument has."""


def _wrong(call: Written, tool: ShownTool, solution: Trajectory, place: Place) -> Iterator[Written]:
    """Yield the call with another value, and without an argument that it needs."""
    given: dict[str, Any] = json.loads(call.arguments)
    state = solution.states[place.answer - 1]
    if call.name != FINISH.name:
        for name, value in given.items():
            other = changed(value, state)
            if other is not None and tool.tool.problem(tool.own_names[name], other) is None:
                yield written(call.name, **{**given, name: other})
                break
    for name in given:
        if tool.tool.parameters[tool.own_names[name]].required:
            yield written(call.name, **{key: value for key, value in given.items() if key != name})
            break


def _can_be_repeated(solution: Trajectory, place: Place) -> bool:
    """Whether a call came through and changed nothing, so that to make it again tells nothing."""
    answer = solution.messages[place.answer]
    return answer.error is None and (
        solution.states[place.answer] == solution.states[place.answer - 1]
    )
