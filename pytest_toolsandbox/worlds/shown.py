"""Tools as an agent sees them: by their own names and descriptions, or scrambled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from .tool import Tool

Scrambled = Literal[
    "tool_name", "tool_description", "argument_description", "argument_type", "argument_name"
]
"""The parts of a tool that can be kept from an agent."""


@dataclass(frozen=True)
class ShownTool:
    """A tool, under the names that an agent knows.

    Where an argument's name is scrambled, no text for the agent has it either.
    """

    tool: Tool
    name: str
    scrambled: Scrambled | None = None

    @cached_property
    def argument_names(self) -> Mapping[str, str]:
        """The tool's own name of an argument → the one that is shown."""
        names = self.tool.parameters
        if self.scrambled != "argument_name":
            return {name: name for name in names}
        ranks = {name: rank for rank, name in enumerate(sorted(names))}
        return {name: f"argument_{ranks[name]}" for name in names}

    @cached_property
    def own_names(self) -> Mapping[str, str]:
        """The name of an argument that is shown → the tool's own."""
        return {shown: name for name, shown in self.argument_names.items()}

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as a chat-completions API takes it, less what is scrambled."""
        function = self.tool.schema["function"]
        parameters = function["parameters"]
        shown = {"name": self.name, "description": self.renamed(function["description"])}
        if self.scrambled == "tool_description":
            del shown["description"]
        shown["parameters"] = parameters | {
            "properties": {
                self.argument_names[name]: self._property(schema)
                for name, schema in parameters["properties"].items()
            },
            "required": [self.argument_names[name] for name in parameters["required"]],
        }
        return {"type": "function", "function": shown}

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check arguments under the names that are shown, and return them under the tool's own.

        Raises ``TypeError``, as :meth:`Tool.bind` does, in the agent's terms.
        """
        return self.tool.bind(arguments, self.argument_names)

    def renamed(self, text: str) -> str:
        """Return a text for the agent in which arguments have the names that are shown.

        A name is one for certain where it has an underscore, stands in quotes or at the start.
        """
        return self._names.sub(self._rename, text) if self.scrambled == "argument_name" else text

    def _rename(self, found: re.Match[str]) -> str:
        return self.argument_names[found[0]]

    @cached_property
    def _names(self) -> re.Pattern[str]:
        names = sorted(map(re.escape, self.argument_names), key=len, reverse=True)
        if not names:
            return re.compile(r"(?!)")
        certain = [name for name in names if "_" in name]
        places = [rf"(?<=')(?:{'|'.join(names)})(?=')", rf"^(?:{'|'.join(names)})\b"]
        return re.compile("|".join([*places, *(rf"\b{name}\b" for name in certain)]))

    def _property(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        description = self.renamed(schema["description"])
        if self.scrambled == "argument_type":
            return {"description": description}
        if self.scrambled == "argument_description":
            return {key: value for key, value in schema.items() if key != "description"}
        return {**schema, "description": description}


def shown_tools(
    tools: Mapping[str, Tool], scrambled: Scrambled | None = None
) -> Mapping[str, ShownTool]:
    """Return tool → how an agent sees it.

    A scrambled name is that of the tool's module and the tool's place, from 0, among the names of
    that module (ToolSandbox, appendix A.2.1); ``tools`` must therefore be all tools of a world.
    """
    counts: dict[str, int] = {}
    shown = {}
    for name in sorted(tools):
        module = tools[name].module or "tool"
        place = counts[module] = counts.get(module, -1) + 1
        shown[name] = ShownTool(
            tools[name], f"{module}_{place}" if scrambled == "tool_name" else name, scrambled
        )
    return shown
