"""How the attempts of an agent compare with calls, which several solutions may have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.wording.nearest_name import nearest_name
from pytest_toolsandbox.worlds.tool_view import ToolView

from .agreement import may_be_left_out, same_values, wrong_arguments
from .attempts import Attempt, WrongArgument
from .patterns import AcceptedCall

EXACT, FAILED, REPEATED, FAULTY, WRONG, RETRIED, TEXT, UNCOVERED = range(8)
"""How an attempt covers a call, the best first: as it should, as it should but it failed, as a
repetition, with a fault, with a wrong value, with a fault after which there was another attempt,
as a text; and last, not at all.

Of two alignments the better one has fewer of the last kind, then of the one before it, and so on.
"""
IMPOSSIBLE = UNCOVERED + 1

Wrong = tuple[WrongArgument, ...]


class Standing(NamedTuple):
    """For each attempt how it covers a call, whatever else there is, and what is wrong with it."""

    kinds: Sequence[int]
    wrong: Sequence[Wrong]

    @property
    def most_wrong(self) -> int:
        """The greatest number of wrong arguments."""
        return max(map(len, self.wrong), default=0)


@dataclass(frozen=True)
class Comparisons:
    """Attempts as they compare with calls, which solutions have in common: each is asked for once.

    ``tools`` are those that are offered, by own name. ``question`` is that of a query.
    """

    attempts: Sequence[Attempt]
    tools: Mapping[str, ToolView]
    question: str = ""

    @cached_property
    def _known(self) -> dict[Hashable, Standing]:
        return {}

    def with_call(self, call: AcceptedCall) -> Standing:
        """Return how the attempts compare with a call."""
        key = call.request, call.fails
        if key not in self._known:
            self._known[key] = self._compared(call)
        return self._known[key]

    def _compared(self, call: AcceptedCall) -> Standing:
        tool = self.tools.get(call.tool)
        wrong = [
            tuple(wrong_arguments(one, call, tool)) if one.tool is None or one.tool is tool else ()
            for one in self.attempts
        ]
        return Standing([self._kind(at, call, its) for at, its in enumerate(wrong)], wrong)

    def _kind(self, place: int, call: AcceptedCall, wrong: Wrong) -> int:
        attempt = self.attempts[place]
        if attempt.call is None:
            return TEXT if self._may_mean(place, call) else IMPOSSIBLE
        if not self.is_meant(place, call):
            return IMPOSSIBLE
        if attempt.faults:
            return FAULTY
        if wrong or attempt.refused or attempt.tool is not self.tools.get(call.tool):
            return WRONG
        return FAILED if attempt.failed and not call.fails else EXACT

    def _may_mean(self, place: int, call: AcceptedCall) -> bool:
        """Whether a text may stand for a call: it names its tool, or names none and any will do.

        A text without names is the conclusion where the agent did nothing after it.
        """
        text, concludes = self.attempts[place].text, self.attempts[place].concludes
        words = {name: rf"\b{re.escape(tool.name)}\b" for name, tool in self.tools.items()}
        named = [name for name, word in words.items() if re.search(word, text)]
        return call.tool in named if named else not concludes or call.tool == FINISH.name

    def is_meant(self, place: int, call: AcceptedCall) -> bool:
        """Whether an attempt stands for a call: of its tool, or else of the nearest name.

        Where the name is unlike, arguments of the same names or with the same values will do. Where
        no name is alike and there are no arguments to go by, it may stand for any.
        """
        attempt, tool = self.attempts[place], self.tools.get(call.tool)
        if attempt.tool is not None:
            return attempt.tool is tool
        own_name = tool.name if tool else call.tool
        nearest = self._nearest(attempt.text, own_name)
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
    def _nearest(self) -> Callable[[str, str], str | None]:
        names = {tool.name for tool in self.tools.values()}
        return cache(lambda name, own_name: nearest_name(name, {own_name, *names}))
