"""Free texts in the calls of a recorded conversation, where somebody else judges them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pytest_toolsandbox.evaluation.opinion import Opinion
from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.wording.phrases import literal
from pytest_toolsandbox.wording.quoting import stands_in
from pytest_toolsandbox.worlds.call_rules import FreeText
from pytest_toolsandbox.worlds.tool import Tool

from .call import Call, JudgedCall, NearestCall
from .evaluate_calls import CallEvaluation


def texts_of(call: Call, tools: Mapping[str, Tool]) -> Mapping[str, str]:
    """Return the free texts in a call, by argument; ``tools`` are the world's, by name."""
    tool, given = tools.get(call.tool), call.arguments or {}
    measures = tool.comparison.arguments if tool and tool.action else {}
    return {
        name: given[name]
        for name, measure in measures.items()
        if isinstance(measure, FreeText) and isinstance(given.get(name), str)
    }


def with_wrong_text(
    result: CallEvaluation, opinion: Opinion, tools: Mapping[str, Tool]
) -> CallEvaluation:
    """Return a result without the match of the call whose text an opinion finds wrong.

    It is the last one in which the quoted words stand, or the last one with a text. Calls that were
    joined with it have no match either, and are no incorrect actions. Where texts are right and a
    criterion is not met, the calls stay as they are, and the conversation does not pass.
    """
    written = [] if opinion.is_right else [*_written(result.predictions, tools)]
    if not written:
        return replace(result, rejected=True)
    quoted = [one for one in written if stands_in(opinion.quote, one[2])]
    guilty, name, text = (quoted or written)[-1]
    place = result.predictions[guilty].match
    assert place is not None
    truth = result.ground_truths[place]
    expected = literal((truth.call.arguments or {}).get(name))
    differences = (Difference(name, expected, text, 0.0, opinion.why),)
    return replace(
        result,
        predictions=tuple(
            _unmatched(one, place, differences, bad_action=at == guilty)
            if one.match == place
            else one
            for at, one in enumerate(result.predictions)
        ),
        ground_truths=tuple(
            _unmatched(one, guilty, differences) if at == place else one
            for at, one in enumerate(result.ground_truths)
        ),
    )


def _written(
    predictions: Sequence[JudgedCall], tools: Mapping[str, Tool]
) -> Iterator[tuple[int, str, str]]:
    """Yield the free texts of matched calls: the place of the call, the argument, the text."""
    for place, one in enumerate(predictions):
        if one.matched:
            yield from ((place, name, text) for name, text in texts_of(one.call, tools).items())


def _unmatched(
    one: JudgedCall, place: int, differences: tuple[Difference, ...], *, bad_action: bool = False
) -> JudgedCall:
    """Return a call without its match, which is nearest to the call at ``place`` of the others."""
    nearest = NearestCall(place, differences)
    return replace(one, match=None, nearest=nearest, bad_action=bad_action)
