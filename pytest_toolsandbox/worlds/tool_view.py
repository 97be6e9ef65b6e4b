"""Tools as an agent sees them: by their own names and descriptions, or scrambled."""

from __future__ import annotations

import json
import marshal
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from .parameter import NOT_GIVEN
from .schemas import with_keyword
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
    """A tool, under the names that an agent knows, also in texts.

    ``tool_names`` maps all tools to the names that are shown: a text may speak of another tool.
    """

    tool: Tool
    name: str
    scrambled: Scrambled | None = None
    tool_names: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def argument_names(self) -> Mapping[str, str]:
        """The tool's own name of an argument → the one that is shown."""
        names = list(self.tool.parameters)
        scrambled = [f"argument_{sorted(names).index(name)}" for name in names]
        return dict(
            zip(names, scrambled if self.scrambled == "argument_name" else names, strict=True)
        )

    @cached_property
    def world_names(self) -> Mapping[str, str]:
        """The name of an argument that is shown → the tool's own."""
        return {shown: name for name, shown in self.argument_names.items()}

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """The tool's own name of an argument → its default, ``NOT_GIVEN`` where there is none."""
        parameters = self.tool.parameters.items()
        return {name: NOT_GIVEN if one.required else one.default for name, one in parameters}

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

    @cached_property
    def schema_as_json(self) -> str:
        """The schema in JSON."""
        return json.dumps(self.schema)

    @cached_property
    def shared_schema(self) -> Any:
        """The schema as JSON has it, for all conversations, with which they compare their copies.

        Its texts are interned, and so those of the copies are the same: copies of hundreds of
        conversations fit into the memory next to the processor, and are compared without a look
        into any text.
        """
        return _with_shared_texts(json.loads(self.schema_as_json))

    @cached_property
    def packed_schema(self) -> bytes:
        """The same, of which ``marshal`` makes a copy for each conversation, faster than JSON."""
        return marshal.dumps(self.shared_schema)

    def _parameters(self, whole: Mapping[str, Any]) -> dict[str, Any]:
        are_hidden = self.scrambled in ("argument_description", "descriptions")
        text = (lambda _: None) if are_hidden else self.renamed
        shown: dict[str, Any] = with_keyword(whole, "description", text)
        names, properties = self.argument_names, shown["properties"]
        if self.scrambled == "argument_type":
            shown.pop("$defs", None)
            properties = {n: {"description": one["description"]} for n, one in properties.items()}
        shown["properties"] = {names[name]: schema for name, schema in properties.items()}
        shown["required"] = [names[name] for name in shown["required"]]
        return shown

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do as :meth:`Tool.bind` for arguments under the names that are shown."""
        return self.tool.bind(arguments, self.argument_names)

    def renamed(self, text: str) -> str:
        """Return a text for the agent with the names that are shown in the place of the tool's.

        A word is a name where it has an underscore, stands in quotes or, for arguments, first.
        """
        return self._names.sub(lambda found: self._shown_names[found[0]], text)

    @cached_property
    def _shown_names(self) -> Mapping[str, str]:
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

    ``tools`` must be all tools of a world: a scrambled name is the tool's module and the tool's
    place in it by name, from 0 (ToolSandbox, A.2.1), with ``_`` for what no API takes in a name.
    """
    names = _scrambled_names(tools) if scrambled == "tool_name" else {name: name for name in tools}
    return {name: ToolView(tools[name], names[name], scrambled, names) for name in sorted(tools)}


def _with_shared_texts(value: Any) -> Any:
    """Return a JSON value whose texts are interned, which they stay in copies by ``marshal``."""
    if isinstance(value, str):
        return sys.intern(value)
    if isinstance(value, list):
        return list(map(_with_shared_texts, value))
    if isinstance(value, dict):
        return {sys.intern(name): _with_shared_texts(one) for name, one in value.items()}
    return value


def _scrambled_names(tools: Mapping[str, Tool]) -> dict[str, str]:
    counts: Counter[str] = Counter()
    names = {}
    for name in sorted(tools):
        module = re.sub("[^A-Za-z0-9_-]", "_", tools[name].module) or "tool"
        names[name] = f"{module}_{counts[module]}"
        counts[module] += 1
    return names
