"""Free texts in the calls of a recorded conversation, where somebody else judges them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_toolsandbox.evaluation.opinion import Opinion
from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.wording.phrases import literal
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

    It is the last one in which the quoted words stand, or the last one with a text.
    """
    written = [*_written(result.predictions, tools)]
    quoted = [one for one in written if _words(opinion.quote) in _words(one[2])]
    place, name, text = (quoted or written)[-1]
    prediction = result.predictions[place]
    assert prediction.match is not None
    truth = result.ground_truths[prediction.match]
    expected = literal((truth.call.arguments or {}).get(name))
    differences = (Difference(name, expected, text, 0.0, opinion.why),)
    return replace(
        result,
        predictions=_instead(result.predictions, place, prediction, differences, bad_action=True),
        ground_truths=_instead(result.ground_truths, prediction.match, truth, differences),
    )


def _written(
    predictions: Sequence[JudgedCall], tools: Mapping[str, Tool]
) -> Iterator[tuple[int, str, str]]:
    """Yield the free texts of matched calls: the place of the call, the argument, the text."""
    for place, one in enumerate(predictions):
        if one.matched:
            yield from ((place, name, text) for name, text in texts_of(one.call, tools).items())


def _instead(
    calls: Sequence[JudgedCall], place: int, one: JudgedCall, differences: Any, **changes: Any
) -> tuple[JudgedCall, ...]:
    """Return the calls with one of them unmatched, and in what it differs from the other side."""
    assert one.match is not None
    nearest = NearestCall(one.match, differences)
    unmatched = replace(one, match=None, nearest=nearest, **changes)
    return (*calls[:place], unmatched, *calls[place + 1 :])


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
