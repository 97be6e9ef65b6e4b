"""Plants a fault in a solution, or two in one call, for each of its calls and error patterns."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from replies import Written, written
from turns import Place, Turn, turns_of

from pytest_toolsandbox.authoring.proof.mutants import mutated
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.error_patterns import Pattern
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN
from pytest_toolsandbox.worlds.schemas import has_type
from pytest_toolsandbox.worlds.tool_view import ToolView

Form = Literal["instead", "before", "at once", "later"]
"""How a faulty call stands there: instead of the right one, before it, at once with it, later."""

FORMS: tuple[Form, ...] = ("instead", "before", "at once")


@dataclass(frozen=True)
class Planted:
    """A solution with a fault, and the ``patterns`` as which it is to be found, in their order.

    ``place`` is that of the call in the solution, ``call`` what was made of it, ``None`` where it
    was left out. A mixture has beside it one of its faults ``alone``, which may be none.
    """

    patterns: tuple[Pattern, ...]
    form: Form
    place: Place
    call: Written | None
    turns: tuple[Turn, ...]
    alone: Planted | None = None

    @property
    def what(self) -> str:
        """What was planted, in words."""
        patterns = ", ".join(self.patterns)
        if self.call is None:
            return f"{patterns}: a call left out"
        return f"{patterns}: {self.call.name}({self.call.arguments}) {self.form}"


def planted(scenario: Scenario, solution: Trajectory, *, all_ways: bool = False) -> list[Planted]:
    """Return the solution with a fault, of every kind and mixture that each of its calls can have.

    Each kind of fault is planted in one way and one form, which take turns, or else in all ways.
    A faulty attempt to finish is always followed by the right one. What the solution itself calls
    again cannot be repeated, and what ends it cannot be left out.
    """
    return list(_planted(scenario, solution, all_ways=all_ways))


def _planted(scenario: Scenario, solution: Trajectory, *, all_ways: bool) -> Iterator[Planted]:
    turns, places = turns_of(scenario, solution)
    cycle = itertools.cycle(FORMS)
    made = [turns[place.turn].batches[place.batch][place.call] for place in places]
    for place, call in zip(places, made, strict=True):
        tool = scenario.tool_views.get(call.name)
        if tool is None:
            continue
        of_call, finishes = _Of(turns, place, call), call.name == FINISH.name
        for patterns, faulty in _chosen(call, tool, place, all_ways=all_ways):
            forms: Sequence[Form] = FORMS if all_ways else (next(cycle),)
            for form in ("before",) if finishes else forms:
                yield of_call.with_fault(patterns, form, faulty)
        for other in _wrong(call, tool, solution, place, all_ways=all_ways):
            yield from of_call.wrong(other, solution, made, all_ways=all_ways)
        if finishes or solution.messages[place.answer].error is not None:
            continue  # what ends the conversation can neither be repeated nor left out
        if made.count(call) == 1:
            yield from of_call.repeated(_spelled_out(call, tool), solution, places)
        yield of_call.left_out()


@dataclass(frozen=True)
class _Of:
    """A call of a solution, in which a fault is planted."""

    turns: Sequence[Turn]
    place: Place
    call: Written

    def with_fault(self, patterns: tuple[Pattern, ...], form: Form, faulty: Written) -> Planted:
        batches = {
            "instead": ((faulty,),),
            "before": ((faulty,), (self.call,)),
            "at once": ((faulty, self.call),),
        }[form]
        turns = _with(self.turns, self.place, batches)
        made = Planted(patterns, form, self.place, faulty, turns)
        if form != "instead" or faulty.name != UNHEARD_OF or json.loads(faulty.arguments):
            return made
        return replace(made, patterns=(*patterns, "IAC"), alone=self.left_out())  # it means nothing

    def left_out(self) -> Planted:
        return Planted(("IAC",), "instead", self.place, None, _with(self.turns, self.place, ()))

    def wrong(
        self, other: Written, solution: Trajectory, made: Sequence[Written], *, all_ways: bool
    ) -> Iterator[Planted]:
        """Yield another call in its place, corrected or not, and the same with a wrong name."""
        if other.name == FINISH.name:
            yield self.with_fault(("IAV",), "before", other)
        elif other not in made:
            wrong_calls = self._wrong(other)
            yield from (
                wrong_calls
                if all_ways
                else itertools.islice(wrong_calls, 2 + self.place.answer % 3)
            )
        elif not _changed(solution, self.place):
            yield self.with_fault(("RAC", "IAC"), "instead", other)

    def _wrong(self, other: Written) -> Iterator[Planted]:
        yield (instead := self.with_fault(("IAV",), "instead", other))
        if json.loads(self.call.arguments).keys() > json.loads(other.arguments).keys():
            return
        yield (before := self.with_fault(("IAV",), "before", other))
        unknown = written(other.name, **json.loads(other.arguments), page_number_x=3)
        misnamed = replace(other, name=f"{other.name}_now")
        mixtures: Sequence[tuple[Pattern, Written]] = (("IAN", unknown), ("IFN", misnamed))
        for (name, mixed), alone in itertools.product(mixtures, (before, instead)):
            yield replace(self.with_fault((name, "IAV"), alone.form, mixed), alone=alone)

    def repeated(
        self, again: Written, solution: Trajectory, places: Sequence[Place]
    ) -> Iterator[Planted]:
        """Yield the call made twice, and a look-up once more later where that tells nothing."""
        batches = self.turns[self.place.turn].batches
        at_once = len(batches[self.place.batch]) > 1
        twice = ((self.call, again),) if at_once else ((self.call,), (again,))
        turns = _with(self.turns, self.place, twice)
        yield Planted(("RAC",), "at once" if at_once else "before", self.place, again, turns)
        before = [
            place
            for place in places
            if place.turn == self.place.turn and place.batch < len(batches) - 1
        ]
        trace = solution.messages[self.place.answer].trace
        if self.place not in before or trace is None or trace.reads is None:
            return
        then, now = (solution.states[place.answer] for place in (self.place, before[-1]))
        if not _changed(solution, self.place) and all(then[n] == now[n] for n in trace.reads):
            last = replace(before[-1], batch=len(batches) - 1, call=0)
            turns = _with(self.turns, last, ((again,), batches[-1]), whole=True)
            yield Planted(("RAC",), "later", self.place, again, turns)


def _changed(solution: Trajectory, place: Place) -> bool:
    return solution.states[place.answer] != solution.states[place.answer - 1]


def _spelled_out(call: Written, tool: ToolView) -> Written:
    """Return the call with the defaults of all arguments that it does not give."""
    parameters = {shown: tool.tool.parameters[name] for shown, name in tool.world_names.items()}
    usual = {
        name: parameter.default for name, parameter in parameters.items() if not parameter.required
    }
    known = {name: value for name, value in usual.items() if value is not NOT_GIVEN}
    return written(call.name, **{**known, **json.loads(call.arguments)})


def _with(
    turns: Sequence[Turn],
    place: Place,
    instead: Sequence[Sequence[Written]],
    *,
    whole: bool = False,
) -> tuple[Turn, ...]:
    """Return the turns with batches in the place of a call, or of its whole batch.

    The last of them stays among those that were made at once with the call.
    """
    turn = turns[place.turn]
    batch = () if whole else turn.batches[place.batch]
    before, after = batch[: place.call], batch[place.call + 1 :]
    *earlier, last = instead or [()]
    batches = [*map(tuple, earlier), (*before, *last, *after)]
    new = (
        *turn.batches[: place.batch],
        *(batch for batch in batches if batch),
        *turn.batches[place.batch + 1 :],
    )
    return (*turns[: place.turn], replace(turn, batches=new), *turns[place.turn + 1 :])


def _chosen(
    call: Written, tool: ToolView, place: Place, *, all_ways: bool
) -> Iterator[tuple[tuple[Pattern, ...], Written]]:
    """Yield the faulty calls to plant: one of each kind, which one depends on the place, or all."""
    for patterns, ways in _faulty(call, tool):
        for faulty in ways if all_ways else ways[place.answer % len(ways) :][:1] if ways else []:
            yield patterns, faulty


def _faulty(
    call: Written, tool: ToolView
) -> Iterator[tuple[tuple[Pattern, ...], Sequence[Written]]]:
    """Yield the call with faults of each kind that is seen before it is executed, in all ways."""
    arguments: dict[str, Any] = json.loads(call.arguments)
    unreadable = (call.arguments[:-1], json.dumps(call.arguments), repr(arguments or None))
    yield ("IFE",), [replace(call, arguments=text) for text in unreadable]
    camel = "".join(map(str.title, call.name.split("_")))
    yield ("IFN",), [replace(call, name=n) for n in (f"{call.name}_now", f"{camel}x", UNHEARD_OF)]
    unknown = next(n for n in ("page_num", "page_number_x") if n not in tool.world_names)
    renamed = [
        {f"{key}_x" if key == name else key: value for key, value in arguments.items()}
        for name in arguments
    ]
    yield (
        ("IAN",),
        [written(call.name, **changed) for changed in ({**arguments, unknown: 3}, *renamed)],
    )
    schemas = {name: tool.tool.parameters[tool.world_names[name]].schema for name in arguments}
    wrong = {name: _of_wrong_type(schema) for name, schema in schemas.items()}
    typed = [{**arguments, name: value} for name, value in wrong.items() if value is not None]
    yield ("IAT",), [written(call.name, **changed) for changed in typed]
    yield ("IAN", "IAT"), [written(call.name, **{**changed, unknown: 3}) for changed in typed]


def _of_wrong_type(schema: Mapping[str, Any]) -> Any:
    """Return a value of a type that an argument does not have: for a number, a boolean."""
    return next((value for value in (True, NO_TYPE) if not has_type(value, schema)), None)


UNHEARD_OF = "zzz"
"""A name like that of no tool."""

NO_TYPE = {"not": "this"}
"""A value of a type that hardly any argument has."""


def _wrong(
    call: Written, tool: ToolView, solution: Trajectory, place: Place, *, all_ways: bool
) -> Iterator[Written]:
    """Yield the call with another value, and without an argument that it needs, or with all."""
    arguments: dict[str, Any] = json.loads(call.arguments)
    state = solution.states[place.answer - 1]
    other_values = {name: mutated(value, state) for name, value in arguments.items()}
    with_others = [
        written(call.name, **{**arguments, name: other})
        for name, other in other_values.items()
        if other is not None and tool.tool.problem(tool.world_names[name], other) is None
    ]
    without = [
        written(call.name, **{key: value for key, value in arguments.items() if key != name})
        for name in arguments
        if tool.tool.parameters[tool.world_names[name]].required
    ]
    if call.name != FINISH.name:
        yield from with_others if all_ways else with_others[:1]
    yield from without if all_ways else without[:1]
