"""Match predicted calls with ground-truth calls one to one (ToolTalk, algorithm 2).

If the protocol joins calls, several modifications of one thing count as one call, and one look-up
may match several ground-truth calls.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_toolsandbox.scoring.assignment import min_cost_assignment
from pytest_toolsandbox.worlds.state import plain
from pytest_toolsandbox.worlds.tool import SupersetOf, Tool

from .comparison import CallComparer, equal, rows_of
from .rules import Call


def match_calls(agreeing: Sequence[Collection[int]]) -> tuple[int | None, ...]:
    """Return the matching ground-truth call of each prediction, given the candidates of each.

    The matching has the greatest possible size. Among these, earlier predictions are matched first,
    and then earlier ground-truth calls go to earlier predictions.
    """
    count, truths = len(agreeing), sorted(set(itertools.chain.from_iterable(agreeing)))
    # The sum of costs compares like a tuple: how many predictions are matched, which of them, and
    # the places of their ground-truth calls. First come, first served could lose matches.
    base = len(truths) + 1
    one_more = 2**count * base**count
    costs = [
        [
            place * base ** (count - 1 - prediction)
            - 2 ** (count - 1 - prediction) * base**count
            - one_more
            if truth in candidates
            else one_more * base
            for prediction, candidates in enumerate(agreeing)
        ]
        + [0] * len(truths)  # the ground-truth call stays without a prediction
        for place, truth in enumerate(truths)
    ]
    chosen = dict(zip(min_cost_assignment(costs), truths, strict=True))
    return tuple(chosen.get(prediction) for prediction in range(count))


@dataclass(frozen=True)
class Pairing:
    """Place of a call → place of the matching call of the other side."""

    of_predictions: Mapping[int, int]
    of_truths: Mapping[int, int]


@dataclass
class _Joined:
    """A call that was joined from several, and their places."""

    call: Call
    places: list[int]


def paired(predictions: Sequence[Call], truths: Sequence[Call], comparer: CallComparer) -> Pairing:
    """Match calls one to one, or more if the protocol joins calls.

    Then modifications of one thing in a turn count as one call, and one look-up may match several
    ground-truth look-ups.
    """
    joins = comparer.protocol.rules.joined
    tools = comparer.tools if joins else {}
    merged, merged_truths = _merged(predictions, tools), _merged(truths, tools)
    agreeing = [
        [at for at, truth in enumerate(merged_truths) if comparer.agrees(made.call, truth.call)]
        for made in merged
    ]
    chosen = zip(merged, match_calls(agreeing), strict=True)
    pairs = [(made, merged_truths[at]) for made, at in chosen if at is not None]
    of_truths = {place: made.places[0] for made, truth in pairs for place in truth.places}
    if joins:
        of_truths |= dict(_shared(predictions, truths, comparer, of_truths))
    of_predictions = {place: truth.places[0] for made, truth in pairs for place in made.places}
    return Pairing(of_predictions, of_truths)


def _merged(calls: Sequence[Call], tools: Mapping[str, Tool]) -> list[_Joined]:
    """Join the calls of a turn that modify one thing, if each gives another argument."""
    joined: list[_Joined] = []
    for place, call in enumerate(calls):
        by = tools[call.tool].comparison.merged_by if call.tool in tools else None
        parts = (earlier for earlier in joined if by and _is_part(call, earlier.call, by))
        first = next(parts, None)
        if first is None:
            joined.append(_Joined(call, [place]))
        else:
            arguments = {**(first.call.arguments or {}), **(call.arguments or {})}
            unasked = tuple(sorted({*first.call.unasked, *call.unasked}))
            first.call = replace(first.call, arguments=arguments, unasked=unasked)
            first.places.append(place)
    return joined


def _is_part(call: Call, earlier: Call, by: str) -> bool:
    """Return whether two calls modify different properties of the same thing."""
    new, old = call.arguments or {}, earlier.arguments or {}
    is_alike = (call.tool, call.turn, call.session) == (earlier.tool, earlier.turn, earlier.session)
    if not is_alike or call.error or earlier.error or not {by} <= new.keys() & old.keys():
        return False
    # A second value for the same argument is a correction, and so a call of its own.
    agree = all(equal(new[name], old[name]) for name in new.keys() & old.keys())
    return agree and not new.keys() <= old.keys()


def _shared(
    predictions: Sequence[Call],
    truths: Sequence[Call],
    comparer: CallComparer,
    made: Mapping[int, int],
) -> Iterator[tuple[int, int]]:
    """Yield unmatched ground-truth look-ups, each with a look-up that found as much."""
    for place, truth in enumerate(truths):
        tool = comparer.tools.get(truth.tool)
        if place not in made and tool is not None and not tool.action:
            alike = [at for at, call in enumerate(predictions) if _is_alike(call, truth)]
            # If no single call suffices, the results of all are compared together.
            calls = [*(predictions[at] for at in alike), *_together(predictions, alike, tool)]
            agreeing = (at for at, call in enumerate(calls) if comparer.agrees(call, truth))
            if (first := next(agreeing, None)) is not None:
                yield place, [*alike, *alike][first]
            elif (source := next(_telling(predictions, truth, comparer.tools), None)) is not None:
                yield place, source


def _telling(predictions: Sequence[Call], truth: Call, tools: Mapping[str, Tool]) -> Iterator[int]:
    """Yield look-ups of other tools whose results contain a row with all fields of a result."""
    only = [*_rows(truth.result)]
    fields = only[0] if len(only) == 1 else {}
    for place, prediction in enumerate(predictions):
        tool = tools.get(prediction.tool)
        # One field alone, such as an id, may agree by accident.
        rows = _rows(prediction.result) if tool and not tool.action and len(fields) > 1 else ()
        if any(equal(fields, {name: row.get(name) for name in fields}) for row in rows):
            yield place


def _rows(result: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a result, alone or in lists."""
    values = plain(result).values() if isinstance(result, Mapping) else [plain(result)]
    for value in values:
        rows = value if isinstance(value, list) else [value]
        yield from (row for row in rows if isinstance(row, dict))


def _is_alike(call: Call, truth: Call) -> bool:
    return (call.tool, call.session, call.error) == (truth.tool, truth.session, truth.error)


def _together(predictions: Sequence[Call], places: Sequence[int], tool: Tool) -> Iterator[Call]:
    """Yield one call with the rows of all these results, if rows are compared."""
    measure = tool.comparison.result
    results = [plain(predictions[at].result) for at in places]
    kinds = set(map(type, results))
    if isinstance(measure, SupersetOf) and kinds in ({dict}, {list}):
        rows = [row for result in results for row in rows_of(result, measure) or ()]
        whole = rows if kinds == {list} else {measure.rows: rows}
        yield replace(predictions[places[0]], result=whole)
