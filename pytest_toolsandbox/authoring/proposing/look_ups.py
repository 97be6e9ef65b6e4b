"""The look-ups from which all conversations of a task have the values that count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_toolsandbox.authoring.proof.mutants import mutated
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

    def need(self, sink: Sink) -> list[str]:
        """Add the look-ups from which every conversation has its values; return their names.

        If conversations use different tools, the first one of each is an alternative.
        """
        by_tool: list[dict[str, list[int]]] = []
        for origins, groups in zip(self.origins, sink, strict=True):
            tools: dict[str, list[int]] = {}
            for number in sorted(origins.suppliers(groups)):
                tools.setdefault(origins.conversation.calls[number].call.name, []).append(number)
            by_tool.append(tools)
        if not all(by_tool):
            return []
        common = [tool for tool in by_tool[0] if all(tool in tools for tools in by_tool)]
        chosen = [[tool] * len(by_tool) for tool in common]
        if not chosen:
            chosen = [[next(iter(tools)) for tools in by_tool]]
        return [self._add(tools, by_tool) for tools in chosen]

    def _add(self, tools: Sequence[str], by_tool: Sequence[Mapping[str, list[int]]]) -> str:
        calls = [of_tool[tool] for tool, of_tool in zip(tools, by_tool, strict=True)]
        name = "_or_".join(dict.fromkeys(tools))
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
        if any(len(numbers) > 1 for numbers in look_up.calls):
            return
        calls = [
            conversation.calls[numbers[0]]
            for conversation, numbers in zip(self.conversations, look_up.calls, strict=True)
        ]
        if len({call.call.name for call in calls}) > 1:
            return
        first, *further = [arguments_of(call) for call in calls]
        for argument, value in first.items():
            if not all(argument in arguments for arguments in further):
                continue
            values = [value, *(arguments[argument] for arguments in further)]
            common = self._common(values, calls[0].request, look_up)
            if common is not None and self._matters(look_up, argument):
                look_up.arguments[argument] = common

    def _common(self, values: Sequence[Any], before: int, look_up: LookUp) -> Any:
        """Return what values have in common; ``None`` for texts that one agent alone chose."""
        if isinstance(values[0], bool) or not all(map(is_number, values)):
            is_same = all(value == values[0] for value in values)
            is_chosen = isinstance(values[0], str) and len(values) == 1
            return values[0] if is_same and not is_chosen else None
        for source in self.origins[0].sources(values[0], before):
            tool = self.conversations[0].calls[source.number].call.name
            if tool in look_up.after and len({*values}) == 1:
                return short_form(tool, source.path)
        spread = max(values) - min(values)
        if spread == 0:
            return values[0]
        is_near = spread <= _NEAR * max(map(abs, values))
        return {"close": {"to": values[0], "within": round(2 * spread, 6)}} if is_near else None

    def _matters(self, look_up: LookUp, argument: str) -> bool:
        """Return whether another value of an argument leads to another result."""
        conversation = self.conversations[0]
        call = conversation.calls[look_up.calls[0][0]]
        arguments = arguments_of(call)
        other = mutated(arguments[argument], call.before)
        if other is None:
            return False
        changed = {**arguments, argument: other}
        first, second = answered(conversation.scenario, call, [arguments, changed])
        return first.content != second.content

    def milestones(self) -> dict[str, Document]:
        """Return the milestones."""
        return {name: self._milestone(name) for name in self.names}

    def _milestone(self, name: str) -> Document:
        look_up = self.names[name]
        tools = dict.fromkeys(
            conversation.calls[numbers[0]].call.name
            for conversation, numbers in zip(self.conversations, look_up.calls, strict=True)
        )
        calls = [{tool: look_up.arguments} if look_up.arguments else tool for tool in tools]
        milestone: Document = {"call": calls[0] if len(calls) == 1 else {"any_of": calls}}
        return {"after": [*look_up.after], **milestone} if look_up.after else milestone


_NEAR = 0.01
"""How far numbers that mean the same may be apart, as a share of the largest."""
