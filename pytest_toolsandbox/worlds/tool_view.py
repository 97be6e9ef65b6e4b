"""Tools as an agent sees them: by their own names and descriptions, or scrambled."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from .schemas import with_descriptions
from .tool import Tool

Scrambled = Literal[
    "tool_name",
    "tool_description",
    "argument_description",
    "argument_type",
    "argument_name",
    "descriptions",
]
"""The parts of a tool that can be kept from an agent."""


@dataclass(frozen=True)
class ToolView:
    """A tool, under the names that an agent knows.

    Where names are scrambled, no text for the agent has them either. ``tool_names`` maps all tools
    to the names that are shown, since a text of one may speak of another.
    """

    tool: Tool
    name: str
    scrambled: Scrambled | None = None
    tool_names: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def argument_names(self) -> Mapping[str, str]:
        """The tool's own name of an argument → the one that is shown."""
        names = self.tool.parameters
        if self.scrambled != "argument_name":
            return {name: name for name in names}
        ranks = {name: rank for rank, name in enumerate(sorted(names))}
        return {name: f"argument_{ranks[name]}" for name in names}

    @cached_property
    def world_names(self) -> Mapping[str, str]:
        """The name of an argument that is shown → the tool's own."""
        return {shown: name for name, shown in self.argument_names.items()}

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as a chat-completions API takes it, less what is scrambled."""
        function = self.tool.schema["function"]
        shown = {
            "name": self.name,
            "description": self.renamed(function["description"]),
            "parameters": self._parameters(function["parameters"]),
        }
        if self.scrambled in ("tool_description", "descriptions"):
            del shown["description"]
        return {"type": "function", "function": shown}

    def _parameters(self, whole: Mapping[str, Any]) -> dict[str, Any]:
        parts: dict[str, Any] = with_descriptions(whole, self._described)
        shown = parts | {
            "properties": {
                self.argument_names[name]: schema for name, schema in parts["properties"].items()
            },
            "required": [self.argument_names[name] for name in parts["required"]],
        }
        if self.scrambled == "argument_type":
            shown.pop("$defs", None)
            shown["properties"] = {
                name: {"description": schema["description"]}
                for name, schema in shown["properties"].items()
            }
        return shown

    def _described(self, description: str) -> str | None:
        """Return the description of an argument, or of something in it, as it is shown."""
        hidden = self.scrambled in ("argument_description", "descriptions")
        return None if hidden else self.renamed(description)

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check arguments under the names that are shown, and return them under the tool's own.

        Raises ``TypeError``, as :meth:`Tool.bind` does, in the agent's terms.
        """
        return self.tool.bind(arguments, self.argument_names)

    def renamed(self, text: str) -> str:
        """Return a text for the agent in which there are no names but those that are shown.

        A name is one for certain where it has an underscore or stands in quotes, and that of an
        argument also at the start.
        """
        return self._names.sub(lambda found: self._shown_names[found[0]], text)

    @cached_property
    def _shown_names(self) -> Mapping[str, str]:
        """What may stand in texts and is scrambled → what is shown in its place."""
        if self.scrambled == "tool_name":
            return self.tool_names
        return self.argument_names if self.scrambled == "argument_name" else {}

    @cached_property
    def _names(self) -> re.Pattern[str]:
        names = sorted(map(re.escape, self._shown_names), key=len, reverse=True)
        if not names:
            return re.compile(r"(?!)")
        any_name, certain = "|".join(names), [name for name in names if "_" in name]
        places = [rf"(?<=')(?:{any_name})(?=')", *(rf"\b{name}\b" for name in certain)]
        if self.scrambled == "argument_name":
            places.append(rf"^(?:{any_name})\b")
        return re.compile("|".join(places))


def tool_views(
    tools: Mapping[str, Tool], scrambled: Scrambled | None = None
) -> Mapping[str, ToolView]:
    """Return tool → how an agent sees it.

    A scrambled name is that of the tool's module and the tool's place, from 0, among the names of
    that module (ToolSandbox, appendix A.2.1); ``tools`` must therefore be all tools of a world.
    What no API takes for a tool's name is an underscore in it.
    """
    names = _scrambled_names(tools) if scrambled == "tool_name" else {name: name for name in tools}
    return {name: ToolView(tools[name], names[name], scrambled, names) for name in sorted(tools)}


def _scrambled_names(tools: Mapping[str, Tool]) -> dict[str, str]:
    counts: Counter[str] = Counter()
    names = {}
    for name in sorted(tools):
        module = re.sub("[^A-Za-z0-9_-]", "_", tools[name].module) or "tool"
        names[name] = f"{module}_{counts[module]}"
        counts[module] += 1
    return names
