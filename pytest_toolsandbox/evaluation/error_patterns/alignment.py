"""Which attempt stands for which call of an accepted solution, and how it differs from it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_toolsandbox.evaluation.hungarian import min_cost_assignment
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.matchers import Matcher
from pytest_toolsandbox.wording.nearest_name import nearest_name
from pytest_toolsandbox.wording.phrases import literal
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN
from pytest_toolsandbox.worlds.state import frozen, identity, plain
from pytest_toolsandbox.worlds.tool_view import ToolView

from .attempts import Attempt, WrongArgument
from .patterns import FREE, AcceptedCall, AcceptedSolution

EXACT, FAILED, REPEATED, FAULTY, WRONG, RETRIED, WRONG_REPEATED, TEXT, UNCOVERED = range(9)
"""How an attempt covers a call, the best first: as it should, as it should but it failed, as a
repetition, with a fault, with a wrong value, with a fault after which there was another attempt,
as a repetition with a wrong value, as a text; and last, not at all.

Of two alignments the better one has fewer of the last kind, then of the one before it, and so on.
"""
IMPOSSIBLE = UNCOVERED + 1


@dataclass(frozen=True)
class Alignment:
    """Attempts and the calls of a solution; ``tools`` are those that are offered, by own name."""

    attempts: Sequence[Attempt]
    repeated: Collection[int]
    solution: AcceptedSolution
    tools: Mapping[str, ToolView]

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The attempts that cover a call, each with that call, by their places."""
        chosen = enumerate(min_cost_assignment(list(map(self._costs, range(len(self.solution))))))
        return tuple((place, call) for call, place in chosen if place < len(self.attempts))

    def is_exact(self, place: int, accepted: int) -> bool:
        """Whether an attempt is a call of the solution as it should be, whatever came of it."""
        attempt, call = self.attempts[place], self.solution[accepted]
        if attempt.fault is not None or attempt.tool is not self.tools.get(call.tool):
            return False
        return not attempt.refused and not self.wrong[place, accepted]

    def has_failed(self, place: int, accepted: int) -> bool:
        """Whether an attempt failed where the call of the solution comes through."""
        return self.attempts[place].failed and not self.solution[accepted].fails

    def nearest(self, place: int) -> tuple[WrongArgument, ...]:
        """Return how an attempt differs from the call of its tool that it is most like, if any."""
        tool = self.attempts[place].tool
        same = (i for i, call in enumerate(self.solution) if tool is self.tools.get(call.tool))
        return min((self.wrong[place, accepted] for accepted in same), key=len, default=())

    @cached_property
    def wrong(self) -> Mapping[tuple[int, int], tuple[WrongArgument, ...]]:
        """The places of an attempt and of a call of its tool → the arguments that differ."""
        return {
            (place, accepted): tuple(_wrong_arguments(attempt, call, self.tools.get(call.tool)))
            for place, attempt in enumerate(self.attempts)
            for accepted, call in enumerate(self.solution)
            if attempt.tool is self.tools.get(call.tool) or attempt.tool is None
        }

    def _costs(self, accepted: int) -> list[int]:
        """Return what it costs to cover a call with each attempt, or (at the end) with none."""
        distance, of_kinds = self._weights
        wrong = [len(self.wrong.get((at, accepted), ())) for at in range(len(self.attempts))]
        costs = [
            of_kinds[self._kind(place, accepted)] + count * distance + (place - accepted) ** 2
            for place, count in enumerate(wrong)
        ]
        return costs + [of_kinds[UNCOVERED]] * len(self.solution)

    @cached_property
    def _weights(self) -> tuple[int, Sequence[int]]:
        """(cost of one wrong argument, cost of each kind of cover)."""
        # A sum over the calls of the solution is compared like a tuple: a wrong argument outweighs
        # all distances together, and a kind all attempts of better kinds, whatever is wrong there.
        most = len(self.solution) + 1
        distance = most * max(len(self.attempts), most) ** 2
        arguments = most * (1 + max((len(wrong) for wrong in self.wrong.values()), default=0))
        return distance, [(most**kind - 1) * arguments * distance for kind in range(IMPOSSIBLE + 1)]

    def _kind(self, place: int, accepted: int) -> int:
        attempt, call = self.attempts[place], self.solution[accepted]
        if attempt.call is None:
            return TEXT if self._may_mean(place, call) else IMPOSSIBLE
        if not self._is_meant(attempt, call):
            return IMPOSSIBLE
        if attempt.fault is not None:
            return RETRIED if self._last_unlike.get(call.tool, -1) > place else FAULTY
        if not self.is_exact(place, accepted):
            return WRONG_REPEATED if place in self.repeated else WRONG
        if place in self.repeated:
            return REPEATED
        return FAILED if self.has_failed(place, accepted) else EXACT

    def _may_mean(self, place: int, call: AcceptedCall) -> bool:
        """Whether a text may stand for a call: it names its tool, or names none and any will do.

        A text without names is the conclusion where the agent did nothing after it.
        """
        text, concludes = self.attempts[place].text, self.attempts[place].concludes
        words = {name: rf"\b{re.escape(tool.name)}\b" for name, tool in self.tools.items()}
        named = [name for name, word in words.items() if re.search(word, text)]
        return call.tool in named if named else not concludes or call.tool == FINISH.name

    def _is_meant(self, attempt: Attempt, call: AcceptedCall) -> bool:
        """Whether an attempt stands for a call: of its tool, or else of the nearest name.

        Where the name is unlike, arguments of the same names or with the same values will do. Where
        no name is alike and there are no arguments to go by, it may stand for any.
        """
        tool = self.tools.get(call.tool)
        if attempt.tool is not None:
            return attempt.tool is tool
        own_name = tool.name if tool else call.tool
        nearest = nearest_name(attempt.text, {own_name, *(t.name for t in self.tools.values())})
        if nearest == own_name:
            return True
        if attempt.arguments is None or not (attempt.text or attempt.arguments):
            return nearest is None
        shown = tool.argument_names if tool else {}
        may = {shown.get(name, name) for name in call.arguments}
        must = {shown.get(n, n) for n, v in call.arguments.items() if v is not FREE}
        return must <= set(attempt.arguments) <= may or _same_values(attempt.arguments, call)

    @cached_property
    def _last_unlike(self) -> Mapping[str, int]:
        """Tool → the place of its last call without fault that the solution does not make."""
        return {
            attempt.tool.tool.name: place
            for place, attempt in enumerate(self.attempts)
            if attempt.fault is None
            and attempt.tool is not None
            and not any(self.is_exact(place, accepted) for accepted in range(len(self.solution)))
        }


def _wrong_arguments(
    attempt: Attempt, accepted: AcceptedCall, tool: ToolView | None
) -> Iterator[WrongArgument]:
    """Yield the arguments that are not as accepted, in the order of the tool's parameters."""
    given, parameters = attempt.arguments or {}, tool.tool.parameters if tool else {}
    defaults = {name: NOT_GIVEN if p.required else p.default for name, p in parameters.items()}
    for name in dict.fromkeys([*defaults, *accepted.arguments, *given]):
        usual = defaults.get(name, NOT_GIVEN)
        expected = accepted.arguments.get(name, usual)
        found = given.get(name, usual)
        if not _agrees(found, expected):
            shown = None if found is NOT_GIVEN else plain(found)
            yield WrongArgument(name, _in_words(expected), shown, name in given)


def _same_values(given: Mapping[str, Any], accepted: AcceptedCall) -> bool:
    """Whether arguments have the values of an accepted call, under any names."""
    left = list(given.values())
    for expected in accepted.arguments.values():
        place = next((i for i, found in enumerate(left) if _agrees(found, expected)), None)
        if place is None:
            return False
        del left[place]
    return not left


def written_call(accepted: AcceptedCall, tool: ToolView | None) -> str:
    """Write an accepted call in the terms of the agent, without its free arguments."""
    names = tool.argument_names if tool else {}
    arguments = ", ".join(
        f"{names.get(name, name)}={_in_words(value)}"
        for name, value in accepted.arguments.items()
        if value is not FREE
    )
    return f"{tool.name if tool else accepted.tool}({arguments})"


def _agrees(found: Any, expected: Any) -> bool:
    if expected is FREE:
        return True
    if found is NOT_GIVEN or expected is NOT_GIVEN:
        return found is expected
    if isinstance(expected, Matcher):
        return expected.reached(plain(found))
    if type(found) is str and type(expected) is str:  # the usual case, and the fast way
        return found == expected
    return bool(identity(frozen(found)) == identity(frozen(expected)))


def _in_words(expected: Any) -> str:
    if expected is NOT_GIVEN:
        return "not given"
    return expected.describe() if isinstance(expected, Matcher) else literal(plain(expected))
