"""Plants one fault in a solution, for each of its calls and each of SpecTool's error patterns."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from replies import Written, written
from turns import Place, Turn, turns_of

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.error_patterns import Pattern
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.proof.mutants import mutated
from pytest_toolsandbox.worlds.schemas import has_type
from pytest_toolsandbox.worlds.tool_view import ToolView

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


def planted(scenario: Scenario, solution: Trajectory, *, all_ways: bool = False) -> list[Planted]:
    """Return the solution with one fault, of every kind that each of its calls can have.

    Each kind of fault is planted in one way and one form, which take turns, or else in all ways.
    A faulty attempt to finish is always followed by the right one. What the solution itself calls
    again cannot be repeated, and what ends it cannot be left out.
    """
    return list(_planted(scenario, solution, all_ways=all_ways))


def _planted(scenario: Scenario, solution: Trajectory, *, all_ways: bool) -> Iterator[Planted]:
    turns, places = turns_of(scenario, solution)
    cycle = itertools.cycle(FORMS)
    made = [turns[one.turn].batches[one.batch][one.call] for one in places]
    for place, call in zip(places, made, strict=True):
        tool = scenario.tool_views.get(call.name)
        if tool is None:
            continue
        finishes = call.name == FINISH.name
        for pattern, faulty in _chosen(call, tool, place, all_ways=all_ways):
            forms: Sequence[Form] = FORMS if all_ways else (next(cycle),)
            for form in ("before",) if finishes else forms:
                batches = {
                    "instead": ((faulty,),),
                    "before": ((faulty,), (call,)),
                    "at once": ((faulty, call),),
                }[form]
                yield Planted(pattern, form, place, faulty, _with(turns, place, batches))
        for other in _wrong(call, tool, solution, place, all_ways=all_ways):
            form, batches = (
                ("before", ((other,), (call,))) if finishes else ("instead", ((other,),))
            )
            yield Planted("IAV", form, place, other, _with(turns, place, batches))
        if finishes:
            continue  # what ends the conversation can neither be repeated nor left out
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


def _chosen(
    call: Written, tool: ToolView, place: Place, *, all_ways: bool
) -> Iterator[tuple[Pattern, Written]]:
    """Yield the faulty calls to plant: one of each kind, which one depends on the place, or all."""
    for pattern, ways in _faulty(call, tool):
        for faulty in ways if all_ways else [ways[place.answer % len(ways)]]:
            yield pattern, faulty


def _faulty(call: Written, tool: ToolView) -> Iterator[tuple[Pattern, list[Written]]]:
    """Yield the call with a fault of each kind that is seen before it is executed, in all ways."""
    given: dict[str, Any] = json.loads(call.arguments)
    unreadable = (call.arguments[:-1], json.dumps(call.arguments), repr(given or None))
    yield "IFE", [replace(call, arguments=text) for text in unreadable]
    camel = "".join(map(str.title, call.name.split("_")))
    yield "IFN", [replace(call, name=name) for name in (f"{call.name}_now", f"{camel}x", "zzz")]
    unknown = next(n for n in ("page_num", "page_number_x") if n not in tool.world_names)
    renamed = [
        {f"{key}_x" if key == name else key: value for key, value in given.items()}
        for name in given
    ]
    yield "IAN", [written(call.name, **one) for one in ({**given, unknown: 3}, *renamed)]
    schemas = {name: tool.tool.parameters[tool.world_names[name]].schema for name in given}
    typed = [name for name in given if not has_type(NO_TYPE, schemas[name])]
    if typed:
        yield "IAT", [written(call.name, **{**given, name: NO_TYPE}) for name in typed]


NO_TYPE = {"not": "this"}
"""A value of a type that hardly any argument has."""


def _wrong(
    call: Written, tool: ToolView, solution: Trajectory, place: Place, *, all_ways: bool
) -> Iterator[Written]:
    """Yield the call with another value, and without an argument that it needs, or with all."""
    given: dict[str, Any] = json.loads(call.arguments)
    state = solution.states[place.answer - 1]
    others = {name: mutated(value, state) for name, value in given.items()}
    with_others = [
        written(call.name, **{**given, name: other})
        for name, other in others.items()
        if other is not None and tool.tool.problem(tool.world_names[name], other) is None
    ]
    without = [
        written(call.name, **{key: value for key, value in given.items() if key != name})
        for name in given
        if tool.tool.parameters[tool.world_names[name]].required
    ]
    if call.name != FINISH.name:
        yield from with_others if all_ways else with_others[:1]
    yield from without if all_ways else without[:1]


def _can_be_repeated(solution: Trajectory, place: Place) -> bool:
    """Whether a call came through and changed nothing, so that to make it again tells nothing."""
    answer = solution.messages[place.answer]
    return answer.error is None and (
        solution.states[place.answer] == solution.states[place.answer - 1]
    )
