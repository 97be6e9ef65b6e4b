"""The two ways to judge calls: what ToolTalk's published code does, and what its paper says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from pytest_toolsandbox.worlds.call_rules import ArgumentMeasure, CallComparison, FreeText
from pytest_toolsandbox.worlds.tool import Tool

from .call import Call

ProtocolName = Literal["published_code", "paper"]

_ABOVE: Final = math.nextafter(0.9, 1.0)
"""The least similarity of free texts that is above 0.9, as the paper asks."""

_RECIPIENT_ERRORS: Final = {"SendEmail": "is not a valid email address."}
"""How the error ends that a recipient causes; the published ``SendMessage`` takes everybody."""

_SENDER: Final = "SendMessage"
_RECEIVER: Final = "receiver"
"""The argument that the published code compares with itself."""


@dataclass(frozen=True)
class CallProtocol:
    """How calls are compared and matched (ToolTalk, section 3).

    ``published_code`` follows what each tool declares, and matches calls over the whole
    conversation. ``paper`` compares the arguments of actions and the results of all other tools,
    turn by turn. ``receiver_compared`` says whether it matters to whom ``SendMessage`` sends: to
    the published code it does not, to the paper it always does.
    """

    name: ProtocolName
    receiver_compared: bool = True

    @property
    def per_turn(self) -> bool:
        """Whether calls are only matched within a turn."""
        return self.name == "paper"

    def rule(self, name: str, tool: Tool | None) -> tuple[CallComparison, bool]:
        """Return (comparison of a tool's calls, whether arguments are compared too)."""
        declared = tool.comparison if tool else CallComparison()
        arguments = self._measures(name, declared.arguments)
        if self.name == "published_code":
            return replace(declared, arguments=arguments), True
        if tool and tool.action:
            return CallComparison(arguments, "ignored"), True
        return CallComparison(), False

    def error_of(self, call: Call) -> str | None:
        """Return the error that counts; to the paper, an error that a recipient causes does not."""
        ending = _RECIPIENT_ERRORS.get(call.tool)
        if self.name == "paper" and ending and call.error and call.error.endswith(ending):
            return None
        return call.error

    def _measures(
        self, tool: str, declared: Mapping[str, ArgumentMeasure]
    ) -> dict[str, ArgumentMeasure]:
        if self.name == "paper":
            return {name: _strict(measure) for name, measure in declared.items()}
        if tool == _SENDER and not self.receiver_compared:
            return {**declared, _RECEIVER: "ignored"}
        return dict(declared)


PUBLISHED_CODE: Final = CallProtocol("published_code")
PAPER: Final = CallProtocol("paper")


def _strict(measure: ArgumentMeasure) -> ArgumentMeasure:
    """Return a measure as the paper has it: one threshold, and the time of day counts."""
    if isinstance(measure, FreeText):
        return FreeText(_ABOVE)
    return "exact" if measure == "date" else measure
