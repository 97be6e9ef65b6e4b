"""The protocols that judge calls: ToolTalk's published code, its paper, and ours, turn by turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final, Literal

from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.worlds.tool import (
    ArgumentMeasure,
    CallComparison,
    CallProtocolName,
    FreeText,
    Tool,
)


@dataclass(frozen=True)
class Call:
    """A call and what came of it.

    ``arguments`` are without the session's token, and ``None`` where they could not be read.
    ``result`` is a JSON value. ``error`` is the text of what went wrong, without its type.
    ``session`` is whose session the call was made in, as an opaque token, for a tool that needs
    one, and ``user`` whose name that is. ``turn`` numbers the turns of the agent. ``unasked`` names
    the arguments of a predicted call that are differences where the ground truth has none.
    """

    tool: str
    arguments: Mapping[str, Any] | None
    result: Any = None
    error: str | None = None
    session: str | None = None
    turn: int = 0
    user: str | None = None
    unasked: tuple[str, ...] = ()


@dataclass(frozen=True)
class NearestCall:
    """The call of the other side that comes nearest: its place there, and how the two differ.

    Without differences it is a ground-truth call that another prediction has made already.
    """

    place: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class JudgedCall:
    """A predicted call or a ground-truth call; the calls of the other kind are the other side.

    ``plugin`` is the group of its tool, empty for a tool that the world does not have; ``action``
    says whether the tool is an action. ``match`` is the place of the call of the other side with
    which it was matched. A ``bad_action`` is what the paper calls an incorrect action: an unmatched
    prediction whose tool is an action and which was executed without error. ``nearest`` is set for
    an unmatched call where the other side has a call of its tool; a ground-truth call is compared
    with unmatched predictions alone.
    """

    call: Call
    plugin: str
    action: bool
    match: int | None
    bad_action: bool = False
    nearest: NearestCall | None = None

    @property
    def matched(self) -> bool:
        """Whether it was matched with a call of the other side."""
        return self.match is not None

    @property
    def is_look_up(self) -> bool:
        """Whether its tool only finds something out."""
        return bool(self.plugin) and not self.action


_Kinds = frozenset[Literal["action", "look-up"]]
_ALL: Final[_Kinds] = frozenset(("action", "look-up"))
_ACTIONS: Final[_Kinds] = frozenset(("action",))
_LOOK_UPS: Final[_Kinds] = frozenset(("look-up",))

_RECIPIENT_ERRORS: Final = {"SendEmail": "is not a valid email address."}
"""How the error ends that a recipient causes; the published ``SendMessage`` takes everybody."""

_SENDER: Final = "SendMessage"
_RECEIVER: Final = "receiver"
"""The argument that the published code compares with itself."""


@dataclass(frozen=True)
class _CallRules:
    """The choices in which the ways to judge calls differ.

    Calls of the kinds ``in_turn`` agree within their turn alone. Of the kinds ``arguments`` the
    arguments and the session are compared, of ``results`` the result as the tool declares: other
    actions may return anything, and other look-ups must return the same. ``measures`` replaces
    declared measures. Free texts are alike from what ``threshold`` makes of the tool's on, and
    with ``quantities`` must have the same numbers, dates and times. With
    ``joined`` several calls may make one ground-truth
    call, one look-up several, and further look-ups do not count. ``slips`` are the published
    code's, ``footnote`` is the paper's, on recipients.
    """

    in_turn: _Kinds = frozenset()
    arguments: _Kinds = _ACTIONS
    results: _Kinds = frozenset()
    measures: Mapping[ArgumentMeasure, ArgumentMeasure] = field(default_factory=dict)
    threshold: Callable[[FreeText], float] = attrgetter("threshold")
    quantities: bool = False
    joined: bool = False
    slips: bool = False
    footnote: bool = False


_RULES: Final[Mapping[CallProtocolName, _CallRules]] = {
    "published_code": _CallRules(
        arguments=_ALL, results=_ALL, measures={"attendees": "exact"}, slips=True
    ),
    "paper": _CallRules(
        in_turn=_ALL,
        measures={"attendees": "exact", "date": "exact"},
        threshold=lambda _: math.nextafter(0.9, 1.0),  # above 0.9
        footnote=True,
    ),
    "turnwise": _CallRules(
        in_turn=_ACTIONS,
        results=_LOOK_UPS,
        measures={"exact": "moment", "date": "moment"},
        threshold=lambda text: round(max(text.threshold - (0.35 if text.is_title else 0.75), 0), 2),
        quantities=True,
        joined=True,
    ),
}


@dataclass(frozen=True)
class CallProtocol:
    """How calls are compared and matched (ToolTalk, section 3): the rules of a name.

    ``published_code`` follows what each tool declares, and matches calls over the whole
    conversation. ``paper`` compares the arguments of actions and the results of all other tools,
    turn by turn. ``turnwise`` wants actions in their turn and what is found at any time.
    ``receiver_compared`` says whether it matters to whom ``SendMessage`` sends: to the published
    code it does not, to the others it always does. With ``any_texts`` all free texts are alike.
    """

    name: CallProtocolName
    receiver_compared: bool = True
    any_texts: bool = False

    @property
    def rules(self) -> _CallRules:
        """The choices of this one."""
        return _RULES[self.name]

    def compares(self, kinds: _Kinds, tool: Tool | None) -> bool:
        """Return whether a rule for these kinds of calls is one for calls of a tool."""
        return ("action" if tool and tool.action else "look-up") in kinds

    def comparison(self, name: str, tool: Tool | None) -> CallComparison:
        """Return how the results and arguments of a tool's calls are compared."""
        declared = tool.comparison if tool else CallComparison()
        arguments = {name: self._measure(how) for name, how in declared.arguments.items()}
        if self.rules.slips and name == _SENDER and not self.receiver_compared:
            arguments[_RECEIVER] = "ignored"
        if self.compares(self.rules.results, tool):
            return replace(declared, arguments=arguments)
        result: Literal["equal", "ignored"] = "ignored" if tool and tool.action else "equal"
        return CallComparison(arguments, result, merged_by=declared.merged_by)

    def error_of(self, call: Call) -> str | None:
        """Return the error that counts; to the paper, an error that a recipient causes does not."""
        ending = _RECIPIENT_ERRORS.get(call.tool)
        if self.rules.footnote and ending and call.error and call.error.endswith(ending):
            return None
        return call.error

    def exact(self) -> ArgumentMeasure:
        """Return how arguments are compared of which the tool says nothing."""
        return self._measure("exact")

    def _measure(self, declared: ArgumentMeasure) -> ArgumentMeasure:
        if isinstance(declared, FreeText):
            return replace(declared, threshold=self.rules.threshold(declared))
        return self.rules.measures.get(declared, declared)


PUBLISHED_CODE: Final = CallProtocol("published_code")
PAPER: Final = CallProtocol("paper")
TURNWISE: Final = CallProtocol("turnwise")
