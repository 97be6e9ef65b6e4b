"""Tools that a JSON Schema describes, such as those of a server, instead of a Python function."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from .context import WorldError
from .foreign_schemas import SchemaReader, references_in
from .parameter import NOT_GIVEN, REQUIRED, Parameter, validator_of
from .schemas import Problem, problems
from .signatures import Signature
from .tool import Tool

_API_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LONGEST_NAME: Final = 64
_OF_ARGUMENTS: Final = (
    *("type", "properties", "required", "additionalProperties", "title", "description"),
    *("$schema", "$id", "$defs", "definitions"),
)
"""Keywords of a tool's schema that are checked argument by argument, or say nothing of values."""


class ToolError(Exception):
    """A tool of a server failed; the message is the server's, for the agent to read."""


def api_name(name: str, taken: Collection[str] = ()) -> str:
    """Return a name that chat APIs take: 1 to 64 letters (A to Z), digits, ``_`` and ``-``.

    Names that are longer, or the same as one of ``taken``, end with a digest of the original.
    """
    made = re.sub(r"[^A-Za-z0-9_-]", "_", name) or "tool"
    if len(made) <= _LONGEST_NAME and made not in taken:
        return made
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{made[: _LONGEST_NAME - 9]}_{digest}"


@dataclass(frozen=True)
class SchemaParameter(Parameter):
    """A parameter with a JSON Schema of its own; its values are JSON and stay so.

    The default of its schema is for agents to read: the server applies it.
    """

    own_schema: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the values that a call may give: any, if its own is not valid."""
        return self.own_schema if _is_valid(self.own_schema) else {}

    @cached_property
    def shown(self) -> Mapping[str, Any]:
        """The JSON Schema for agents."""
        return self.own_schema

    @cached_property
    def shown_default(self) -> Mapping[str, Any]:
        """Nothing: the schema has the default."""
        return {}


@dataclass(frozen=True)
class SchemaTool(Tool):
    """A tool with a name, a description and the JSON Schema of its arguments.

    ``original_name`` is the name by which the server knows it. ``function`` only has the name.
    """

    original_name: str = field(default="", kw_only=True)
    text: str = field(default="", kw_only=True)
    input_schema: Mapping[str, Any] = field(default_factory=dict, kw_only=True, compare=False)
    place: str = field(default="", kw_only=True, compare=False)

    @cached_property
    def signature(self) -> Signature:
        """The signature that the schema describes."""
        hint: Any = Any
        return Signature(self.place, False, self.text, self._parameters, frozenset(), hint)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as a chat-completions API takes it: its schema as the server has it."""
        parameters = _shown(self.input_schema)
        function = {"name": self.name, "description": self.text, "parameters": parameters}
        return {"type": "function", "function": function}

    @cached_property
    def _parameters(self) -> dict[str, Parameter]:
        whole = self.input_schema
        required, reader = whole.get("required") or [], SchemaReader(whole)
        return {
            name: SchemaParameter(
                name,
                Any,
                str(inner.get("description", "")),
                REQUIRED if name in required else NOT_GIVEN,
                name,
                reader.read(inner),
            )
            for name, inner in _properties(whole).items()
        }

    def bind(
        self, arguments: Mapping[str, Any], shown: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Check the arguments of a call as the schema asks, without adding defaults.

        Raises ``TypeError``. Arguments that the schema neither names nor forbids are passed on.
        """
        names = shown or {name: name for name in self.parameters}
        known = {names[name]: name for name in self.parameters}
        further = {name: value for name, value in arguments.items() if name not in known}
        if further and not self._takes_others:
            raise TypeError(f"got an unexpected keyword argument {next(iter(further))!r}")
        bound = super().bind({k: v for k, v in arguments.items() if k in known}, names)
        whole = {**bound, **further}
        for problem in self._problems_of_all(whole):
            raise TypeError(f"The arguments are not valid: {problem.text}")
        return whole

    @property
    def _takes_others(self) -> bool:
        return self.input_schema.get("additionalProperties") is not False

    def _problems_of_all(self, arguments: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what is wrong with arguments together, such as one of two that must be given."""
        if self._together is not None:
            yield from problems(validator_of(self._together), arguments, self._together)

    @cached_property
    def _together(self) -> Mapping[str, Any] | None:
        """The part of the schema about several arguments, ``None`` if there is none."""
        whole = self.input_schema
        limits_others = isinstance(whole.get("additionalProperties"), Mapping)
        if not limits_others and not {*whole} - {*_OF_ARGUMENTS}:
            return None
        schema = SchemaReader(whole).read(whole)
        return schema if _is_valid(schema) else None


def schema_tool(
    name: str,
    text: str,
    input_schema: Any,
    *,
    module: str,
    place: str,
    action: bool,
    taken: Collection[str] = (),
) -> SchemaTool:
    """Return a tool that a server has. Raises :class:`WorldError` for what is not a schema."""
    if not isinstance(input_schema, Mapping):
        raise WorldError(f"{place}: the tool {name!r} has no schema of its arguments")
    shown_name = api_name(name, taken)

    def function() -> None:
        raise NotImplementedError

    function.__name__ = function.__qualname__ = shown_name
    return SchemaTool(
        function,
        module,
        action=action,
        raises=(ToolError,),
        original_name=name,
        text=text,
        input_schema=input_schema,
        place=place,
    )


def _properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    known = properties.items() if isinstance(properties, Mapping) else ()
    return {name: inner if isinstance(inner, Mapping) else {} for name, inner in known}


def _shown(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of arguments with what readers of tools rely on, and otherwise as it is.

    These are ``type``, ``properties`` with a description each, ``required``, and ``$defs`` at the
    root, to which all references lead: a schema with others is rewritten.
    """
    whole = {key: value for key, value in schema.items() if key not in ("$schema", "title")}
    if not all(map(_leads_to_definition, references_in(whole))):
        whole = SchemaReader(schema).read(whole)
    properties = {
        name: {**inner, "description": str(inner.get("description", ""))}
        for name, inner in _properties(whole).items()
    }
    required = [name for name in whole.get("required") or [] if name in properties]
    return {**whole, "type": "object", "properties": properties, "required": required}


def _leads_to_definition(reference: str) -> bool:
    return reference.startswith("#/$defs/") and "/" not in reference.removeprefix("#/$defs/")


def _is_valid(schema: Mapping[str, Any]) -> bool:
    """Whether a schema can be checked: its keywords, and its regular expressions."""
    from jsonschema import Draft202012Validator, SchemaError

    from pytest_toolsandbox.text.regular_expression import RegularExpression

    try:
        Draft202012Validator.check_schema(schema)
        for pattern in _patterns(schema):
            RegularExpression.read(pattern)
    except (SchemaError, ValueError):  # patterns are those of ECMA
        return False
    return True


def _patterns(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from _patterns(part)
    elif isinstance(schema, Mapping):
        if isinstance(pattern := schema.get("pattern"), str):
            yield pattern
        for part in schema.values():
            yield from _patterns(part)
