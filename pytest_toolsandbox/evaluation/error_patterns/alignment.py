"""Which attempt stands for which call of an accepted solution, and how it differs from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from pytest_toolsandbox.evaluation.hungarian import min_cost_assignment
from pytest_toolsandbox.worlds.tool_view import ToolView

from .attempts import Attempt, WrongArgument
from .comparisons import (
    EXACT,
    FAILED,
    FAULTY,
    IMPOSSIBLE,
    REPEATED,
    RETRIED,
    UNCOVERED,
    Comparisons,
    Standing,
)
from .patterns import AcceptedSolution
from .supersets import tells


@dataclass(frozen=True)
class Alignment:
    """Attempts and the calls of a solution; ``repeated`` are the places of repetitions.

    Alignments of the same attempts with several solutions share what they ``compared``.
    """

    compared: Comparisons
    repeated: Collection[int]
    solution: AcceptedSolution

    @property
    def attempts(self) -> Sequence[Attempt]:
        """What the agent attempted."""
        return self.compared.attempts

    @property
    def tools(self) -> Mapping[str, ToolView]:
        """The tools that are offered, by own name."""
        return self.compared.tools

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The attempts that cover a call, each with that call, by their places."""
        chosen = enumerate(min_cost_assignment(list(map(self._costs, range(len(self.solution))))))
        return tuple((place, call) for call, place in chosen if place < len(self.attempts))

    def is_exact(self, place: int, accepted: int) -> bool:
        """Whether an attempt is a call of the solution as it should be, whatever came of it."""
        return self._standings[accepted].kinds[place] in (EXACT, FAILED)

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
        for one in self._standings[accepted].wrong[place]:
            is_sure = one.given and one.name in tool.tool.parameters
            if one.name not in told and (is_sure or not misnamed):
                yield one

    def beside(self, place: int) -> Sequence[WrongArgument]:
        """Return what is wrong with an attempt that stands for no call, against the nearest one.

        Nothing is, unless it changed the world, or that call was made afterwards, before the user
        spoke, with another value of an argument that both have. A look-up that found all that the
        later one did was no mistake.
        """
        later = {accepted for at, accepted in self.pairs if self._is_corrected(place, at, accepted)}
        changed = self.attempts[place].changed_the_world
        if not (later or changed):
            return ()
        calls = enumerate(self.solution)
        meant = {i for i, call in calls if self.compared.is_meant(place, call)}
        wrong = {accepted: list(self.wrong_values(place, accepted)) for accepted in meant}
        nearest = min(meant, key=lambda one: (len(wrong[one]), one not in later, one), default=-1)
        return wrong[nearest] if nearest in (meant if changed else later) else ()

    def _is_corrected(self, place: int, later: int, accepted: int) -> bool:
        wrong, right = self.attempts[place], self.attempts[later]
        if wrong.made is None or right.made is None or wrong.turn != right.turn:
            return False
        if wrong.made.batch >= right.made.batch or wrong.found_all_of(right):
            return False
        others = self._standings[accepted].wrong[place]
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
        return bool(self.compared.question and given and attempt.found_something) and all(
            tells(told, value) or str(value) in self.compared.question for value in given
        )

    @cached_property
    def _standings(self) -> list[Standing]:
        return list(map(self.compared.with_call, self.solution))

    def _costs(self, accepted: int) -> list[int]:
        """Return what it costs to cover a call with each attempt, or (at the end) with none."""
        distance, of_kinds = self._weights
        costs = [
            of_kinds[kind] + len(wrong) * distance + (place - accepted) ** 2
            for place, (kind, wrong) in enumerate(zip(*self._standings[accepted], strict=True))
        ]
        for place in self._special:
            kinds = self._kind(place, accepted), self._standings[accepted].kinds[place]
            costs[place] += of_kinds[kinds[0]] - of_kinds[kinds[1]]
        return costs + [of_kinds[UNCOVERED]] * len(self.solution)

    @cached_property
    def _weights(self) -> tuple[int, Sequence[int]]:
        """(cost of one wrong argument, cost of each kind of cover)."""
        # A sum over the calls of the solution is compared like a tuple: a wrong argument outweighs
        # all distances together, and a kind all attempts of better kinds, whatever is wrong there.
        most = len(self.solution) + 1
        distance = most * max(len(self.attempts), most) ** 2
        arguments = most * (1 + max((one.most_wrong for one in self._standings), default=0))
        return distance, [(most**kind - 1) * arguments * distance for kind in range(IMPOSSIBLE + 1)]

    @cached_property
    def _special(self) -> list[int]:
        """The attempts whose kind of cover depends on what else was attempted."""
        attempts = enumerate(self.attempts)
        return [at for at, one in attempts if at in self.repeated or (one.call and one.faults)]

    def _kind(self, place: int, accepted: int) -> int:
        """Return how such an attempt covers a call."""
        kind = self._standings[accepted].kinds[place]
        if place in self.repeated and not self._is_asked_again[place]:
            return IMPOSSIBLE
        if kind in (EXACT, FAILED):
            return REPEATED
        is_tried_again = self._last_unlike.get(self.solution[accepted].tool, -1) > place
        return RETRIED if kind == FAULTY and is_tried_again else kind

    @cached_property
    def _is_asked_again(self) -> Mapping[int, bool]:
        """Repetition → whether the solution makes its call more often than it was made before."""
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
        """Tool → the place of its last call without fault that the solution does not make."""
        return {
            attempt.tool.tool.name: place
            for place, attempt in enumerate(self.attempts)
            if not attempt.faults
            and attempt.tool is not None
            and not any(self.is_exact(place, accepted) for accepted in range(len(self.solution)))
        }
