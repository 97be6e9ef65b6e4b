"""Compare the results that an agent has got with those of a solution, whatever the calls were."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.constraints import ResultsConstraint
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.scoring.results import Difference

from .comparison import FULL, Comparison, differing
from .moments import turns_of

_NEAREST: Final = 0.9
"""The nearness of a moment at which few of many results are missing."""


def is_result(message: Message) -> bool:
    """Whether a message has the result of a call of the agent, or its error."""
    between = message.sender, message.recipient
    return between == (Role.EXECUTION_ENVIRONMENT, Role.AGENT) and message.call is not None


def compare_results(
    constraint: ResultsConstraint, solution: Trajectory, messages: Sequence[Message]
) -> Comparison:
    """Return whether all results of a solution's turn are among those in ``messages``."""
    expected = _of_turn(constraint, solution)
    if expected is None:
        where, words = constraint.label, "its results"
        note = f"solution {constraint.solution!r} has no turn {constraint.turn}"
        return differing(lambda: Difference(where, words, None, 0.0, note))
    wanted = _results(expected)
    missing = wanted - _results(messages)
    if not missing:
        return FULL
    first = next(iter(missing))
    call = next(m.call for m in expected if is_result(m) and _key(m) == first)
    assert call is not None
    note = f"as of {call.name} in solution {constraint.solution!r}"
    if (more := missing.total() - 1) > 0:
        note += f", and {more} more"
    difference = Difference(constraint.label, first, "no such result", 0.0, note)
    return differing(lambda: difference, _NEAREST * (1 - missing.total() / wanted.total()))


def _of_turn(constraint: ResultsConstraint, solution: Trajectory) -> Sequence[Message] | None:
    messages = solution.messages
    if constraint.turn is None:
        return messages
    turns = turns_of(messages, constraint.before_opening)
    if constraint.turn > len(turns):
        return None
    start, end = turns[constraint.turn - 1]
    return messages[start:end]


def _results(messages: Iterable[Message]) -> Counter[str]:
    return Counter(_key(message) for message in messages if is_result(message))


def _key(message: Message) -> str:
    """Return a text that equal results have in common: keys of objects have no order."""
    try:
        return json.dumps(json.loads(message.content), sort_keys=True, ensure_ascii=False)
    except ValueError:  # the text of an error
        return message.content
