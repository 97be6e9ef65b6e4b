"""Makes tools of the operations of an OpenAPI document.

The parameters of an operation and the properties of its body become the arguments of one tool; each
argument keeps the place in the request where it goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pytest_toolsandbox.worlds.foreign_schemas import SchemaReader
from pytest_toolsandbox.worlds.schema_tool import SchemaTool, api_name, schema_tool

Place = Literal["path", "query", "header", "body", "whole body"]
METHODS: Final = ("get", "head", "post", "put", "patch", "delete")
_READS: Final = ("get", "head")
_NOT_ARGUMENTS: Final = ("accept", "content-type", "authorization")
"""Headers that an operation may not have as parameters, as the specification says."""
JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
_MOST_PARTS: Final = 100
"""Parts of ``allOf``, at every depth, so that one that has itself as a part has an end."""


@dataclass(frozen=True)
class Argument:
    """Where an argument goes: ``name`` is the one that the request has."""

    name: str
    place: Place
    style: str = "form"
    explode: bool = True
    is_json: bool = False


@dataclass(frozen=True)
class Operation:
    """A request: its method, its path with ``{name}`` for arguments, and where arguments go.

    ``media`` is the media type of the body, which is empty if there is none. Arguments that are not
    known are properties of the body.
    """

    name: str
    method: str
    path: str
    arguments: Mapping[str, Argument]
    media: str = ""
    needs_body: bool = False


@dataclass
class Operations:
    """The operations of a document, with their tools, and what was left out, in words."""

    tools: list[SchemaTool] = field(default_factory=list)
    by_name: dict[str, Operation] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class _Unsupported(Exception):  # noqa: N818  # it never leaves this module
    pass


def operations_of(document: Mapping[str, Any], world: str) -> Operations:
    """Return the operations of a document, in its order."""
    made, reader = Operations(), SchemaReader(document)
    for path, item in _mapping(document.get("paths")).items():
        whole = _mapping(reader.resolved(item))
        for method in METHODS:
            if isinstance(described := whole.get(method), Mapping):
                try:
                    _add(made, _Described(document, reader, path, method, whole, described), world)
                except _Unsupported as reason:
                    made.remarks.append(f"{method.upper()} {path} is left out: {reason}")
    nowhere = sorted({*reader.unresolved})
    made.remarks += [f"{reference} leads nowhere: any value fits it" for reference in nowhere]
    return made


@dataclass(frozen=True)
class _Described:
    """An operation as a document has it."""

    document: Mapping[str, Any]
    reader: SchemaReader
    path: str
    method: str
    of_path: Mapping[str, Any]
    described: Mapping[str, Any]

    @property
    def name(self) -> str:
        identifier = self.described.get("operationId")
        return (
            identifier
            if isinstance(identifier, str) and identifier
            else f"{self.method}{self.path}".rstrip("/")
        )

    @property
    def text(self) -> str:
        parts = (self.described.get("summary"), self.described.get("description"))
        texts = [part.strip() for part in parts if isinstance(part, str) and part.strip()]
        return " ".join(dict.fromkeys(texts)) or f"{self.method.upper()} {self.path}"

    def parameters(self) -> Iterator[Mapping[str, Any]]:
        """Yield the parameters, of which those of the operation replace those of the path."""
        both = (self.of_path.get("parameters") or [], self.described.get("parameters") or [])
        known = {}
        for parameter in (self.reader.resolved(p) for parameters in both for p in parameters):
            if isinstance(parameter, Mapping) and isinstance(parameter.get("name"), str):
                known[parameter["name"], parameter.get("in")] = parameter
        yield from known.values()


def _add(made: Operations, described: _Described, world: str) -> None:
    schema = _Schema(described.reader)
    for parameter in described.parameters():
        _add_parameter(schema, parameter)
    media, needs_body = _add_body(schema, described)
    tool = schema_tool(
        described.name,
        described.text,
        schema.whole(),
        module=world,
        place=f"{described.method.upper()} {described.path}",
        action=described.method not in _READS,
        taken=[tool.name for tool in made.tools],
    )
    made.tools.append(tool)
    if described.method in _READS:
        made.reads.append(tool.name)
    made.by_name[described.name] = Operation(
        described.name,
        described.method.upper(),
        described.path,
        schema.arguments,
        media,
        needs_body,
    )


class _Schema:
    """The schema of a tool's arguments as it comes about."""

    def __init__(self, reader: SchemaReader) -> None:
        self.reader = reader
        self.arguments: dict[str, Argument] = {}
        self.is_open = False
        """Whether the body takes properties that it does not name."""
        self._properties: dict[str, Any] = {}
        self._required: list[str] = []
        self._definitions: dict[str, Any] = {}

    def add(self, argument: Argument, schema: Any, text: str, *, required: bool) -> None:
        """Add an argument, with another name if its own is taken or not one for chat APIs."""
        name = api_name(argument.name)
        if name in self.arguments:
            name = api_name(f"{argument.place.split()[-1]}_{argument.name}", self.arguments)
        made = self.reader.read(schema)
        self._definitions |= made.pop("$defs", {})
        description = text or str(made.get("description") or "")
        self._properties[name] = {**made, **({"description": description} if description else {})}
        self._required += [name] if required else []
        self.arguments[name] = argument

    def whole(self) -> dict[str, Any]:
        """Return the schema."""
        definitions = {"$defs": self._definitions} if self._definitions else {}
        return {
            "type": "object",
            "properties": self._properties,
            "required": self._required,
            **({} if self.is_open else {"additionalProperties": False}),
            **definitions,
        }


def _add_parameter(schema: _Schema, parameter: Mapping[str, Any]) -> None:
    name, place = parameter["name"], parameter.get("in")
    required = parameter.get("required") is True
    if place == "header" and name.lower() in _NOT_ARGUMENTS:
        return
    if place not in ("path", "query", "header"):
        if required:
            raise _Unsupported(f"its parameter {name!r} is in {place}")
        return
    content = _mapping(parameter.get("content"))
    inner = _mapping(next(iter(content.values()), {})).get("schema") if content else None
    style = parameter.get("style") or ("form" if place == "query" else "simple")
    explode = parameter.get("explode", style == "form") is True
    argument = Argument(name, place, str(style), explode, bool(content))
    text = str(parameter.get("description") or "")
    shown = inner if content else parameter.get("schema", {})
    schema.add(argument, shown, text, required=required or place == "path")


def _add_body(schema: _Schema, described: _Described) -> tuple[str, bool]:
    """Add the body's properties, or the body as one argument; return its media type."""
    body = _mapping(schema.reader.resolved(described.described.get("requestBody")))
    content = _mapping(body.get("content"))
    if not content:
        return "", False
    media = _media(content)
    needs_body = body.get("required") is True
    if media is None:
        if needs_body:
            raise _Unsupported(f"its body is {' or '.join(map(str, content))}")
        return "", False
    inner = _mapping(content[media]).get("schema", {})
    whole = _merged(schema.reader, inner)
    if whole is None:
        text = str(body.get("description") or "")
        schema.add(Argument("body", "whole body"), inner, text, required=needs_body)
        return media, needs_body
    required = whole.get("required") or []
    for name, part in _mapping(whole.get("properties")).items():
        if not _mapping(schema.reader.resolved(part)).get("readOnly"):
            is_needed = needs_body and name in required
            schema.add(Argument(str(name), "body"), part, "", required=is_needed)
    schema.is_open = whole.get("additionalProperties", False) is not False
    return media, needs_body


def _media(content: Mapping[str, Any]) -> str | None:
    """Return the media type of a body that can be sent, JSON if possible."""
    plain = {name: str(name).partition(";")[0].strip().lower() for name in content}
    json_like = [n for n, kind in plain.items() if kind == JSON or kind.endswith("+json")]
    forms = [name for name, kind in plain.items() if kind == FORM]
    return next(iter([*json_like, *forms, *(n for n, k in plain.items() if k == "*/*")]), None)


def _merged(reader: SchemaReader, schema: Any) -> dict[str, Any] | None:
    """Return an object's schema with those of ``allOf`` in it, ``None`` for what is no object."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    further: Any = False
    waiting: list[Any] = [schema]
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        part = _mapping(reader.resolved(waiting.pop(0)))
        if {"anyOf", "oneOf"} & {*part} or part.get("type", "object") not in ("object", ["object"]):
            return None
        waiting += part.get("allOf") or []
        properties |= _mapping(part.get("properties"))
        required += part.get("required") or []
        further = further or part.get("additionalProperties", False)
    if waiting or not properties:
        return None
    return {"properties": properties, "required": required, "additionalProperties": further}


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}


def names_of(tools: Sequence[SchemaTool]) -> list[str]:
    """Return the names by which settings know tools."""
    return [tool.original_name for tool in tools]
