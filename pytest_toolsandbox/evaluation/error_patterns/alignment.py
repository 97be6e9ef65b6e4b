"""Which attempt stands for which call of an accepted solution, and how it differs from it."""

from __future__ import annotations

import re
from collections.abc import (
    Collection,
    Hashable,
    Iterator,
    Mapping,
    Sequence,
    Set as AbstractSet,
)
from dataclasses import dataclass, field
from functools import cached_property

from pytest_toolsandbox.evaluation.hungarian import min_cost_assignment
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.wording.nearest_name import nearest_name
from pytest_toolsandbox.worlds.tool_view import ToolView

from .agreement import may_be_left_out, same_values, wrong_arguments
from .attempts import Attempt, WrongArgument
from .patterns import AcceptedCall, AcceptedSolution
from .supersets import tells

EXACT, FAILED, REPEATED, FAULTY, WRONG, RETRIED, TEXT, UNCOVERED = range(8)
"""How an attempt covers a call, the best first: as it should, as it should but it failed, as a
repetition, with a fault, with a wrong value, with a fault after which there was another attempt,
as a text; and last, not at all.

Of two alignments the better one has fewer of the last kind, then of the one before it, and so on.
"""
IMPOSSIBLE = UNCOVERED + 1


@dataclass(frozen=True)
class Alignment:
    """Attempts and the calls of a solution; ``tools`` are those that are offered, by own name.

    ``question`` is that of a query. Alignments of the same attempts with several solutions share
    what they ``compared``, since solutions have calls in common.
    """

    attempts: Sequence[Attempt]
    repeated: Collection[int]
    solution: AcceptedSolution
    tools: Mapping[str, ToolView]
    question: str = ""
    compared: dict[Hashable, tuple[WrongArgument, ...]] = field(default_factory=dict)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The attempts that cover a call, each with that call, by their places."""
        chosen = enumerate(min_cost_assignment(list(map(self._costs, range(len(self.solution))))))
        return tuple((place, call) for call, place in chosen if place < len(self.attempts))

    def is_exact(self, place: int, accepted: int) -> bool:
        """Whether an attempt is a call of the solution as it should be, whatever came of it."""
        attempt, call = self.attempts[place], self.solution[accepted]
        if attempt.faults or attempt.tool is not self.tools.get(call.tool):
            return False
        return not attempt.refused and not self.wrong[place, accepted]

    def has_failed(self, place: int, accepted: int) -> bool:
        """Whether an attempt failed where the call of the solution comes through."""
        return self.attempts[place].failed and not self.solution[accepted].fails

    def wrong_values(self, place: int, accepted: int) -> Iterator[WrongArgument]:
        """Yield how an attempt differs from a call that it stands for, beside its faults.

        Where a name is wrong, an argument that is missing may be the one that was meant.
        """
        attempt, tool = self.attempts[place], self.tools.get(self.solution[accepted].tool)
        patterns = {fault.pattern for fault in attempt.faults}
        if attempt.arguments is None or tool is None or "IFE" in patterns:
            return
        misnamed = bool(patterns - {"IAT"})
        told = {tool.world_names.get(fault.argument or "") for fault in attempt.faults}
        for one in self.wrong[place, accepted]:
            is_sure = one.given and one.name in tool.tool.parameters
            if one.name not in told and (is_sure or not misnamed):
                yield one

    def beside(self, place: int) -> Sequence[WrongArgument]:
        """Return what is wrong with an attempt that stands for no call, against the nearest one.

        Nothing is, unless it changed the world, or that call was made afterwards, before the user
        spoke, with another value of an argument that both have. A look-up that found all that the
        later one did was no mistake.
        """
        attempt = self.attempts[place]
        later = {accepted for at, accepted in self.pairs if self._is_corrected(place, at, accepted)}
        meant = {i for i, call in enumerate(self.solution) if self._is_meant(attempt, call)}
        wrong = {accepted: list(self.wrong_values(place, accepted)) for accepted in meant}
        nearest = min(meant, key=lambda one: (len(wrong[one]), one not in later, one), default=-1)
        return wrong[nearest] if nearest in (meant if attempt.changed_the_world else later) else ()

    def _is_corrected(self, place: int, later: int, accepted: int) -> bool:
        wrong, right = self.attempts[place], self.attempts[later]
        if wrong.made is None or right.made is None or wrong.turn != right.turn:
            return False
        if wrong.made.batch >= right.made.batch or wrong.found_all_of(right):
            return False
        others = self.wrong.get((place, accepted), ())
        if not wrong.faults and self._is_next_of_several(place, {one.name for one in others}):
            return False
        of_both = self.solution[accepted].arguments.keys() & (wrong.arguments or {})
        return bool(wrong.faults) or any(one.name in of_both for one in others)

    def _is_next_of_several(self, place: int, names: AbstractSet[str]) -> bool:
        """Whether a look-up found something, by what a query or an earlier look-up had told.

        Who looks at one more of the things that are asked about or were found makes no mistake.
        """
        attempt = self.attempts[place]
        given = [value for name, value in (attempt.arguments or {}).items() if name in names]
        made = (one.made for one in self.attempts[:place])
        told = [one.trace.result for one in made if one and one.trace]
        return bool(self.question and given and attempt.found_something) and all(
            tells(told, value) or str(value) in self.question for value in given
        )

    @cached_property
    def wrong(self) -> Mapping[tuple[int, int], tuple[WrongArgument, ...]]:
        """The places of an attempt and of a call of its tool → the arguments that differ."""
        calls = [(call, call.request) for call in self.solution]
        return {
            (place, accepted): self._compared(place, *call)
            for place, attempt in enumerate(self.attempts)
            for accepted, call in enumerate(calls)
            if attempt.tool is None or attempt.tool is self.tools.get(call[0].tool)
        }

    def _compared(
        self, place: int, call: AcceptedCall, request: Hashable
    ) -> tuple[WrongArgument, ...]:
        pair = place, request
        if pair not in self.compared:
            tool = self.tools.get(call.tool)
            self.compared[pair] = tuple(wrong_arguments(self.attempts[place], call, tool))
        return self.compared[pair]

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
        is_more = place in self.repeated and not self._is_asked_again(place)
        if is_more or not self._is_meant(attempt, call):
            return IMPOSSIBLE
        if attempt.faults:
            return RETRIED if self._last_unlike.get(call.tool, -1) > place else FAULTY
        if not self.is_exact(place, accepted):
            return WRONG
        if place in self.repeated:
            return REPEATED
        return FAILED if self.has_failed(place, accepted) else EXACT

    def _is_asked_again(self, place: int) -> bool:
        """Whether the solution makes a call more often than it was made before an attempt."""
        attempt, calls = self.attempts[place], range(len(self.solution))
        same = (one for one in self.attempts[:place] if not one.faults)
        before = sum(one.request == attempt.request for one in same)
        return sum(self.is_exact(place, call) for call in calls) > before

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
        if nearest is not None:
            return nearest == own_name
        if attempt.arguments is None or not (attempt.text or attempt.arguments):
            return True
        shown = tool.argument_names if tool else {}
        may = {shown.get(name, name) for name in call.arguments}
        must = {shown.get(n, n) for n, v in call.arguments.items() if not may_be_left_out(v)}
        named = must <= set(attempt.arguments) <= may
        valued = bool(must) and same_values(attempt.arguments, call)
        return bool(attempt.arguments) and (named or valued)

    @cached_property
    def _last_unlike(self) -> Mapping[str, int]:
        """Tool → the place of its last call without fault that the solution does not make."""
        return {
            attempt.tool.tool.name: place
            for place, attempt in enumerate(self.attempts)
            if not attempt.faults
            and attempt.tool is not None
            and not any(self.is_exact(place, accepted) for accepted in range(len(self.solution)))
        }
