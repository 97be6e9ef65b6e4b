"""The protocols that judge calls: ToolTalk's published code, its paper, and ``turnwise``, ours."""

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
    """A call and its outcome.

    ``arguments`` are without the session token, or ``None`` if they could not be parsed. ``result``
    is a JSON value. ``error`` is the error text without its type. ``session`` is the token of the
    session, if the tool needs one, and ``user`` the name of its user. ``turn`` is the number of the
    agent's turn. ``unasked`` names the arguments that must also be in the matching ground-truth
    call.
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
    """The nearest call of the other side: its place and the differences.

    Without differences, it is a ground-truth call that matches another prediction already.
    """

    place: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class JudgedCall:
    """A predicted or a ground-truth call, compared with the calls of the other side.

    ``plugin`` is the group of its tool, empty for an unknown tool; ``action`` says whether the tool
    is an action. ``match`` is the place of the matching call. A ``bad_action`` is the paper's
    incorrect action: an unmatched prediction of an action that was executed without an error.
    ``nearest`` is set for an unmatched call if the other side has a call of the same tool;
    ground-truth calls are compared with unmatched predictions only.
    """

    call: Call
    plugin: str
    action: bool
    match: int | None
    bad_action: bool = False
    nearest: NearestCall | None = None

    @property
    def matched(self) -> bool:
        """Whether it has a match."""
        return self.match is not None

    @property
    def is_look_up(self) -> bool:
        """Whether its tool is known and changes nothing."""
        return bool(self.plugin) and not self.action


_Kinds = frozenset[Literal["action", "look-up"]]
_ALL: Final[_Kinds] = frozenset(("action", "look-up"))
_ACTIONS: Final[_Kinds] = frozenset(("action",))
_LOOK_UPS: Final[_Kinds] = frozenset(("look-up",))

_RECIPIENT_ERRORS: Final = {"SendEmail": "is not a valid email address."}
"""The endings of errors for a wrong recipient; ``SendMessage`` accepts every recipient."""

_SENDER: Final = "SendMessage"
_RECEIVER: Final = "receiver"
"""The argument that ToolTalk's published code compares with itself, so it always agrees."""


@dataclass(frozen=True)
class _CallRules:
    """The rules in which the protocols differ.

    Calls of the kinds ``in_turn`` match only within their turn. ``arguments`` are the kinds whose
    arguments and session are compared. ``results`` are the kinds whose results are compared as the
    tool declares; other actions may return anything, and other look-ups must return the same.
    ``measures`` replaces declared measures. ``threshold`` changes a tool's threshold for free
    texts; with ``quantities`` their numbers, dates and times must agree. With ``joined``, several
    calls may match one ground-truth call, one look-up may match several, and further look-ups do
    not count. ``slips`` are mistakes of the published code; ``footnote`` is the paper's exception
    for recipients.
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
    # The code is the reference for the published figures, including its mistakes.
    "published_code": _CallRules(
        arguments=_ALL, results=_ALL, measures={"attendees": "exact"}, slips=True
    ),
    # The paper describes other rules than its code applies (section 3).
    "paper": _CallRules(
        in_turn=_ALL,
        measures={"attendees": "exact", "date": "exact"},
        threshold=lambda _: math.nextafter(0.9, 1.0),  # above 0.9
        footnote=True,
    ),
    # Agents look things up in other turns and other ways than the recording; only actions, which
    # have effects, must be in their turn.
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
    """How calls are compared and matched (ToolTalk, section 3): the rules of a protocol.

    ``published_code`` compares what each tool declares, over the whole conversation. ``paper``
    compares the arguments of actions and the results of other tools, turn by turn. ``turnwise``
    requires actions in their turn and look-ups at any time. ``receiver_compared`` says whether the
    published code compares the recipient of ``SendMessage``; the others always do. With
    ``any_texts``, all free texts are similar.
    """

    name: CallProtocolName
    receiver_compared: bool = True
    any_texts: bool = False

    @property
    def rules(self) -> _CallRules:
        """The rules of this protocol."""
        return _RULES[self.name]

    def compares(self, kinds: _Kinds, tool: Tool | None) -> bool:
        """Return whether a rule for these kinds applies to calls of a tool."""
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
        """Return the error that counts; in the paper, errors of recipients do not."""
        ending = _RECIPIENT_ERRORS.get(call.tool)
        if self.rules.footnote and ending and call.error and call.error.endswith(ending):
            return None
        return call.error

    def exact(self) -> ArgumentMeasure:
        """Return how arguments without a declared measure are compared."""
        return self._measure("exact")

    def _measure(self, declared: ArgumentMeasure) -> ArgumentMeasure:
        if isinstance(declared, FreeText):
            return replace(declared, threshold=self.rules.threshold(declared))
        return self.rules.measures.get(declared, declared)


PUBLISHED_CODE: Final = CallProtocol("published_code")
PAPER: Final = CallProtocol("paper")
TURNWISE: Final = CallProtocol("turnwise")
