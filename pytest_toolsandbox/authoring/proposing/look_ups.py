"""The look-ups from which all conversations of a task have the values that count."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_toolsandbox.authoring.proof.mutants import mutated
from pytest_toolsandbox.conversation.messages import MadeCall
from pytest_toolsandbox.text.numerals import is_number

from .conversations import Conversation, answered, arguments_of
from .origins import Group, Origins, leaves, short_form

Document = dict[str, Any]
Sink = Sequence[Iterable[Group]]
"""For each conversation, from which calls the values of a column or of an answer come."""


@dataclass
class LookUp:
    """A look-up: the calls that make it in each conversation, and the look-ups before it."""

    calls: list[list[int]]
    after: dict[str, None] = field(default_factory=dict)
    arguments: Document = field(default_factory=dict)

    def first(self, conversations: Sequence[Conversation]) -> list[int]:
        """Return the first message of it in each conversation."""
        return [
            conversation.calls[numbers[0]].request
            for conversation, numbers in zip(conversations, self.calls, strict=True)
        ]


class LookUps:
    """Collects look-ups by the name of their milestone."""

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        self.conversations = conversations
        self.origins = [Origins(conversation) for conversation in conversations]
        self.names: dict[str, LookUp] = {}

    def need(self, sink: Sink, *, conversions: bool = False) -> list[str]:
        """Add the look-ups from which every conversation has its values; return their names.

        If conversations use different tools, the first one of each is an alternative.
        With ``conversions``, these count if several conversations all make them, and no look-up is
        behind them.
        """
        names = self._needed(sink, conversions=False)
        return names or (self._needed(sink, conversions=True) if conversions else [])

    def _needed(self, sink: Sink, *, conversions: bool) -> list[str]:
        by_tool: list[dict[str, list[int]]] = []
        for origins, groups in zip(self.origins, sink, strict=True):
            tools: dict[str, list[int]] = {}
            for number in sorted(origins.suppliers(groups, conversions=conversions)):
                tools.setdefault(origins.conversation.calls[number].call.name, []).append(number)
            by_tool.append(tools)
        if not all(by_tool) or (conversions and len(by_tool) == 1):
            return []
        common = [tool for tool in by_tool[0] if all(tool in tools for tools in by_tool)]
        chosen = [[tool] * len(by_tool) for tool in common]
        if not chosen:
            chosen = [[next(iter(tools)) for tools in by_tool]]
        return [self._add(tools, by_tool) for tools in chosen]

    def _add(self, tools: Sequence[str], by_tool: Sequence[Mapping[str, list[int]]]) -> str:
        calls = [of_tool[tool] for tool, of_tool in zip(tools, by_tool, strict=True)]
        name = re.sub(r"\W", "_", "_or_".join(dict.fromkeys(tools)))
        known = self.names.setdefault(name, LookUp(calls))
        known.calls = [
            sorted({*numbers, *further})
            for numbers, further in zip(known.calls, calls, strict=True)
        ]
        return name

    def complete(self) -> None:
        """Add the arguments that matter, and the order that values from results prescribe."""
        for name in [*self.names]:
            self._add_earlier(name)
        for name in self.names:
            self._add_arguments(name)

    def _add_earlier(self, name: str) -> None:
        """Add the look-ups that every conversation needs for the arguments of this one."""
        look_up = self.names[name]
        sink = []
        for origins, numbers in zip(self.origins, look_up.calls, strict=True):
            call = origins.conversation.calls[numbers[0]]
            values = leaves(dict(arguments_of(call)))
            sink.append([g for leaf in values for g in origins.groups(leaf.value, call.request)])
        earlier = self.need(sink)
        look_up.after |= dict.fromkeys(other for other in earlier if other != name)

    def _add_arguments(self, name: str) -> None:
        """Add the arguments that are alike in all conversations and change the result."""
        look_up = self.names[name]
        if self._has_single_choice:  # the agent may have chosen them
            return
        calls = self._alike(look_up)
        if len({call.call.name for call in calls}) > 1:
            return
        if not calls:
            return
        first, *further = [arguments_of(call) for call in calls]
        for argument, value in first.items():
            if not all(argument in arguments for arguments in further):
                continue
            values = [value, *(arguments[argument] for arguments in further)]
            common = self._common(values, calls[0].request, look_up)
            if common is not None and self._matters(calls[0], argument):
                look_up.arguments[argument] = common

    @cached_property
    def _has_single_choice(self) -> bool:
        """Whether all conversations make the same calls: they show no other way than one does."""
        return (
            len(
                {
                    json.dumps(_calls(conversation), sort_keys=True)
                    for conversation in self.conversations
                }
            )
            == 1
        )

    def _common(self, values: Sequence[Any], before: int, look_up: LookUp) -> Any:
        """Return what values have in common, ``None`` if they have nothing."""
        if not all(map(is_number, values)):
            return values[0] if all(value == values[0] for value in values) else None
        for source in self.origins[0].sources(values[0], before):
            tool = self.conversations[0].calls[source.number].call.name
            if tool in look_up.after and len({*values}) == 1:
                return short_form(tool, source.path)
        spread = max(values) - min(values)
        if spread == 0:
            return values[0]
        is_near = spread <= _NEAR * max(map(abs, values))
        return {"close": {"to": values[0], "within": round(2 * spread, 6)}} if is_near else None

    def _alike(self, look_up: LookUp) -> list[MadeCall]:
        """Return a call of each conversation that is like the only one of a conversation.

        Empty if every conversation has several.
        """
        calls = [
            [conversation.calls[number] for number in numbers]
            for conversation, numbers in zip(self.conversations, look_up.calls, strict=True)
        ]
        only = next((arguments_of(made[0]) for made in calls if len(made) == 1), None)
        if only is None:
            return []

        def likeness(call: MadeCall) -> int:
            return sum(only.get(name) == value for name, value in arguments_of(call).items())

        return [max(made, key=likeness) for made in calls]

    def _matters(self, call: MadeCall, argument: str) -> bool:
        """Return whether another value of an argument leads to another result."""
        arguments = arguments_of(call)
        other = mutated(arguments[argument], call.before)
        if other is None:
            return False
        changed = {**arguments, argument: other}
        first, second = answered(self.conversations[0].scenario, call, [arguments, changed])
        return first.content != second.content

    @property
    def in_order(self) -> list[str]:
        """The names of the look-ups, in the order of the first conversation."""
        return sorted(self.names, key=lambda name: self.names[name].first(self.conversations))

    @property
    def are_a_chain(self) -> bool:
        """Whether each look-up needs the one before."""
        return all(
            before in self.names[name].after for before, name in itertools.pairwise(self.in_order)
        )

    def milestones(self) -> dict[str, Document]:
        """Return the milestones."""
        return {name: self._milestone(name) for name in self.in_order}

    def _milestone(self, name: str) -> Document:
        look_up = self.names[name]
        tools = dict.fromkeys(
            conversation.calls[numbers[0]].call.name
            for conversation, numbers in zip(self.conversations, look_up.calls, strict=True)
        )
        calls = [{tool: look_up.arguments} if look_up.arguments else tool for tool in tools]
        milestone: Document = {"call": calls[0] if len(calls) == 1 else {"any_of": calls}}
        return {"after": [*look_up.after], **milestone} if look_up.after else milestone


def _calls(conversation: Conversation) -> str:
    calls = [[call.call.name, dict(arguments_of(call))] for call in conversation.calls]
    return json.dumps(calls, sort_keys=True)


_NEAR = 0.01
"""How far numbers that mean the same may be apart, as a share of the largest."""
