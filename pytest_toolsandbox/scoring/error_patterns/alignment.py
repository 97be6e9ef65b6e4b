"""Align the agent's attempts with the calls of a solution, and list their differences.

``Comparisons`` compares each attempt with each call; ``Alignment`` chooses the pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterator,
    Mapping,
    Sequence,
    Set as AbstractSet,
)
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.matchers import Matcher
from pytest_toolsandbox.scoring.assignment import min_cost_assignment
from pytest_toolsandbox.text.formatting import format_value, join_words
from pytest_toolsandbox.text.nearest_name import nearest_name
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN
from pytest_toolsandbox.worlds.state import plain
from pytest_toolsandbox.worlds.tool_view import ToolView

from .accepted_calls import contains
from .attempts import Attempt, WrongArgument, value_of, whole_value
from .patterns import FREE, AcceptedCall, AcceptedSolution, OneOf

_SIMPLE = (str, bool, int, type(None))
"""Types that ``==`` compares correctly; ``float`` is not among them because of NaN."""


def wrong_arguments(
    attempt: Attempt, accepted: AcceptedCall, tool: ToolView | None
) -> Iterator[WrongArgument]:
    """Yield the arguments that differ from the accepted call, in the order of the parameters."""
    arguments, defaults = attempt.arguments or {}, tool.defaults if tool else {}
    for name in dict.fromkeys((*defaults, *accepted.arguments, *arguments)):
        usual = defaults.get(name, NOT_GIVEN)
        expected = accepted.arguments.get(name, usual)
        actual = arguments.get(name, usual)
        if not _agrees(actual, expected, name, tool):
            shown = None if actual is NOT_GIVEN else plain(actual)
            yield WrongArgument(name, _in_words(expected), shown, name in arguments)


def _same_values(arguments: Mapping[str, Any], accepted: AcceptedCall) -> bool:
    """Return whether the arguments have the accepted values, under any names."""
    unused = list(arguments.values())
    for expected in accepted.arguments.values():
        place = next((i for i, value in enumerate(unused) if _agrees(value, expected)), None)
        if place is not None:
            del unused[place]
        elif not may_be_left_out(expected):
            return False
    return not unused


def may_be_left_out(expected: Any) -> bool:
    """Return whether an accepted argument is optional."""
    return expected is FREE or isinstance(expected, OneOf)


def written_call(accepted: AcceptedCall, tool: ToolView | None) -> str:
    """Write an accepted call with the names that the agent sees, without free arguments."""
    names = tool.argument_names if tool else {}
    arguments = ", ".join(
        f"{names.get(name, name)}={_in_words(value)}"
        for name, value in accepted.arguments.items()
        if value is not FREE
    )
    return f"{tool.name if tool else accepted.tool}({arguments})"


def _agrees(actual: Any, expected: Any, name: str = "", tool: ToolView | None = None) -> bool:
    if expected is FREE:
        return True
    if type(actual) is type(expected) and type(actual) in _SIMPLE:  # a fast path for most values
        return bool(actual == expected)
    if isinstance(expected, OneOf):
        return any(_agrees(actual, value, name, tool) for value in expected.values)
    if actual is NOT_GIVEN or expected is NOT_GIVEN:
        return actual is expected
    of_tool = name, tool.tool if tool else None
    if isinstance(expected, Matcher):
        return expected.reached(plain(whole_value(actual, *of_tool)))
    return value_of(actual, *of_tool) == value_of(expected, *of_tool)


def _in_words(expected: Any) -> str:
    if expected is NOT_GIVEN:
        return "not given"
    if isinstance(expected, OneOf):
        return join_words(list(map(_in_words, expected.values)))
    return expected.describe() if isinstance(expected, Matcher) else format_value(plain(expected))


_EXACT, _FAILED, _REPEATED, _FAULTY, _WRONG, _RETRIED, _TEXT, _UNCOVERED = range(8)
"""How an attempt covers a call, best first.

The kinds are: exactly; exactly, but it failed; as a repetition; with a fault; with a wrong value;
with a fault and another attempt after it; as a text; not at all. The better of two alignments has
fewer of the last kind, then of the kind before it, and so on.
"""
_IMPOSSIBLE = _UNCOVERED + 1

_Wrong = tuple[WrongArgument, ...]


class _Standing(NamedTuple):
    """For each attempt, how it covers a call on its own, and its wrong arguments."""

    kinds: Sequence[int]
    wrong: Sequence[_Wrong]

    @property
    def most_wrong(self) -> int:
        """The greatest number of wrong arguments."""
        return max(map(len, self.wrong), default=0)


@dataclass(frozen=True)
class Comparisons:
    """Compares attempts with calls, once for all solutions.

    ``tools`` are the offered tools by the world's names. ``question`` is that of a query.
    """

    attempts: Sequence[Attempt]
    tools: Mapping[str, ToolView]
    question: str = ""

    @cached_property
    def _known(self) -> dict[Hashable, _Standing]:
        return {}

    def with_call(self, call: AcceptedCall) -> _Standing:
        """Return how the attempts compare with a call."""
        key = call.request, call.fails
        if key not in self._known:
            self._known[key] = self._compared(call)
        return self._known[key]

    def _compared(self, call: AcceptedCall) -> _Standing:
        tool = self.tools.get(call.tool)
        wrong = [
            tuple(wrong_arguments(attempt, call, tool))
            if attempt.tool is None or attempt.tool is tool
            else ()
            for attempt in self.attempts
        ]
        return _Standing(
            [self._kind(at, call, arguments) for at, arguments in enumerate(wrong)], wrong
        )

    def _kind(self, place: int, call: AcceptedCall, wrong: _Wrong) -> int:
        attempt = self.attempts[place]
        if attempt.call is None:
            return _TEXT if self._may_mean(place, call) else _IMPOSSIBLE
        if not self.is_meant(place, call):
            return _IMPOSSIBLE
        if attempt.faults:
            return _FAULTY
        if wrong or attempt.refused or attempt.tool is not self.tools.get(call.tool):
            return _WRONG
        return _FAILED if attempt.failed and not call.fails else _EXACT

    def _may_mean(self, place: int, call: AcceptedCall) -> bool:
        """Return whether a text may be meant as a call: it names its tool, or no tool at all.

        A text without tool names after which the agent did nothing can only be meant as ``finish``.
        """
        text, concludes = self.attempts[place].text, self.attempts[place].concludes
        words = {name: rf"\b{re.escape(tool.name)}\b" for name, tool in self.tools.items()}
        named = [name for name, word in words.items() if re.search(word, text)]
        return call.tool in named if named else not concludes or call.tool == FINISH.name

    def is_meant(self, place: int, call: AcceptedCall) -> bool:
        """Return whether an attempt is meant as a call: of its tool, or else of the nearest name.

        If no name is similar, the arguments must have the same names or values. Without a similar
        name and without arguments, the attempt may be meant as any call.
        """
        attempt, tool = self.attempts[place], self.tools.get(call.tool)
        if attempt.tool is not None:
            return attempt.tool is tool
        own_name = tool.name if tool else call.tool
        nearest = self._nearest(attempt.text, own_name)
        # A similar name says more than the arguments.
        if nearest is not None:
            return nearest == own_name
        if attempt.arguments is None or not (attempt.text or attempt.arguments):
            return True
        shown = tool.argument_names if tool else {}
        may = {shown.get(name, name) for name in call.arguments}
        must = {shown.get(n, n) for n, v in call.arguments.items() if not may_be_left_out(v)}
        named = must <= set(attempt.arguments) <= may
        valued = bool(must) and _same_values(attempt.arguments, call)
        return bool(attempt.arguments) and (named or valued)

    @cached_property
    def _nearest(self) -> Callable[[str, str], str | None]:
        names = {tool.name for tool in self.tools.values()}
        return cache(lambda name, own_name: nearest_name(name, {own_name, *names}))


@dataclass(frozen=True)
class Alignment:
    """The attempts and the calls of a solution, and the pairs of both.

    ``repeated`` are the places of repetitions. Alignments with several solutions share
    ``compared``.
    """

    compared: Comparisons
    repeated: Collection[int]
    solution: AcceptedSolution

    @property
    def attempts(self) -> Sequence[Attempt]:
        """The attempts of the agent."""
        return self.compared.attempts

    @property
    def tools(self) -> Mapping[str, ToolView]:
        """The offered tools by the world's names."""
        return self.compared.tools

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The places of attempts and of the calls that they cover."""
        # Each call can also stay uncovered: the costs have extra columns for that.
        chosen = enumerate(min_cost_assignment(list(map(self._costs, range(len(self.solution))))))
        return tuple((place, call) for call, place in chosen if place < len(self.attempts))

    @cached_property
    def unpaired(self) -> frozenset[int]:
        """The places of attempts that cover no call."""
        return frozenset(range(len(self.attempts))) - {place for place, _ in self.pairs}

    def is_exact(self, place: int, accepted: int) -> bool:
        """Return whether an attempt is exactly a call of the solution, even if it failed."""
        return self._standings[accepted].kinds[place] in (_EXACT, _FAILED)

    def has_failed(self, place: int, accepted: int) -> bool:
        """Return whether an attempt failed although the call of the solution succeeds."""
        return self.attempts[place].failed and not self.solution[accepted].fails

    def wrong_values(self, place: int, accepted: int) -> Iterator[WrongArgument]:
        """Yield the differences of an attempt from the call that it covers, without its faults.

        If an argument's name is wrong, a missing argument may be the one that was meant.
        """
        attempt, tool = self.attempts[place], self.tools.get(self.solution[accepted].tool)
        patterns = {fault.pattern for fault in attempt.faults}
        if attempt.arguments is None or tool is None or "IFE" in patterns:
            return
        misnamed = bool(patterns - {"IAT"})
        faulty = {tool.world_names.get(fault.argument or "") for fault in attempt.faults}
        for argument in self._standings[accepted].wrong[place]:
            # With a wrong name in the call, a missing argument may be the misnamed one.
            is_sure = argument.is_given and argument.name in tool.tool.parameters
            if argument.name not in faulty and (is_sure or not misnamed):
                yield argument

    def wrong_values_beside(self, place: int) -> Sequence[WrongArgument]:
        """Return the differences of an attempt that covers no call from the nearest call.

        There are none unless the attempt changed the world, or the call was made later in the same
        turn with another value of an argument that both have. A look-up that returned all rows of
        the later one is not a mistake.
        """
        later = {accepted for at, accepted in self.pairs if self._is_corrected(place, at, accepted)}
        changed = self.attempts[place].changed_the_world
        if not (later or changed):
            return ()
        calls = enumerate(self.solution)
        meant = {i for i, call in calls if self.compared.is_meant(place, call)}
        wrong = {accepted: list(self.wrong_values(place, accepted)) for accepted in meant}
        nearest = min(
            meant,
            key=lambda accepted: (len(wrong[accepted]), accepted not in later, accepted),
            default=-1,
        )
        return wrong[nearest] if nearest in (meant if changed else later) else ()

    def _is_corrected(self, place: int, later: int, accepted: int) -> bool:
        wrong, right = self.attempts[place], self.attempts[later]
        if wrong.made is None or right.made is None or wrong.turn != right.turn:
            return False
        # Parallel calls cannot correct each other: the agent had not seen a result.
        if wrong.made.batch >= right.made.batch or wrong.found_all_of(right):
            return False
        arguments = self._standings[accepted].wrong[place]
        if not wrong.faults and self._is_next_of_several(
            place, {argument.name for argument in arguments}
        ):
            return False
        of_both = self.solution[accepted].arguments.keys() & (wrong.arguments or {})
        return bool(wrong.faults) or any(argument.name in of_both for argument in arguments)

    def _is_next_of_several(self, place: int, names: AbstractSet[str]) -> bool:
        """Return whether a look-up found something by values of the query or of earlier results.

        An agent that looks up another one of several things makes no mistake.
        """
        attempt = self.attempts[place]
        values = [value for name, value in (attempt.arguments or {}).items() if name in names]
        made = (attempt.made for attempt in self.attempts[:place])
        results = [call.trace.result for call in made if call and call.trace]
        return bool(self.compared.question and values and attempt.found_something) and all(
            contains(results, value) or str(value) in self.compared.question for value in values
        )

    @cached_property
    def _standings(self) -> list[_Standing]:
        return list(map(self.compared.with_call, self.solution))

    def _costs(self, accepted: int) -> list[int]:
        """Return the cost of covering a call with each attempt and, at the end, with none."""
        distance, of_kinds = self._weights
        costs = [
            # The squared distance keeps pairs in order if the other criteria are equal.
            of_kinds[kind] + len(wrong) * distance + (place - accepted) ** 2
            for place, (kind, wrong) in enumerate(zip(*self._standings[accepted], strict=True))
        ]
        for place in self._special:
            kinds = self._kind(place, accepted), self._standings[accepted].kinds[place]
            costs[place] += of_kinds[kinds[0]] - of_kinds[kinds[1]]
        return costs + [of_kinds[_UNCOVERED]] * len(self.solution)

    @cached_property
    def _weights(self) -> tuple[int, Sequence[int]]:
        """The cost of one wrong argument, and the cost of each kind of cover."""
        # The sums of costs compare like tuples: one wrong argument outweighs all distances
        # together, and one cover of a kind outweighs all covers of better kinds.
        most = len(self.solution) + 1
        distance = most * max(len(self.attempts), most) ** 2
        arguments = most * (
            1 + max((standing.most_wrong for standing in self._standings), default=0)
        )
        return distance, [
            (most**kind - 1) * arguments * distance for kind in range(_IMPOSSIBLE + 1)
        ]

    @cached_property
    def _special(self) -> list[int]:
        """The places of attempts whose kind of cover depends on the other attempts."""
        attempts = enumerate(self.attempts)
        return [
            at
            for at, attempt in attempts
            if at in self.repeated or (attempt.call and attempt.faults)
        ]

    def _kind(self, place: int, accepted: int) -> int:
        """Return the kind of cover of a special attempt."""
        kind = self._standings[accepted].kinds[place]
        if place in self.repeated and not self._is_asked_again[place]:
            return _IMPOSSIBLE
        if kind in (_EXACT, _FAILED):
            return _REPEATED
        is_tried_again = self._last_unlike.get(self.solution[accepted].tool, -1) > place
        return _RETRIED if kind == _FAULTY and is_tried_again else kind

    @cached_property
    def _is_asked_again(self) -> Mapping[int, bool]:
        """Repetition → whether the solution has its call more often than it was made before."""
        before: Counter[Hashable] = Counter()
        again, calls = {}, range(len(self.solution))
        for place, attempt in enumerate(self.attempts):
            if place in self.repeated:
                times = sum(self.is_exact(place, call) for call in calls)
                again[place] = times > before[attempt.request]
            if not attempt.faults:
                before[attempt.request] += 1
        return again

    @cached_property
    def _last_unlike(self) -> Mapping[str, int]:
        """Tool → the place of its last call without a fault that is not in the solution."""
        return {
            attempt.tool.tool.name: place
            for place, attempt in enumerate(self.attempts)
            if not attempt.faults
            and attempt.tool is not None
            and not any(self.is_exact(place, accepted) for accepted in range(len(self.solution)))
        }
