"""Tools as an agent sees them, with their own names and descriptions or scrambled ones."""

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
"""The parts of tools that can be hidden from an agent (ToolSandbox, A.2.1)."""


@dataclass(frozen=True)
class ToolView:
    """A tool under the names that an agent sees.

    ``tool_names`` maps all tools to these names: descriptions mention other tools.
    """

    tool: Tool
    name: str
    scrambled: Scrambled | None = None
    tool_names: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def argument_names(self) -> Mapping[str, str]:
        """The tool's own name of an argument → the name that is shown."""
        names = list(self.tool.parameters)
        if self.scrambled != "argument_name":
            return {name: name for name in names}
        return {name: f"argument_{sorted(names).index(name)}" for name in names}

    @cached_property
    def world_names(self) -> Mapping[str, str]:
        """The name of an argument that is shown → the tool's own name."""
        return {shown: name for name, shown in self.argument_names.items()}

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """The tool's own name of an argument → its default, ``NOT_GIVEN`` if it has none."""
        return {
            name: NOT_GIVEN if parameter.required else parameter.default
            for name, parameter in self.tool.parameters.items()
        }

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as a chat-completions API takes it, without the hidden part."""
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
        """The schema as plain JSON values, with which conversations compare their copies.

        Its texts are interned, and ``marshal`` keeps that: copies of hundreds of conversations
        share them, stay in the processor's cache, and are compared by identity.
        """
        return _with_shared_texts(json.loads(self.schema_as_json))

    @cached_property
    def packed_schema(self) -> bytes:
        """The same for ``marshal``, which makes a conversation's copy faster than JSON does."""
        return marshal.dumps(self.shared_schema)

    def _parameters(self, whole: Mapping[str, Any]) -> dict[str, Any]:
        is_hidden = self.scrambled in ("argument_description", "descriptions")
        description = (lambda _: None) if is_hidden else self.renamed
        shown: dict[str, Any] = with_keyword(whole, "description", description)
        names, properties = self.argument_names, shown["properties"]
        if self.scrambled == "argument_type":
            shown.pop("$defs", None)
            properties = {n: {"description": s["description"]} for n, s in properties.items()}
        shown["properties"] = {names[name]: schema for name, schema in properties.items()}
        shown["required"] = [names[name] for name in shown["required"]]
        return shown

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do the same as :meth:`Tool.bind` for arguments under the names that are shown."""
        return self.tool.bind(arguments, self.argument_names)

    def renamed(self, text: str) -> str:
        """Return a text for the agent, in which the names that are shown replace the tool's own.

        A word is a name if it has an underscore, is in quotes or, for arguments, comes first.
        """
        return self._names.sub(lambda match: self._shown_names[match[0]], text)

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
    index in it by name, from 0 (ToolSandbox, A.2.1), with ``_`` for characters that APIs refuse.
    """
    names = _scrambled_names(tools) if scrambled == "tool_name" else {name: name for name in tools}
    return {name: ToolView(tools[name], names[name], scrambled, names) for name in sorted(tools)}


def _with_shared_texts(value: Any) -> Any:
    if isinstance(value, str):
        return sys.intern(value)
    if isinstance(value, list):
        return list(map(_with_shared_texts, value))
    if isinstance(value, dict):
        return {sys.intern(name): _with_shared_texts(item) for name, item in value.items()}
    return value


def _scrambled_names(tools: Mapping[str, Tool]) -> dict[str, str]:
    counts: Counter[str] = Counter()
    names = {}
    for name in sorted(tools):
        module = re.sub("[^A-Za-z0-9_-]", "_", tools[name].module) or "tool"
        names[name] = f"{module}_{counts[module]}"
        counts[module] += 1
    return names
